"""The first act of a rank: from then on the monitor sees who is lost, and who is lost first."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from caffepy.parallel.failure import processes
from caffepy.parallel.failure.early_monitor import rank_from
from caffepy.parallel.launch.environment import detect
from caffepy.parallel.launch.variables import STARTED_BY

pytestmark = pytest.mark.skipif(not processes.ON_LINUX, reason="there is no /proc")
ROOT = Path(__file__).resolve().parents[3]
FIRST_ACT = """
import sys
from caffepy.parallel.failure.early_monitor import start_early
start_early(["/usr/bin/caffe", "train"], __import__("os").environ)
"""
SLEEP = "import time; time.sleep(60)"
JOINS = """
import os, time
from caffepy.parallel.launch.environment import detect
from caffepy.parallel.failure.local_monitor import find_local_monitor
local = find_local_monitor(detect(os.environ, "vm"), 30.0)
local.ask("join", "ok")
time.sleep(60)
"""
Start = Callable[[int, str], "subprocess.Popen[bytes]"]
PLACES = [
    {"PMI_RANK": "1", "PMI_SIZE": "3", "MPI_LOCALNRANKS": "2", "MPI_LOCALRANKID": "0"},
    {"PMI_RANK": "1", "PMI_SIZE": "3"},
    {"OMPI_COMM_WORLD_RANK": "0", "OMPI_COMM_WORLD_SIZE": "2", "OMPI_COMM_WORLD_LOCAL_SIZE": "2", "OMPI_COMM_WORLD_LOCAL_RANK": "0"},
    {"OMPI_COMM_WORLD_RANK": "0", "OMPI_COMM_WORLD_SIZE": "2", "PMI_RANK": "1", "PMI_SIZE": "3"},
    {"MV2_COMM_WORLD_RANK": "0", "MV2_COMM_WORLD_SIZE": "2"},
    {"MVP_COMM_WORLD_RANK": "0", "MVP_COMM_WORLD_SIZE": "2"},
    {"RANK": "4", "WORLD_SIZE": "8", "LOCAL_WORLD_SIZE": "4", "LOCAL_RANK": "0", "MASTER_ADDR": "host"},
]


@pytest.mark.parametrize("environ", PLACES)
def test_the_place_is_the_one_that_is_found_later(environ: dict[str, str]) -> None:
    launch = detect(environ, "vm")
    assert rank_from(environ) == (launch.variable, launch.rank, launch.size, launch.local_size or 0)


@pytest.mark.parametrize(
    "environ",
    [
        {},
        {"RANK": "0", "WORLD_SIZE": "2"},
        {"RANK": "0", "WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", STARTED_BY: "-ranks"},
        {"PMI_RANK": "0", "PMI_SIZE": "1"},
        {"PMI_RANK": "0"},
        {"PMI_RANK": "2", "PMI_SIZE": "2"},
        {"PMI_RANK": "x", "PMI_SIZE": "2"},
        {"PMI_RANK": "0", "PMI_SIZE": "9" * 5000},
    ],
)
def test_what_is_no_job_or_makes_no_sense_is_left_to_others(environ: dict[str, str]) -> None:
    assert rank_from(environ) is None


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts a rank of two, as MPICH's launcher would; what it says, and its monitor, goes to ``said``."""
    started: list[subprocess.Popen[bytes]] = []

    def begin(rank: int, program: str) -> subprocess.Popen[bytes]:
        place = {"PMI_RANK": str(rank), "PMI_SIZE": "2", "MPI_LOCALNRANKS": "2", "MPI_LOCALRANKID": str(rank)}
        with (tmp_path / "said").open("ab") as out:
            started.append(
                subprocess.Popen([sys.executable, "-c", program], env={**os.environ, "PYTHONPATH": str(ROOT), **place}, stderr=out)
            )
        _until(lambda: processes.variable(started[-1].pid, "PMI_RANK") == str(rank))
        return started[-1]

    yield begin
    for process in started:
        process.kill()
        process.wait()
    _until(lambda: not _monitors())


def _until(holds: Callable[[], object], limit_s: float = 30.0) -> None:
    deadline = time.monotonic() + limit_s
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def _monitors() -> list[int]:
    """Programs that judge the ranks which this process has started."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if any(b"caffepy.parallel.failure.monitor_process" in word for word in words) and str(os.getpid()).encode() in words:
            found.append(int(entry.name))
    return found


def _fatal(tmp_path: Path) -> list[str]:
    return [line.split("] ", 1)[1] for line in (tmp_path / "said").read_text().splitlines() if line.startswith("F")]


def test_the_first_that_is_lost_is_named_though_all_are_gone_at_once(tmp_path: Path, start: Start) -> None:
    victim, other = start(1, SLEEP), start(0, FIRST_ACT + SLEEP)
    _until(_monitors)
    for process in (victim, other):  # as a launcher does, within milliseconds
        process.kill()
        process.wait()
    _until(lambda: not _monitors())
    (message,) = _fatal(tmp_path)
    assert re.fullmatch(
        rf"rank 1 on \S+ \(pid {victim.pid}, last seen at the start\) ended before it joined the others; the job ends", message
    )


def test_ranks_that_end_by_themselves_before_they_join_are_silent(tmp_path: Path, start: Start) -> None:
    """All meet one mistake, and each says so."""
    ranks = [start(rank, FIRST_ACT) for rank in range(2)]
    assert [process.wait(30) for process in ranks] == [0, 0]
    _until(lambda: not _monitors())
    assert (tmp_path / "said").read_text() == ""


def test_one_that_ends_by_itself_leaves_no_other_waiting(tmp_path: Path, start: Start) -> None:
    leaving, joined = start(0, FIRST_ACT), start(1, JOINS)
    assert leaving.wait(30) == 0
    assert joined.wait(30) != 0
    (message,) = _fatal(tmp_path)
    assert re.match(r"rank 0 on \S+ (\(pid .*\) )?ended before", message)
    assert (tmp_path / "said").read_text().count("\n") == 1
