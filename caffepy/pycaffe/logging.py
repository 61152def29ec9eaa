"""caffe.init_log and caffe.log: the log lines of a script."""

from __future__ import annotations

import os

from caffepy import log as lines
from caffepy.pycaffe.arguments import whole

LEVEL_VARIABLE = "GLOG_minloglevel"


def start() -> None:
    """Show lines of severity INFO and above, as Caffe's module does, or from $GLOG_minloglevel on.

    A program that has set up the log in its own way keeps it.
    """
    level = os.environ.get(LEVEL_VARIABLE, "")
    if lines.sink == lines.Sink():
        lines.configure(min_level=int(level) if level.isdigit() else lines.INFO)


def init_log(level: int = lines.INFO, stderr: bool = True) -> None:
    """Show lines from severity ``level`` on (0 INFO to 3 FATAL); without ``stderr`` only errors."""
    lines.configure(
        min_level=whole("init_log: level", level),
        stderr_level=lines.INFO if stderr else lines.ERROR,
    )


def log(message: str) -> None:
    """Write a line of severity INFO."""
    lines.info("_caffe.cpp:52", str(message))
