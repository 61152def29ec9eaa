"""The last words about what went wrong, and streams that take them."""

from __future__ import annotations

import os
import sys

from caffepy import log
from caffepy.errors import NUL_IN_NAME, nul_in_name, one_line, out_of_memory
from caffepy.memory_limit import limit_note

WRONG_INDEX = "device-side assert"
"""In CUDA's message about a wrong index.  Labels are not checked on a GPU, to spare a wait for it."""
UNMAPPED = "failed to map segment"
"""In the message of the system's loader where there is no room for a library."""
NUMPYS = "Original error was: "
NO_THREAD = "can't start new thread"


def unexpected(error: Exception) -> str:
    """The line for an error that no command expected.

    A package is not installed, memory is short, or the fault is ours.
    """
    if isinstance(error, ModuleNotFoundError) and not (error.name or "caffepy").startswith(
        "caffepy"
    ):
        from caffepy.extras import why_not_imported

        return why_not_imported(error)
    if out_of_memory(error):
        return f"not enough memory: {one_line(error) or type(error).__name__}{limit_note()}"
    if NO_THREAD in str(error):
        needed = "more memory or processes (ulimit -v and ulimit -u tell the limits)"
        return f"{one_line(error)}; needed: {needed}"
    if isinstance(error, ImportError) and UNMAPPED in str(error):
        # numpy says more around it
        said = next(line for line in str(error).splitlines() if UNMAPPED in line)
        return (
            f"{said.removeprefix(NUMPYS)}; needed: more memory (ulimit -v tells the limit),"
            " and a file system that lets libraries run"
        )
    if nul_in_name(error):
        return NUL_IN_NAME
    if WRONG_INDEX in str(error):
        return (
            "a GPU met an index out of range, most often a label that is no class;"
            " without -gpu the layer and the label are named"
        )
    what = f"{type(error).__name__}: {one_line(error)}"
    return f"internal error: {what} (run with -v=1 for the traceback; please report)"


def show_traceback() -> None:
    """The traceback of the error being handled, for those who asked with -v=1."""
    if log.sink.verbosity >= 1:
        import traceback

        traceback.print_exc()


def open_closed_streams() -> None:
    """Let standard streams that are closed (``2>&-``) lead nowhere.

    Lines can still be written to them, and no data file gets their numbers.
    """
    names = ("stdin", "stdout", "stderr")
    while (spare := os.open(os.devnull, os.O_RDWR)) < len(names):
        pass
    os.close(spare)
    for number, name in enumerate(names):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(number, "w" if number else "r", closefd=False))
