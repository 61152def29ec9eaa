"""Files that name the machines of a job, as the launchers and PMLS-Caffe write them, and the command that starts ranks there."""

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
    """The machines of a file, in its order; a host on several lines takes the sum.  ``#`` begins a comment.

    A line is ``host``, ``host:count``, ``host slots=count`` (``max_slots`` is left to the launcher), or ``id ip port``: one rank, ids
    from 0 in order, ports unused.
    Errors: ParallelError naming file and line.
    """
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else f"byte {error.start} is no text; needed: a line for each machine"
        raise ParallelError(f"{path}: cannot read the machine file: {reason}") from None
    counts: dict[str, int] = {}
    kinds: set[bool] = set()
    clients = 0
    for number, line in enumerate(lines, 1):
        words = re.sub(r"\s*=\s*", "=", line.partition("#")[0]).split()
        if not words:
            continue
        numbered = len(words) == 3 and not any("=" in word for word in words)
        kinds.add(numbered)
        if len(kinds) > 1:
            raise ParallelError(f"{path}:{number}: '{line.strip()}': the lines before it have another format; needed: one in all lines")
        try:
            host, count = _client(words, clients) if numbered else _slots(words)
        except ValueError as error:
            raise ParallelError(f"{path}:{number}: '{line.strip()}': {error}; needed: {FORMATS}") from None
        clients += 1
        counts[host] = counts.get(host, 0) + count
    if not counts:
        raise ParallelError(f"{path}: names no machine; needed: a line for each: {FORMATS}")
    return [Machine(host, count) for host, count in counts.items()]


def client_places(path: str | Path) -> list[tuple[str, str]]:
    """Address and port of every client in a file of PMLS-Caffe, by id.  ParallelError if it is none."""
    read_machines(path)
    lines = [line.partition("#")[0].split() for line in Path(path).read_text(encoding="utf-8").splitlines()]
    places = [(words[1], words[2]) for words in lines if len(words) == 3 and words[0].isdecimal()]
    if not places:
        raise ParallelError(f"{path}: says nothing of ports; needed: lines of 'id ip port', as of PMLS-Caffe")
    return places


def host_list(machines: Sequence[Machine]) -> str:
    """``a:2,b:4``: how both Open MPI's ``--host`` and MPICH's ``-hosts`` take them."""
    return ",".join(f"{machine.host}:{machine.count}" for machine in machines)


def mpirun_words(mpirun: str, machines: Sequence[Machine], *, is_administrator: bool) -> list[str]:
    """The beginning of a command that starts a rank in each place of ``machines``.

    Errors: ParallelError if ``mpirun`` cannot be run.
    """
    try:
        said = subprocess.run([mpirun, "--version"], capture_output=True, text=True, check=False, timeout=30)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ParallelError(
            f"{mpirun}: cannot run it: {getattr(error, 'strerror', None) or error}; needed: an MPI launcher on PATH"
        ) from None
    open_mpi = re.search(r"open.?mpi|open.?rte|prrte", said.stdout + said.stderr, re.IGNORECASE) is not None
    words = [mpirun, "-n", str(sum(machine.count for machine in machines))]
    if open_mpi and is_administrator:
        words.append("--allow-run-as-root")
    return [*words, "--host" if open_mpi else "-hosts", host_list(machines)]


def _slots(words: Sequence[str]) -> tuple[str, int]:
    """Of a line that is no PMLS-Caffe's.  ValueError saying what is wrong."""
    host, colon, count = words[0].partition(":")
    found = [_count(count)] if colon else []
    for word in words[1:]:
        key, _, value = word.partition("=")
        if key in ("slots", "cpu") and not found:
            found.append(_count(value))
        elif key not in ("max_slots", "max-slots"):
            raise ValueError(f"'{word}' is unknown here")
    return _host(host), (found or [1])[0]


def _client(words: Sequence[str], place: int) -> tuple[str, int]:
    """Of PMLS-Caffe's.  ValueError saying what is wrong."""
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
