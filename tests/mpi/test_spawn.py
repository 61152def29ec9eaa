"""``caffe train -ranks 2``: the program starts its own ranks, without MPI."""

from __future__ import annotations

import os
import signal
import socket
import sys
import time
from pathlib import Path

import pytest

from caffepy.parallel.failure.processes import launched
from tests.mpi.jobs import database, same_but_rounding, smooth_net, solver, train
from tests.mpi.launch import finish, start

pytestmark = pytest.mark.mpi


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database, a net, a training that would take minutes, and ``alone``, what one process makes of the batch of two ranks."""
    long = solver("long", more="max_iter: 100000 display: 1 test_interval: 100000")
    alone = solver("alone", net="whole.prototxt")
    folder = database(tmp_path_factory, "spawn", net=smooth_net(8), whole=smooth_net(16), long=long, alone=alone)
    assert train(folder, "-solver", "alone.prototxt").code == 0
    return folder


def _started(folder: Path) -> tuple[object, list[int]]:
    """A long training of two ranks that has come to its first iterations, and the processes of its ranks."""
    command = [sys.executable, "-m", "caffepy.cli.main", "caffe", "train", "-solver", "long.prototxt", "-ranks", "2"]
    job = start(command, cwd=folder)
    assert job.stderr is not None
    deadline = time.monotonic() + 60
    for line in job.stderr:
        if "Iteration 3 (" in line:
            break
        assert time.monotonic() < deadline
    ranks = launched(job.pid, "RANK")
    return job, [ranks[0], ranks[1]]


def _ended(pids: list[int], limit_s: float = 15.0) -> bool:
    deadline = time.monotonic() + limit_s
    while any(Path(f"/proc/{pid}").exists() for pid in pids):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.2)
    return True


def test_two_ranks_are_one_process(folder: Path) -> None:
    (folder / "two.prototxt").write_text(solver("not_two"))
    job = train(folder, "-solver", "two.prototxt", "-ranks", "2", "-set", "snapshot_prefix=two")
    assert job.code == 0, job.err
    assert job.err.count("-set snapshot_prefix=two (in place of ") == 1
    assert "2 ranks on 1 host(s), torch.distributed" in job.err
    same_but_rounding(folder, "alone", "two")


def test_clients_as_pmls_caffe_starts_them(folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    (folder / "hosts").write_text(f"0 127.0.0.1 {port}\n1 127.0.0.1 {port + 1}\n")
    (folder / "clients.prototxt").write_text(solver("clients"))
    words = ["--hostfile=hosts", "--num_clients=2", "--table_staleness=0", "--consistency_model=SSPPush", "--num_table_threads=2"]
    command = [sys.executable, "-m", "caffepy.cli.main", "caffe", "train", "--solver=clients.prototxt", *words]
    other = start([*command, "--client_id=1"], cwd=folder)
    job = finish(start([*command, "--client_id=0", "--net_outputs=clients"], cwd=folder), limit_s=60)
    assert finish(other, limit_s=30).code == job.code == 0, job.err
    assert "-num_table_threads 2 is ignored: " in job.err
    assert "exchange ps" in job.err
    same_but_rounding(folder, "alone", "clients")
    assert (folder / "clients.netoutputs").read_text().startswith("Iteration,time,loss,")


def test_an_interrupt_stops_all_with_one_snapshot(folder: Path) -> None:
    job, ranks = _started(folder)
    job.send_signal(signal.SIGINT)
    ended = finish(job, limit_s=30)
    assert ended.code == 0, ended.err
    assert ended.err.count("Snapshotting to binary proto file") == 1
    assert "Optimization stopped early." in ended.err
    assert ended.err.count("interrupt: stopping after this iteration and a snapshot") == 1
    assert _ended(ranks)


def test_a_rank_that_dies_ends_the_other(folder: Path) -> None:
    job, ranks = _started(folder)
    os.kill(ranks[1], signal.SIGKILL)
    ended = finish(job, limit_s=30)
    assert ended.code != 0
    (message,) = ended.fatal()
    assert message.startswith("rank 1 on ")
    assert "died; the job ends" in message
    assert _ended(ranks)


def test_ranks_do_not_outlive_the_process_that_started_them(folder: Path) -> None:
    job, ranks = _started(folder)
    job.kill()
    assert _ended(ranks)
    job.communicate()


def test_ranks_beside_a_launcher_are_refused(folder: Path) -> None:
    job = train(folder, "-solver", "two.prototxt", "-ranks", "3", ranks=2)
    assert job.code != 0
    assert "-ranks 3: mpich started 2; leave -ranks out, or the launcher" in job.err or "openmpi started 2" in job.err
