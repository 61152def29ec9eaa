"""The time of a log's lines, in seconds since its training began."""

from __future__ import annotations

import calendar
import os
import re
from collections.abc import Sequence
from datetime import datetime
from itertools import pairwise
from pathlib import Path

from caffepy.errors import DataError
from caffepy.proto.atomic import atomic_write
from caffepy.proto.output_files import refuse_overwriting
from caffepy.report.log_lines import STAMP, read_lines

LEAP_DAY = re.compile(r"^[IWEF]0229 ")
CREATED = re.compile(r"^Log file created at: (\d{4})\D")
BEGINNING = "Solving"
NO_TIMES = (
    "no line begins with a time as glog writes it (I1127 20:47:05.700948);"
    " needed: the log of caffe train (caffepy plot reads files of -metrics, too)"
)


def read_timed(path: str | Path) -> list[tuple[float, str]]:
    """`timed` lines of a log file.  DataError if it cannot be read, or if no line has a time."""
    lines = read_lines(path)
    with_times = timed(lines, created_year(lines, path))
    if with_times is None:
        raise DataError(f"{path}: {NO_TIMES}")
    return with_times


def created_year(lines: Sequence[str], path: str | Path) -> int:
    """The year that a log begins in.

    glog's lines name months and days only. Its first line names the year, else the date of the file
    tells it. A file may be a copy made in a later year: the year of a 29 February is the last leap
    year by then.
    """
    for line in lines:
        if found := CREATED.match(line):
            return int(found[1])
    year = datetime.fromtimestamp(os.path.getctime(path)).year
    leap = next((i for i, line in enumerate(lines) if LEAP_DAY.match(line)), None)
    if leap is not None:
        months = [found["month"] for line in lines[:leap] if (found := STAMP.match(line))]
        since = sum(later < month for month, later in pairwise([*months, "02"]))
        while not calendar.isleap(year + since):
            year -= 1
    return year


def timed(lines: Sequence[str], year: int) -> list[tuple[float, str]] | None:
    """(seconds since the training began, line) for each line with a time.

    It begins after the first such line that says ``Solving``; where none does, with the first line
    with a time. A month before that of the last line begins a new year. None if no line has a time.
    """
    with_times: list[tuple[float, str]] = []
    begin = None
    for i, line in enumerate(lines):
        if BEGINNING in line and moment(line, year):
            begin = i
            break
    start = last = None
    for i, line in enumerate(lines[begin or 0 :]):
        when = moment(line, year) or moment(line, year + 1)  # a new year's 29 February
        if when and last and when.month < last.month:
            year += 1
            when = moment(line, year)
        if when is None:
            continue
        start = start or when
        last = when
        if i or begin is None:
            with_times.append(((when - start).total_seconds(), line))
    return with_times if start else None


def moment(line: str, year: int) -> datetime | None:
    """The time that a glog line begins with; None for other lines."""
    stamp = STAMP.match(line)
    if not stamp:
        return None
    text = f"{stamp['year'] or year}{stamp['month']}{stamp['day']} {stamp['time']}"
    try:
        return datetime.strptime(text, "%Y%m%d %H:%M:%S.%f")
    except ValueError:
        return None


def write_seconds(path: str, target: str) -> None:
    """Write the seconds of each line that names an iteration, one a line.

    Errors: DataError if a file is no log, or cannot be read or written.
    """
    refuse_overwriting(target, path)
    texts = [f"{seconds:f}\n" for seconds, line in read_timed(path) if "Iteration" in line]
    with atomic_write(target, error=DataError) as temporary:
        temporary.write_text("".join(texts), encoding="ascii")
