"""Every way that gradients take ends at the weights of one process with the union of the batches: real nets, real ranks.

A job trains one case in every way, one after the other, and beside them on rank 0 alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from caffepy.parallel.exchange.core.registry import EXCHANGES
from caffepy.report.training_log import parse
from tests.mpi.jobs import ROUNDING, database, smooth_net, solver, train, worst_difference
from tests.mpi.launch import run_ranks

pytestmark = [pytest.mark.mpi, pytest.mark.timeout(240)]

BATCH = 12
SIZE = 16
"""Of a picture: half of CIFAR-10's, which takes less than half of the time and leaves every layer of the net at work."""
SHARED = """
layer { name: "twin1" type: "InnerProduct" bottom: "ip1" top: "twin1" param { name: "w" } param { name: "b" }
  inner_product_param { num_output: 64 weight_filler { type: "xavier" } } }
layer { name: "twin2" type: "InnerProduct" bottom: "twin1" top: "ip1b" param { name: "w" } param { name: "b" }
  inner_product_param { num_output: 64 weight_filler { type: "xavier" } } }
"""
BODY = """
import torch
from caffepy.parallel.launch.environment import Launch
from caffepy.parallel.job.sharing import Sharing
from caffepy.parallel.transport.single import Single
from caffepy.solver.solver import Solver
torch.set_num_threads(1)
log.configure(min_level=log.FATAL)

def weights(path, communicator, **options):
    solver = Solver.from_file(path, communicator=communicator, **options)
    try:
        solver.solve()
    finally:
        solver.close()
    return [tensor.detach().clone() for tensor in solver.train_engine.arena.learnable]

ways = {ways!r}
alone = weights("{case}1.prototxt", Single(Launch("single", 0, 1, 0, 1, ""))) if c.is_root else None
found = {{}}
for name, fields in ways.items():
    trained = weights(f"{case}{{c.size}}.prototxt", c, sharing=Sharing(**fields), **{options})
    if c.is_root:
        found[name] = max(float((a - b).abs().max() / a.abs().max()) for a, b in zip(alone, trained))
say(found)
"""


def _same(net: str) -> str:
    return net


def _frozen(net: str) -> str:
    """The first layer does not learn."""
    return net.replace("param { lr_mult: 1 }", "param { lr_mult: 0 }", 1)


def _shared(net: str) -> str:
    """Two layers with the same weights between ip1 and ip2."""
    head, tail = net.split('layer {\n  name: "ip2"')
    return f'{head}{SHARED}layer {{\n  name: "ip2"{tail.replace(chr(34) + "ip1" + chr(34), chr(34) + "ip1b" + chr(34), 1)}'


def _ignoring(net: str) -> str:
    """Labels of one class do not count: unequal numbers on the ranks."""
    return net.replace('type: "SoftmaxWithLoss"', 'type: "SoftmaxWithLoss" loss_param { ignore_label: 0 }')


CASES: dict[str, tuple[Callable[[str], str], str]] = {
    "plain": (_same, ""),
    "clipped": (_same, "clip_gradients: 0.5"),
    "passes": (_same, "iter_size: 2"),
    "frozen": (_frozen, ""),
    "ignoring": (_ignoring, ""),
    "shared": (_shared, "base_lr: 0.02"),
    "adam": (_same, 'type: "Adam" base_lr: 0.001 delta: 1e-3'),
    "nesterov": (_same, 'type: "Nesterov"'),
}
WAYS: dict[str, dict[str, object]] = {name: {"exchange": name} for name in sorted(set(EXCHANGES) - {"null"})} | {
    "lazy": {"lazy_update": True},
    "factors": {"exchange": "hierarchical", "svb": "on"},
    "lazy_factors": {"svb": "on", "lazy_update": True},
    "one_server": {"exchange": "ps", "n_server": 1},
}
GROUPS: dict[str, dict[str, object]] = {
    "groups": {"n_group": 2, "table_staleness": 0},
    "groups_one_server": {"n_group": 2, "table_staleness": 0, "n_server": 1},
}
"""Of 4 ranks."""
BESIDE = {f"factors_{name}": {"exchange": name, "svb": "on"} for name in ("tree", "rma_tree", "ps")}


@pytest.fixture(scope="module")
def differences(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., dict[str, float]]:
    """(case, ranks, engine) → way → the largest difference of a weight to one process's, relative to the largest of its blob."""
    folder = database(tmp_path_factory, "exchanges", size=SIZE)

    @cache
    def run(case: str, ranks: int = 2, engine: str = "auto") -> dict[str, float]:
        change, more = CASES[case]
        for count in (1, ranks):
            (folder / f"{case}{count}_net.prototxt").write_text(change(smooth_net(BATCH // count)))
            fields = f"{more} max_iter: 8 stepsize: 6 test_interval: 5 snapshot_after_train: false"
            (folder / f"{case}{count}.prototxt").write_text(solver(case, net=f"{case}{count}_net.prototxt", more=fields))
        ways = dict(WAYS) if ranks < 4 or case == "plain" else {}
        ways |= GROUPS if ranks == 4 else {}
        ways |= BESIDE if (case, ranks, engine) == ("plain", 2, "auto") else {}
        job = run_ranks(ranks, BODY.format(ways=ways, case=case, options={"engine": engine}), cwd=folder, limit_s=200)
        assert job.code == 0, job.err
        found: dict[str, float] = job.results()[0]
        return found

    return run


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("case", CASES)
def test_two_ranks_are_one_process(differences: Callable[..., dict[str, float]], way: str, case: str) -> None:
    assert differences(case)[way] < ROUNDING


@pytest.mark.parametrize("way", BESIDE)
def test_factors_beside_an_exchange_that_updates_elsewhere(differences: Callable[..., dict[str, float]], way: str) -> None:
    assert differences("plain")[way] < ROUNDING


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("ranks", [3, 4])
def test_more_ranks_are_one_process(differences: Callable[..., dict[str, float]], way: str, ranks: int) -> None:
    assert differences("plain", ranks)[way] < ROUNDING


@pytest.mark.parametrize("way", GROUPS)
@pytest.mark.parametrize("case", ["plain", "clipped", "passes"])
def test_groups_that_wait_for_each_other_are_one_process(differences: Callable[..., dict[str, float]], way: str, case: str) -> None:
    assert differences(case, 4)[way] < ROUNDING


@pytest.mark.parametrize("way", WAYS)
def test_the_layerwise_engine_takes_the_same_way(differences: Callable[..., dict[str, float]], way: str) -> None:
    assert differences("plain", 2, "layerwise")[way] < ROUNDING


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database and the net of two ranks."""
    return database(tmp_path_factory, "runs", net=smooth_net(BATCH // 2))


@pytest.mark.parametrize(
    ("ranks", "words"),
    [(2, "-exchange=tree"), (2, "-exchange=rma_tree"), (2, "-exchange=ps"), (4, "-n_group=2"), (4, "-n_group=2 -table_staleness=3")],
)
def test_history_that_other_ranks_keep_is_in_the_snapshot(folder: Path, ranks: int, words: str) -> None:
    """Resuming is bit by bit."""
    name = words.replace("-", "").replace("=", "_").replace(" ", "_")
    (folder / f"first_{name}.prototxt").write_text(solver(f"first_{name}", more="snapshot: 10"))
    assert train(folder, "-solver", f"first_{name}.prototxt", *words.split(), ranks=ranks).code == 0
    (folder / f"rest_{name}.prototxt").write_text(solver(f"rest_{name}"))
    snapshot = ("-snapshot", f"first_{name}_iter_10.solverstate")
    job = train(folder, "-solver", f"rest_{name}.prototxt", *snapshot, *words.split(), ranks=ranks)
    assert job.code == 0, job.err
    assert worst_difference(folder / f"first_{name}_iter_20.caffemodel", folder / f"rest_{name}_iter_20.caffemodel") == 0


def test_one_sided_transfers_make_the_bits_of_messages(folder: Path) -> None:
    for way in ("tree", "rma_tree"):
        (folder / f"bits_{way}.prototxt").write_text(solver(f"bits_{way}", more="clip_gradients: 2 iter_size: 2"))
        job = train(folder, "-solver", f"bits_{way}.prototxt", "-exchange", way, "-lazy_update", ranks=3)
        assert job.code == 0, job.err
    assert worst_difference(folder / "bits_tree_iter_20.caffemodel", folder / "bits_rma_tree_iter_20.caffemodel") == 0


def test_stale_parameters_learn_too(folder: Path) -> None:
    """Ranks that may drift apart: the loss falls, every snapshot finds them equal, and the training goes on from one."""
    more = "snapshot: 20 display: 20 max_iter: 80 base_lr: 0.02"
    (folder / "stale.prototxt").write_text(solver("stale", more=more))
    words = ("-exchange=ps", "-table_staleness=3")
    job = train(folder, "-solver", "stale.prototxt", *words, ranks=2)
    assert job.code == 0, job.err
    assert "exchange ps, a parameter may lack up to 3 updates" in job.err
    loss = parse(job.err.splitlines()).loss
    assert loss[80] < 0.5 * loss[0]
    rest = train(folder, "-solver", "stale.prototxt", "-snapshot", "stale_iter_60.solverstate", *words, ranks=2)
    assert rest.code == 0, rest.err
    assert parse(rest.err.splitlines()).loss[80] < 0.5 * loss[0]


def test_groups_learn_apart_and_can_be_repeated(folder: Path) -> None:
    (folder / "small.prototxt").write_text(smooth_net(BATCH // 4))
    for name in ("once", "again"):
        (folder / f"{name}.prototxt").write_text(solver(name, net="small.prototxt", more="display: 40 max_iter: 80 base_lr: 0.02"))
        job = train(folder, "-solver", f"{name}.prototxt", "-n_group=2", ranks=4)
        assert job.code == 0, job.err
        assert "between 2 groups that are in step inside, a parameter may lack up to 1 updates" in job.err
        loss = parse(job.err.splitlines()).loss
        assert loss[80] < 0.5 * loss[0]
    assert worst_difference(folder / "once_iter_80.caffemodel", folder / "again_iter_80.caffemodel") == 0


def test_a_timeout_of_the_solver(folder: Path) -> None:
    """The rounds go on without whoever is late, and the loss falls all the same."""
    (folder / "timely.prototxt").write_text(solver("timely", more="timeout_sec: 1 display: 40 max_iter: 80 base_lr: 0.02"))
    job = train(folder, "-solver", "timely.prototxt", "-exchange=ps", "-round_timeout=0.002", ranks=2)
    assert job.code == 0, job.err
    assert "a gradient that is 0.002 s late goes into the next update" in job.err
    loss = parse(job.err.splitlines()).loss
    assert loss[80] < 0.5 * loss[0]
    for words, said in ((("-exchange=ps",), "that is 1 s late"), ((), "timeout_sec is a parameter server's and has no effect")):
        job = train(folder, "-solver", "timely.prototxt", *words, ranks=2)
        assert job.code == 0, job.err
        assert said in job.err


def test_a_limit_on_bytes_takes_time(folder: Path) -> None:
    """6 iterations of 2 ranks that send a buffer each; a loose limit costs nothing."""
    (folder / "held.prototxt").write_text(solver("held", more="max_iter: 6 test_interval: 100 snapshot_after_train: false"))
    seconds = {}
    for rate in (0, 10):
        job = train(folder, "-solver", "held.prototxt", "-exchange=ps", f"-bandwidth_mbps={rate}", ranks=2)
        assert job.code == 0, job.err
        found = re.search(r"Trained 6 iterations in ([0-9.]+) s", job.err)
        assert found
        seconds[rate] = float(found[1])
    bits = 8 * 4 * 145578  # of cifar10_quick's parameters, once to the owner or from it
    assert seconds[10] > 6 * bits / 10e6 * 0.9
    assert seconds[10] > seconds[0]


def test_what_cannot_go_together_is_refused(folder: Path) -> None:
    (folder / "refused.prototxt").write_text(solver("refused", more="clip_gradients: 0.5"))
    job = train(folder, "-solver", "refused.prototxt", "-exchange=tree", "-svb=on", ranks=2, warm=False)
    assert job.code != 0
    (message,) = job.fatal()
    assert "-svb with -exchange tree: the update needs all gradients at once" in message


def test_the_automatic_choice_is_told(folder: Path) -> None:
    (folder / "auto.prototxt").write_text(solver("auto", more="max_iter: 2 test_interval: 100"))
    job = train(folder, "-solver", "auto.prototxt", "-svb=auto", ranks=2)
    assert job.code == 0, job.err
    for layer in ("ip1", "ip2"):
        assert f"-svb auto: {layer}: factors " in job.err
