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
    """Base of all errors that are the user's fault.

    The command line prints one line and exits 1.
    """


class UsageError(CaffeError):
    """A command was called in a way it does not know."""


class PrototxtError(CaffeError):
    """Text that is not a message of the schema."""


class NetError(CaffeError):
    """A net that cannot be built."""


class LayerError(NetError):
    """One layer that cannot be built or run.

    ``path``: the field at fault in the layer's message, if it is known.
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
    """Ranks that cannot start, agree or continue."""


NO_MEMORY = re.compile(
    "can't allocate memory|not enough memory|insufficient memory|out of memory",
    re.IGNORECASE,
)
"""OpenCV's words, and torch's on the CPU and on a GPU."""

NUL_IN_NAME = "the name of a file holds a NUL byte (\\0); needed: a name without"


FOLDER_GONE = "the working folder has been deleted; needed: a folder that is there (cd to it again)"


def folder_gone(error: BaseException) -> bool:
    """Whether a file was not found because the working folder was deleted."""
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
    """The first line of an error's message, or its type if it has none."""
    return next(iter(str(error).strip().splitlines()), type(error).__name__)


COMMON_ENDING = "_param"
"""The ending of most of a layer's fields, which does not count for `nearest`."""
LEAST_BEGINNING = 3
"""Letters that a name needs, to count as the beginning of another one."""


def nearest(name: str, known: Iterable[str]) -> str:
    """``"; nearest: 'pool2'"`` if a known name is close to ``name``, else nothing.

    Close means that one letter in three is wrong, missing, too many or swapped with its neighbour,
    whatever its case. It also means that one name begins with the other and is hardly more than
    twice as long.
    """
    near = nearest_name(name, known)
    return f"; nearest: '{near}'" if near else ""


def nearest_name(name: str, known: Iterable[str]) -> str:
    """The known name that is closest to ``name``; empty where none is close.

    Close is one letter in three that is wrong, missing, too many or in its neighbour's place,
    capitals aside; or that one name begins with the other and is hardly more than twice as long.
    """
    names = list(known)
    distances = []
    for i, other in enumerate(names):
        different_letters = sum(map(str.__ne__, name, other))
        distances.append((_distance(_stem(name), _stem(other)), different_letters, i))
    distance, _, index = min(distances, default=(math.inf, 0, 0))
    return names[index] if distance < math.inf else ""


def _stem(name: str) -> str:
    return name.casefold().removesuffix(COMMON_ENDING)


def _distance(name: str, other: str) -> float:
    """How many letters to change to get one name from the other; infinite if they are not close."""
    short, long = sorted((name, other), key=len)
    within = max(min(1, len(short) - 1), len(short) // 3)
    begins = len(short) >= LEAST_BEGINNING and long.startswith(short)
    begins = begins and len(long) <= 2 * len(short) + 1
    if len(long) - len(short) > within:
        return len(long) - len(short) if begins else math.inf
    before = [0] * (len(long) + 1)
    row = list(range(len(long) + 1))
    for i, a in enumerate(short, 1):
        last = before
        before = row
        row = [i] + [0] * len(long)
        for j, b in enumerate(long, 1):
            row[j] = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (a != b))
            if i > 1 and j > 1 and (a, b) == (long[j - 2], short[i - 2]):
                row[j] = min(row[j], last[j - 2] + 1)
    return row[-1] if row[-1] <= within or begins else math.inf
