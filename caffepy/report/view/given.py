"""What a file is that a page is to show: a net or a solver, or a training."""

from __future__ import annotations

from caffepy.errors import DataError, UsageError
from caffepy.proto.atomic import open_no_pipe
from caffepy.proto.file_kind import as_utf8
from caffepy.report.log_lines import STAMP
from caffepy.report.metrics_file import START

LOOKED_AT = 1 << 18
"""Bytes at the start of a file; a log tells its first time long before."""
PROTOTXT = (".prototxt", ".pbtxt")
LOGS = (".log", ".jsonl")
WEIGHTS = (".caffemodel", ".solverstate", ".h5", ".binaryproto", ".npy", ".safetensors")


def is_training(path: str, *, running: bool = False) -> bool:
    """Whether a file is a log or a file of ``-metrics``, and not a net.

    UsageError or DataError for a file that is none of them.
    ``running``: a training has perhaps just begun to write it, so it may be empty.
    """
    if path.lower().endswith(WEIGHTS):
        needed = "a net's prototxt, with this file as -weights if it has its weights"
        raise UsageError(f"{path}: it has no layers to draw; needed: {needed}")
    if path.lower().endswith(PROTOTXT):
        return False
    try:
        with open_no_pipe(path) as file:
            start = file.read(LOOKED_AT)
    except OSError as error:
        raise DataError(f"{path}: {error.strerror}") from None
    if running and not start.strip():
        return True
    if not start.strip():
        raise DataError(f"{path}: it is empty; needed: a net's prototxt, or the log of caffe train")
    text = as_utf8(start).decode(errors="replace")
    if "\0" in text:
        raise DataError(
            f"{path}: it is no text; needed: a net's prototxt, or the log of caffe train"
        )
    if path.lower().endswith(LOGS) or start.startswith(START):
        return True
    return any(STAMP.search(line[:200]) for line in text.splitlines())
