"""Ranks whose parameters part in the middle of a training: found within seconds, and where they have not parted nothing changes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.mpi.jobs import database, quick_net, solver, train, weights
from tests.mpi.launch import finish, run_ranks, start, under_mpirun
from tests.warm.start import python

pytestmark = pytest.mark.mpi

WAYS: dict[str, dict[str, object]] = {
    "allreduce": {},
    "lazy": {"lazy_update": True},
    "tree": {"exchange": "tree"},
    "ps": {"exchange": "ps"},
    "factors": {"exchange": "hierarchical", "svb": "on"},
}
ITERATIONS = 5
BODY = f"""
import torch
from caffepy.parallel.job.sharing import Sharing
from caffepy.solver.loop import ranks
from caffepy.solver.solver import Solver
torch.set_num_threads(1)
log.configure(min_level=log.FATAL)

def trained(seconds, share, **sharing):
    ranks.COMPARE_S, ranks.COMPARE_SHARE = seconds, share
    solver = Solver.from_file("short.prototxt", communicator=c, sharing=Sharing(**sharing))
    calls = c.traffic.calls["object"]
    solver.step({ITERATIONS})
    solver.close()
    return c.traffic.calls["object"] - calls, [tensor.detach().clone() for tensor in solver.train_engine.arena.learnable]

found = {{}}
for name, sharing in {WAYS!r}.items():
    none, once = trained(1000.0, 0.01, **sharing)
    many, often = trained(0.0, 1e9, **sharing)
    found[name] = many - none, all(torch.equal(a, b) for a, b in zip(once, often))
say(found)
"""
NORMALISED = """
layer { name: "bvlc" type: "BatchNorm" bottom: "conv1" top: "conv1" }
layer { name: "pspnet" type: "BN" bottom: "conv1" top: "conv1" bn_param { slope_filler { type: "constant" value: 1 } } }
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A net with running statistics, which are each rank's own, and a training that would take hours."""
    head, tail = quick_net(4).split('layer {\n  name: "pool1"')
    more = "test_interval: 100000 test_initialization: false display: 0"
    return database(
        tmp_path_factory,
        "divergence",
        net=f'{head}{NORMALISED}layer {{\n  name: "pool1"{tail}',
        long=solver("long", more=f"{more} max_iter: 100000"),
        short=solver("short", more=more),
        averaged=solver("averaged", more="max_iter: 4 test_interval: 2"),
    )


@pytest.mark.parametrize(("exchange", "rank"), [("allreduce", 0), ("hierarchical", 2)])
def test_a_rank_with_another_bit(folder: Path, exchange: str, rank: int) -> None:
    words = [str(rank), "damage", "0", "train", "-solver", "long.prototxt", "-exchange", exchange]
    job = finish(start([*under_mpirun(3), *python(), "-m", "tests.mpi.faulty", *words], cwd=folder), limit_s=60)
    assert job.code != 0
    (message,) = job.fatal()
    where = rf"the ranks differ at iteration \d+: rank {rank} on \S+: parameter 0 of layer 'ip2' hashes to \w+, elsewhere to \w+; "
    assert re.match(rf"rank 0 on \S+: {where}", message), message
    assert "Traceback" not in job.err


def test_running_statistics_are_averaged_before_a_test_and_a_snapshot(folder: Path) -> None:
    job = train(folder, "-solver", "averaged.prototxt", ranks=2)
    assert job.code == 0, job.err
    found = weights(folder / "averaged_iter_4.caffemodel")
    assert found["bvlc[0]"].any()
    assert found["pspnet[2]"].any()


def test_comparing_changes_nothing(folder: Path) -> None:
    for found in run_ranks(2, BODY, limit_s=100, cwd=folder).results():
        assert found == {name: [ITERATIONS, True] for name in WAYS}
