"""A signal that reaches one rank is acted upon by all, at one iteration."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.mpi.jobs import database, quick_net, solver
from tests.mpi.launch import finish, start, under_mpirun
from tests.warm.start import python

pytestmark = pytest.mark.mpi


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A training that would take minutes."""
    long = solver("long", more="max_iter: 100000 display: 1 test_interval: 100000 test_initialization: false")
    return database(tmp_path_factory, "signals", net=quick_net(8), long=long)


def _training(folder: Path, *words: str, warm: bool = True) -> tuple[subprocess.Popen[str], int]:
    """A job of two ranks, at work, and the process of rank 1; ``warm``: see `tests.warm`, for jobs that do not end by an error."""
    command = [*python(warm=warm), "-m", "caffepy.cli.main", "caffe", "train", "-solver", "long.prototxt", *words]
    job = start([*under_mpirun(2), *command], cwd=folder)
    _read_until(job, "Iteration 3 (")
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if (entry / "cwd").resolve() == folder.resolve() and any(
                word in (entry / "environ").read_bytes().split(b"\0") for word in (b"PMI_RANK=1", b"OMPI_COMM_WORLD_RANK=1")
            ):
                return job, int(entry.name)
        except OSError:
            continue
    raise AssertionError("rank 1 is nowhere")


def _read_until(job: subprocess.Popen[str], text: str) -> None:
    assert job.stderr is not None
    for line in job.stderr:
        if text in line:
            return
    raise AssertionError(f"the job ended before it said '{text}'")


@pytest.mark.parametrize("words", [(), ("-exchange=ps", "-table_staleness=2")], ids=["", "ranks that drift apart"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_end(folder: Path, number: signal.Signals, words: tuple[str, ...]) -> None:
    job, rank1 = _training(folder, *words)
    os.kill(rank1, number)
    ended = finish(job, limit_s=30)
    assert ended.code == 0, ended.err
    assert ended.err.count("Snapshotting to binary proto file") == 1
    assert "Optimization stopped early." in ended.err


def test_a_snapshot_and_on(folder: Path) -> None:
    job, rank1 = _training(folder)
    os.kill(rank1, signal.SIGHUP)
    _read_until(job, "Snapshotting to binary proto file")
    _read_until(job, "Iteration ")
    os.kill(rank1, signal.SIGINT)
    assert finish(job, limit_s=30).code == 0


def test_an_interrupt_of_the_launcher(folder: Path) -> None:
    job, _ = _training(folder)
    job.send_signal(signal.SIGINT)
    ended = finish(job, limit_s=30)
    assert "Optimization stopped early." in ended.err


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_a_rank_that_is_lost_in_training(folder: Path, number: signal.Signals) -> None:
    job, rank1 = _training(folder, warm=False)
    began = time.monotonic()
    os.kill(rank1, number)
    try:
        ended = finish(job, limit_s=30)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(rank1, signal.SIGKILL)
    assert time.monotonic() - began < 15
    assert ended.code != 0
    (message,) = ended.fatal()
    assert re.match(
        r"rank 1 on \S+ \(pid \d+, last seen at (iteration \d+|the start)(, [^)]*)?\) (died|gave no sign of life for 10 s)", message
    )
    assert not list(folder.glob("*tmp*"))
