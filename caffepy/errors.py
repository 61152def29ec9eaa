"""Every error that a user can cause.

CaffeError
├── UsageError       flags, arguments, the way a program was called
├── PrototxtError    text that is no message of the schema: syntax, unknown fields, bad values
│   └── SolverGiven  a solver where a net is needed (in proto/other_kind.py)
├── NetError         a net that cannot be built: blobs, parameters, states
│   └── LayerError   one layer of it: unknown type, counts, shapes, fields
├── WeightsError     caffemodel, mean or solverstate files that do not fit
├── DataError        databases, images, lists, HDF5 files
├── SolverError      solver definitions, snapshots
└── ParallelError    launchers, ranks, exchanges

A message is one line: where, what was found, what was needed, what to do.
"""

from __future__ import annotations

import difflib
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
    """One layer that cannot be built or run; ``path`` leads to the field at fault in the layer's message, where it is known."""

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


def nearest(name: str, known: Iterable[str]) -> str:
    """``"; nearest: 'pool2'"`` when a known name is close to ``name``, else nothing."""
    found = difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)
    return f"; nearest: '{found[0]}'" if found else ""
