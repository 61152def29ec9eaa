"""glog's flags and environment variables, applied to the log."""

from __future__ import annotations

import getpass
import os
import platform
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TextIO

from caffepy import log
from caffepy.cli.flags import LOG
from caffepy.cli.gflags import FlagError, Scan, canonical


def settings(scan: Scan, environ: Mapping[str, str]) -> dict[str, str]:
    """The value of each flag of the log.

    It is that of the command line, else of the variable ``GLOG_<name>``, else the default.
    """
    values = {}
    for name, flag in LOG.items():
        if name in scan.values:
            values[name] = scan.last(name)
            continue
        variable = f"GLOG_{name}"
        try:
            values[name] = canonical(flag, environ.get(variable) or flag.default)
        except FlagError as error:
            raise FlagError(f"environment variable {variable}: {error}") from None
    return values


def apply(scan: Scan, program: str, *, quiet: bool = False) -> None:
    """Set up the log for a command: lowest severity, verbosity, prefix, and the file of -log_dir.

    ``quiet``: standard error gets lines of severity I only where a flag or variable asks for them.
    """
    defaults = {"GLOG_alsologtostderr": "false"} if quiet else {}
    chosen = settings(scan, {**defaults, **os.environ})
    on = {name for name, value in chosen.items() if value == "true"}
    file = None
    failure = ""
    if chosen["log_dir"] and "logtostderr" not in on:
        try:
            file = open_file(chosen["log_dir"], program)
        except OSError as error:
            failure = (
                f"log_dir {chosen['log_dir']}: {error.strerror};"
                " needed: a folder that can be written to. No log file is written"
            )
    both = bool(on & {"alsologtostderr", "logtostderr"}) or (file is None and not quiet)
    threshold = min(int(chosen["stderrthreshold"]), log.WARNING if quiet else log.FATAL)
    # a fatal line is always shown: no failure without a word
    log.configure(
        min_level=min(max(int(chosen["minloglevel"]), log.INFO), log.FATAL),
        verbosity=int(chosen["v"]),
        prefix="log_prefix" in on,
        streams=[file] if file else [],
        stderr_level=log.INFO if both else threshold,
        color="colorlogtostderr" in on and sys.stderr.isatty(),
        utc="log_utc_time" in on,
    )
    if failure:
        log.error("logging.cc:0", failure)


def open_file(folder: str, program: str) -> TextIO:
    """A new log file, named as glog names it, with glog's four head lines.

    The link ``<program>.INFO`` leads to it. OSError if it cannot be made.
    """
    now = time.localtime()
    host = platform.node()
    try:
        user = getpass.getuser()
    except (KeyError, OSError):  # no name for this user id, as in many containers
        user = "invalid-user"
    stamp = time.strftime("%Y%m%d-%H%M%S", now)
    path = Path(folder) / f"{program}.{host}.{user}.log.INFO.{stamp}.{os.getpid()}"
    # names of files, which messages hold, may be any bytes
    stream = path.open("w", encoding="utf-8", errors="surrogateescape")
    stream.write(f"Log file created at: {time.strftime('%Y/%m/%d %H:%M:%S', now)}\n")
    stream.write(f"Running on machine: {host}\n")
    stream.write(f"Running in place of: {program}\n")
    stream.write("Log line format: [IWEF]mmdd hh:mm:ss.uuuuuu threadid file:line] msg\n")
    temporary_link = Path(folder) / f".{program}.{os.getpid()}.link"
    try:
        temporary_link.symlink_to(path.name)
        temporary_link.replace(Path(folder) / f"{program}.INFO")
    except OSError:  # a file system without links: the log itself is there
        temporary_link.unlink(missing_ok=True)
    return stream
