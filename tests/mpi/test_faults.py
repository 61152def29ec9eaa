"""A rank is killed, stopped, held up or interrupted at the start, in backward, in a test, in a snapshot: see `tests.mpi.faulty`.

The job ends in time, one message says which rank it was and where, and the last snapshot is whole.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
from pathlib import Path

import pytest

from tests.mpi.jobs import database, quick_net, solver, train, weights
from tests.mpi.launch import Finished, finish, start, under_mpirun
from tests.warm.start import python

pytestmark = pytest.mark.mpi

TIMEOUT_S = 3.0
BOUND_S = 10.0
"""From the fault to the end, over ``TIMEOUT_S``: also on a machine that is busy with other things."""
PLACES = {
    "start": r"the start",
    "backward": r"iteration 12, backward of layer 'conv2'",
    "test": r"iteration 10, test net \(#0\), batch \d+, forward of layer '\w+'",
    "snapshot": r"iteration \d+.*",
}
CASES = [
    ("start", "tree", 0, signal.SIGKILL),
    ("start", "allreduce", 1, signal.SIGSTOP),
    ("backward", "ps", 0, signal.SIGSTOP),
    ("backward", "hierarchical", 1, signal.SIGKILL),
    ("test", "rma_tree", 1, signal.SIGKILL),
    ("test", "allreduce", 0, signal.SIGSTOP),
    ("snapshot", "allreduce", 0, signal.SIGKILL),
    ("snapshot", "tree", 1, signal.SIGSTOP),
    ("backward", "tree", 1, 0),
    ("start", "rma_tree", 1, 0),
    ("snapshot", "hierarchical", 0, 0),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A training with tests and snapshots."""
    return database(tmp_path_factory, "faults", net=quick_net(4))


def run(folder: Path, place: str, exchange: str, rank: int, number: int, *, warm: bool = False) -> tuple[str, Finished]:
    """The prefix of its snapshots, and how the job ended; a stopped rank is ended in any case.

    ``warm``: see `tests.warm`, for jobs that do not end by an error.
    """
    prefix = f"{place}_{exchange}_{rank}_{number}"
    (folder / f"{prefix}.prototxt").write_text(solver(prefix, more="test_iter: 8 test_initialization: false snapshot: 5"))
    words = ["-solver", f"{prefix}.prototxt", "-exchange", exchange, "-rank_timeout", str(TIMEOUT_S)]
    return prefix, start_faulty(folder, rank, place, number, "train", *words, warm=warm)


def start_faulty(folder: Path, rank: int, place: str, number: int, *words: str, ranks: int = 2, warm: bool = False) -> Finished:
    """How the command of these words ended."""
    mark = f"{folder} {rank} {place} {words}"
    program = [*python(warm=warm), "-m", "tests.mpi.faulty", str(rank), place, str(int(number)), *words]
    job = start([*under_mpirun(ranks), *program], cwd=folder, JOB_MARK=mark)
    try:
        return finish(job, limit_s=60)
    finally:
        end_stopped(mark)


def end_stopped(mark: str) -> None:
    """Kill what is left of the job."""
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if f"JOB_MARK={mark}\0".encode() in (entry / "environ").read_bytes():
                os.kill(int(entry.name), signal.SIGKILL)


@pytest.mark.parametrize(("place", "exchange", "rank", "number"), CASES)
def test_a_rank_is_lost(folder: Path, place: str, exchange: str, rank: int, number: int) -> None:
    prefix, job = run(folder, place, exchange, rank, number)
    assert job.code != 0
    (message,) = job.fatal()
    what = {signal.SIGKILL: "died", signal.SIGSTOP: "gave no sign of life for 3 s", 0: r"stands still for [34] s there"}[number]
    assert re.match(rf"rank {rank} on \S+ \(pid \d+, last seen at {PLACES[place]}\) {what}", message), message
    check_files(folder, prefix)


def check_files(folder: Path, prefix: str) -> None:
    """Every file that bears a snapshot's name is whole, and training goes on from the last."""
    for model in folder.glob(f"{prefix}_iter_*.caffemodel"):
        assert len(weights(model)) == 10
    states = sorted(folder.glob(f"{prefix}_iter_*.solverstate"), key=lambda path: int(re.findall(r"\d+", path.name)[-1]))
    if not prefix.startswith("start"):
        job = train(folder, "-solver", f"{prefix}.prototxt", "-snapshot", states[-1].name)
        assert job.code == 0, job.err
        assert (folder / f"{prefix}_iter_20.caffemodel").exists()


@pytest.mark.parametrize(("number", "rank"), [(signal.SIGINT, 1), (signal.SIGTERM, 0)])
def test_a_signal_before_the_training(folder: Path, number: int, rank: int) -> None:
    """Nothing is there to be saved: the job ends, and one message says why."""
    _, job = run(folder, "start", "allreduce", rank, number)
    assert job.code != 0
    (message,) = job.fatal()
    assert re.match(rf"rank {rank} on \S+(: interrupted| \(pid \d+, last seen at the start\) died)", message), message


@pytest.mark.parametrize(
    ("place", "exchange", "rank", "number"),
    [("backward", "rma_tree", 1, signal.SIGTERM), ("test", "hierarchical", 1, signal.SIGINT), ("snapshot", "ps", 1, signal.SIGINT)],
)
def test_a_signal_that_ends_the_training(folder: Path, place: str, exchange: str, rank: int, number: int) -> None:
    prefix, job = run(folder, place, exchange, rank, number, warm=True)
    assert job.code == 0, job.err
    assert "Optimization stopped early." in job.err
    check_files(folder, prefix)


def test_a_signal_for_a_snapshot(folder: Path) -> None:
    prefix, job = run(folder, "backward", "tree", 1, signal.SIGHUP, warm=True)
    assert job.code == 0, job.err
    assert len(weights(folder / f"{prefix}_iter_13.caffemodel")) == 10
    assert "Optimization Done." in job.err


@pytest.fixture(scope="module")
def begun(folder: Path) -> str:
    """Weights."""
    (folder / "begun.prototxt").write_text(solver("begun", more="max_iter: 0"))
    assert train(folder, "-solver", "begun.prototxt").code == 0
    return "begun_iter_0.caffemodel"


@pytest.mark.parametrize(("rank", "number"), [(1, signal.SIGKILL), (0, 0), (1, signal.SIGINT)])
def test_a_rank_of_the_test_command(folder: Path, begun: str, rank: int, number: int) -> None:
    words = ["test", "-model", "net.prototxt", "-weights", begun, "-iterations", "9"]
    job = start_faulty(folder, rank, "test", number, *words, ranks=3)
    assert job.code != 0
    (message,) = job.fatal()
    what = {signal.SIGKILL: "died", 0: "stands still for 10 s there"}.get(number)
    where = rf" \(pid \d+, last seen at batch {rank + 3}, forward of layer '\w+'\) {what}" if what else ": interrupted"
    assert re.match(rf"rank {rank} on \S+{where}", message), message
