"""Every error that a user can cause.

CaffeError
├── UsageError       flags, arguments, the way a program was called
├── PrototxtError    text that is no message of the schema: syntax, unknown fields, bad values
│   └── SolverGiven  a solver where a net is needed (in proto/wrong_kind.py)
├── NetError         a net that cannot be built: blobs, parameters, states
│   └── LayerError   one layer of it: unknown type, counts, shapes, fields
├── WeightsError     caffemodel, mean or solverstate files that do not fit
├── DataError        databases, images, lists, HDF5 files
├── SolverError      solver definitions, snapshots
└── ParallelError    launchers, ranks, exchanges

A message is one line: where, what was found, what was needed, what to do.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterable


class CaffeError(RuntimeError):
    """Base of all errors that are the input's fault; the command line prints one line and exits 1."""


class UsageError(CaffeError):
    """A command was called in a way it does not know."""


class PrototxtError(CaffeError):
    """Text that is not a message of the schema."""


class NetError(CaffeError):
    """A net that cannot be built."""


class LayerError(NetError):
    """One layer that cannot be built or run.

    ``path`` leads to the field at fault in the layer's message, where it is known.
    """

    def __init__(self, message: str, path: tuple[str | int, ...] = ()) -> None:
        super().__init__(message)
        self.path = path


class WeightsError(CaffeError):
    """A file of weights, means or solver state that cannot be read or does not fit."""


class DataError(CaffeError):
    """A data source that cannot be read or written."""


class SolverError(CaffeError):
    """A solver definition or snapshot that cannot be used."""


class ParallelError(CaffeError):
    """Ranks that cannot start, agree or go on."""


NO_MEMORY = re.compile("can't allocate memory|not enough memory|insufficient memory|out of memory", re.IGNORECASE)
"""OpenCV's words, and torch's on the CPU and on a GPU."""

NUL_IN_NAME = "the name of a file holds a NUL byte (\\0); needed: a name without"


FOLDER_GONE = "the working folder has been deleted; needed: a folder that is there (cd to it again)"


def folder_gone(error: BaseException) -> bool:
    """Whether a file was not found because the working folder is there no more."""
    if not isinstance(error, FileNotFoundError):
        return False
    try:
        os.getcwd()
    except FileNotFoundError:
        return True
    return False


def out_of_memory(error: BaseException) -> bool:
    """Whether Python, numpy or torch could not get memory."""
    return isinstance(error, MemoryError) or bool(NO_MEMORY.search(str(error)))


def nul_in_name(error: BaseException) -> bool:
    """Whether Python refused the name of a file for a NUL byte in it."""
    return isinstance(error, ValueError) and "embedded null" in str(error)


def one_line(error: BaseException, *, between: str = " ") -> str:
    """The message of an error, its lines joined."""
    return between.join(part for line in str(error).splitlines() if (part := line.strip()))


def first_line(error: BaseException) -> str:
    """The first line of an error's message, its type where it says nothing."""
    return next(iter(str(error).strip().splitlines()), type(error).__name__)


COMMON_ENDING = "_param"
"""Of most fields of a layer: what names share does not make them near."""
LEAST_BEGINNING = 3
"""Letters of a name that another one begins with, to be near."""


def nearest(name: str, known: Iterable[str]) -> str:
    """``"; nearest: 'pool2'"`` when a known name is close to ``name``, else nothing."""
    near = nearest_name(name, known)
    return f"; nearest: '{near}'" if near else ""


def nearest_name(name: str, known: Iterable[str]) -> str:
    """The known name that is closest to ``name``; empty where none is close.

    Close is one letter in three that is wrong, missing, too many or in its neighbour's place,
    capitals aside; or that one name begins with the other and is hardly more than twice as long.
    """
    names = list(known)
    far = [(_distance(_stem(name), _stem(other)), sum(map(str.__ne__, name, other)), i) for i, other in enumerate(names)]
    distance, _, index = min(far, default=(math.inf, 0, 0))
    return names[index] if distance < math.inf else ""


def _stem(name: str) -> str:
    return name.casefold().removesuffix(COMMON_ENDING)


def _distance(name: str, other: str) -> float:
    """How many letters have to change for one name to be the other.

    Infinite where they are not close.
    """
    short, long = sorted((name, other), key=len)
    within = max(min(1, len(short) - 1), len(short) // 3)
    begins = len(short) >= LEAST_BEGINNING and long.startswith(short) and len(long) <= 2 * len(short) + 1
    if len(long) - len(short) > within:
        return len(long) - len(short) if begins else math.inf
    before, row = [0] * (len(long) + 1), list(range(len(long) + 1))
    for i, a in enumerate(short, 1):
        last, before, row = before, row, [i] + [0] * len(long)
        for j, b in enumerate(long, 1):
            row[j] = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (a != b))
            if i > 1 and j > 1 and (a, b) == (long[j - 2], short[i - 2]):
                row[j] = min(row[j], last[j - 2] + 1)
    return row[-1] if row[-1] <= within or begins else math.inf
