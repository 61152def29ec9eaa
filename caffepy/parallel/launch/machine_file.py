"""Files that name the machines of a job, and the command that starts ranks on them.

They have the format of a launcher, or PMLS-Caffe's.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from caffepy.errors import ParallelError

FORMATS = "'host', 'host:count' (MPICH), 'host slots=count' (Open MPI) or 'id ip port' (PMLS-Caffe)"


@dataclass(frozen=True)
class Machine:
    """``count``: ranks that it takes."""

    host: str
    count: int


def read_machines(path: str | Path) -> list[Machine]:
    """The machines of a file, in its order.  A host on several lines takes the sum.

    A line is one of

        host
        host:count
        host slots=count    max_slots may follow, and is left to the launcher
        id ip port          one rank; ids from 0 in order, ports unused

    and ``#`` begins a comment.
    Errors: ParallelError naming file and line.
    """
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise ParallelError(f"{path}: cannot read the machine file: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise ParallelError(
            f"{path}: cannot read the machine file: byte {error.start} is no text; "
            "needed: a line for each machine"
        ) from None
    counts: dict[str, int] = {}
    formats: set[bool] = set()
    clients = 0
    for number, line in enumerate(lines, 1):
        words = re.sub(r"\s*=\s*", "=", line.partition("#")[0]).split()
        if not words:
            continue
        where = f"{path}:{number}: '{line.strip()}'"
        is_numbered = len(words) == 3 and not any("=" in word for word in words)
        formats.add(is_numbered)
        if len(formats) > 1:
            raise ParallelError(
                f"{where}: the lines before it have another format; needed: one in all lines"
            )
        try:
            host, count = _client(words, clients) if is_numbered else _slots(words)
        except ValueError as error:
            raise ParallelError(f"{where}: {error}; needed: {FORMATS}") from None
        clients += 1
        counts[host] = counts.get(host, 0) + count
    if not counts:
        raise ParallelError(f"{path}: names no machine; needed: a line for each: {FORMATS}")
    return [Machine(host, count) for host, count in counts.items()]


def client_places(path: str | Path) -> list[tuple[str, str]]:
    """Address and port of every client in a file of PMLS-Caffe, by id.

    Errors: ParallelError for a file of another format.
    """
    read_machines(path)
    places = []
    for line in Path(path).read_text(encoding="utf-8").splitlines():
        words = line.partition("#")[0].split()
        if len(words) == 3 and words[0].isdecimal():
            places.append((words[1], words[2]))
    if not places:
        raise ParallelError(
            f"{path}: says nothing of ports; needed: lines of 'id ip port', as of PMLS-Caffe"
        )
    return places


def host_list(machines: Sequence[Machine]) -> str:
    """``a:2,b:4``: how both Open MPI's ``--host`` and MPICH's ``-hosts`` take them."""
    return ",".join(f"{machine.host}:{machine.count}" for machine in machines)


def mpirun_words(mpirun: str, machines: Sequence[Machine], *, is_administrator: bool) -> list[str]:
    """The beginning of a command that starts a rank in each place of ``machines``.

    Errors: ParallelError if ``mpirun`` cannot be run.
    """
    try:
        version = subprocess.run(
            [mpirun, "--version"], capture_output=True, text=True, check=False, timeout=30
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        reason = getattr(error, "strerror", None) or error
        raise ParallelError(
            f"{mpirun}: cannot run it: {reason}; needed: an MPI launcher on PATH"
        ) from None
    text = version.stdout + version.stderr
    is_open_mpi = re.search(r"open.?mpi|open.?rte|prrte", text, re.IGNORECASE) is not None
    words = [mpirun, "-n", str(sum(machine.count for machine in machines))]
    if is_open_mpi and is_administrator:
        words.append("--allow-run-as-root")
    return [*words, "--host" if is_open_mpi else "-hosts", host_list(machines)]


def _slots(words: Sequence[str]) -> tuple[str, int]:
    """Host and count of a launcher's line.  ValueError saying what is wrong."""
    host, colon, text = words[0].partition(":")
    count = _count(text) if colon else None
    for word in words[1:]:
        key, _, value = word.partition("=")
        if key in ("slots", "cpu") and count is None:
            count = _count(value)
        elif key not in ("max_slots", "max-slots"):
            raise ValueError(f"'{word}' is unknown here")
    return _host(host), count or 1


def _client(words: Sequence[str], place: int) -> tuple[str, int]:
    """Host and count of PMLS-Caffe's line.  ValueError saying what is wrong."""
    number, host, port = words
    if number != str(place):
        raise ValueError(f"id {number}, where {place} comes next")
    if not port.isdecimal() or len(port) > 9 or not 0 < int(port) < 65536:
        raise ValueError(f"'{port}' is no port")
    return _host(host), 1


def _host(name: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9]([\w.-]*[A-Za-z0-9])?", name):
        raise ValueError(f"'{name}' is no name of a host")
    return name


def _count(text: str) -> int:
    if not text.isdecimal() or len(text) > 9 or not int(text):
        raise ValueError(f"'{text}' is no number of ranks")
    return int(text)
