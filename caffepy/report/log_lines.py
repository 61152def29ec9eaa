"""The lines of a log file as the program wrote them.

Of several ranks' lines in one file, those of one rank. Launchers and containers can put the rank
before each line that they pass on. Such a prefix stands before a time of glog's, and is taken off
here. A log without prefixes comes as it is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from caffepy.data.list_files import read_bytes
from caffepy.errors import DataError

STAMP = re.compile(r"[IWEF](?P<year>\d{4})?(?P<month>\d\d)(?P<day>\d\d) (?P<time>\d\d:\d\d:\d\d\.\d{1,6}) ")
TRAINING = re.compile(r"Iteration \d+.*, loss = |(?:Train|Test) net output #\d+: ")
COLOR = r"(?:\x1b\[[\d;]*m)*"
PREFIXES = [
    re.compile(pattern)
    for pattern in (
        r"\[(?P<job>(?:[^\]\s]*[@,])?)(?P<rank>\d{1,9})\](?:\[[^\]]*\])?<std(?:out|err|diag)>:? ?",  # Open MPI: [1,0]<stderr>:
        r"\[(?P<rank>\d{1,9})\] ",  # MPICH, Intel MPI: [0]
        r"\[(?P<job>[A-Za-z][\w.-]*?)(?P<rank>\d{1,9})\]: ?",  # torchrun: [default0]:
        r"\[pod/(?P<job>[^/\]]*?)(?P<rank>\d*)(?:-[a-z0-9]{5})?/[^\]]*\] ",  # kubectl: [pod/trainer-0/main]
        r" *(?P<job>(?:[A-Za-z][\w.-]*?)?)(?P<rank>\d{1,9}): ",  # srun: 0:  pdsh: node1:
        rf"{COLOR}(?P<job>[\w.-]+?)(?P<rank>\d*) +\|{COLOR} {COLOR}",  # docker compose: trainer_1  |
        r"\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d) |\w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4}",  # times of containers, of Open MPI
    )
]
"""``job``: what lines of one rank's job have in common; ``rank``: none where there is only one."""
LONGEST = 200
"""Characters of a prefix."""

Source = tuple[tuple[str, ...], tuple[int, ...]]
"""The jobs and the ranks in a prefix, which may be several, one inside the other."""


def read_lines(path: str | Path) -> list[str]:
    """The lines of a log file; PowerShell writes UTF-16.  DataError if it cannot be read."""
    try:
        return of_one_rank(read_bytes(path).decode(errors="replace").splitlines())
    except OSError as error:
        raise DataError(f"{path}: {error.strerror}") from None


def of_one_rank(lines: Sequence[str]) -> list[str]:
    """Lines without prefix; and of each job, those of one rank, without their prefix.

    That is its lowest rank that tells of the training.
    """
    split = [split_off(line) for line in lines]
    trains: dict[Source, bool] = {}
    for source, line in split:
        if source is not None:
            trains[source] = trains.get(source, False) or bool(TRAINING.search(line))
    chosen: dict[tuple[str, ...], Source] = {}
    for source in sorted(trains, key=lambda source: (not trains[source], source[1])):
        chosen.setdefault(source[0], source)
    return [line for source, line in split if source is None or chosen[source[0]] == source]


def split_off(line: str) -> tuple[Source | None, str]:
    """The source that a line's prefix names, and the line without the prefix.

    No source for lines that have no known prefix before a time.
    """
    stamp = STAMP.search(line)
    if stamp is None or not 0 < stamp.start() <= LONGEST:
        return None, line
    at = 0
    jobs: list[str] = []
    ranks: list[int] = []
    while at < stamp.start():
        matches = (prefix.match(line, at, stamp.start()) for prefix in PREFIXES)
        match = next(filter(None, matches), None)
        if match is None:
            return None, line
        groups = match.groupdict()
        at = match.end()
        jobs.append(groups.get("job") or "")
        ranks.append(int(groups.get("rank") or 0))
    return (tuple(jobs), tuple(ranks)), line[at:]
