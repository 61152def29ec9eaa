"""Every way that gradients take ends at the weights of one process with the union of the batches: real nets, real ranks."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from caffepy.parallel.exchange import EXCHANGES
from caffepy.report.training_log import parse
from tests.mpi.jobs import smooth_net, solver, train, worst_difference, write_database

pytestmark = pytest.mark.mpi

BATCH = 12
SHARED = """
layer { name: "twin1" type: "InnerProduct" bottom: "ip1" top: "twin1" param { name: "w" } param { name: "b" }
  inner_product_param { num_output: 64 weight_filler { type: "xavier" } } }
layer { name: "twin2" type: "InnerProduct" bottom: "twin1" top: "ip1b" param { name: "w" } param { name: "b" }
  inner_product_param { num_output: 64 weight_filler { type: "xavier" } } }
"""


def _frozen(net: str) -> str:
    """The first layer does not learn."""
    return net.replace("param { lr_mult: 1 }", "param { lr_mult: 0 }", 1)


def _shared(net: str) -> str:
    """Two layers with the same weights between ip1 and ip2."""
    head, tail = net.split('layer {\n  name: "ip2"')
    return f'{head}{SHARED}layer {{\n  name: "ip2"{tail.replace(chr(34) + "ip1" + chr(34), chr(34) + "ip1b" + chr(34), 1)}'


def _same(net: str) -> str:
    return net


CASES = {
    "plain": (_same, ""),
    "clipped": (_same, "clip_gradients: 0.5"),
    "passes": (_same, "iter_size: 2"),
    "frozen": (_frozen, ""),
    "shared": (_shared, "base_lr: 0.02"),
    "adam": (_same, 'type: "Adam" base_lr: 0.001 delta: 1e-3'),
    "nesterov": (_same, 'type: "Nesterov"'),
}
WAYS = {name: ("-exchange", name) for name in sorted(set(EXCHANGES) - {"null"})} | {
    "lazy": ("-exchange=allreduce", "-lazy_update"),
    "factors": ("-exchange=hierarchical", "-svb=on"),
    "lazy_factors": ("-exchange=allreduce", "-svb=on", "-lazy_update"),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database; each case's nets, for one process and for 2 and 4 ranks, and what one process makes of it."""
    pytest.importorskip("lmdb")
    folder = tmp_path_factory.mktemp("exchanges")
    write_database(folder)
    for case, (change, _) in CASES.items():
        for ranks in (1, 2, 4):
            (folder / f"{case}{ranks}.prototxt").write_text(change(smooth_net(BATCH // ranks)))
    return folder


def _train(folder: Path, case: str, prefix: str, *words: str, ranks: int = 1) -> Path:
    """The model of one training, made once."""
    model = folder / f"{prefix}_iter_20.caffemodel"
    if not model.exists():
        more = f"{CASES[case][1]} test_interval: 7"
        (folder / f"{prefix}.prototxt").write_text(solver(prefix, net=f"{case}{ranks}.prototxt", more=more))
        job = train(folder, "-solver", f"{prefix}.prototxt", *words, ranks=0 if ranks == 1 else ranks)
        assert job.code == 0, job.err
    return model


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("way", WAYS)
def test_two_ranks_are_one_process(folder: Path, way: str, case: str) -> None:
    alone = _train(folder, case, f"{case}_alone")
    assert worst_difference(alone, _train(folder, case, f"{case}_{way}_2", *WAYS[way], ranks=2)) < 1e-5


@pytest.mark.parametrize("way", WAYS)
def test_four_ranks_are_one_process(folder: Path, way: str) -> None:
    alone = _train(folder, "plain", "plain_alone")
    assert worst_difference(alone, _train(folder, "plain", f"plain_{way}_4", *WAYS[way], ranks=4)) < 1e-5


@pytest.mark.parametrize("way", WAYS)
def test_the_layerwise_engine_takes_the_same_way(folder: Path, way: str) -> None:
    alone = _train(folder, "plain", "plain_alone")
    model = folder / f"debug_{way}_iter_20.caffemodel"
    (folder / f"debug_{way}.prototxt").write_text(solver(f"debug_{way}", net="plain2.prototxt", more="debug_info: true"))
    job = train(folder, "-solver", f"debug_{way}.prototxt", *WAYS[way], ranks=2)
    assert job.code == 0, job.err
    assert re.search(r"\[Backward\] Layer conv1", job.err)
    assert worst_difference(alone, model) < 1e-5


@pytest.mark.parametrize("way", WAYS)
def test_resuming_is_bit_by_bit(folder: Path, way: str) -> None:
    (folder / f"first_{way}.prototxt").write_text(solver(f"first_{way}", net="plain2.prototxt", more="snapshot: 10"))
    assert train(folder, "-solver", f"first_{way}.prototxt", *WAYS[way], ranks=2).code == 0
    (folder / f"rest_{way}.prototxt").write_text(solver(f"rest_{way}", net="plain2.prototxt"))
    words = ("-snapshot", f"first_{way}_iter_10.solverstate", *WAYS[way])
    job = train(folder, "-solver", f"rest_{way}.prototxt", *words, ranks=2)
    assert job.code == 0, job.err
    assert worst_difference(folder / f"first_{way}_iter_20.caffemodel", folder / f"rest_{way}_iter_20.caffemodel") == 0


def test_stale_parameters_learn_too(folder: Path) -> None:
    """Ranks that may drift apart: the loss falls, every snapshot finds them equal, and the training goes on from one."""
    more = "snapshot: 20 display: 20 max_iter: 80 base_lr: 0.02"
    (folder / "stale.prototxt").write_text(solver("stale", net="plain2.prototxt", more=more))
    words = ("-exchange=ps", "-table_staleness=3")
    job = train(folder, "-solver", "stale.prototxt", *words, ranks=2)
    assert job.code == 0, job.err
    assert "exchange ps, a parameter may lack up to 3 updates" in job.err
    loss = parse(job.err.splitlines()).loss
    assert loss[80] < 0.5 * loss[0]
    rest = train(folder, "-solver", "stale.prototxt", "-snapshot", "stale_iter_60.solverstate", *words, ranks=2)
    assert rest.code == 0, rest.err
    assert parse(rest.err.splitlines()).loss[80] < 0.5 * loss[0]


@pytest.mark.parametrize("exchange", ["tree", "ps"])
def test_factors_beside_an_exchange_that_updates_elsewhere(folder: Path, exchange: str) -> None:
    alone = _train(folder, "plain", "plain_alone")
    assert worst_difference(alone, _train(folder, "plain", f"factors_{exchange}", f"-exchange={exchange}", "-svb=on", ranks=2)) < 1e-5
    (folder / "refused.prototxt").write_text(solver("refused", net="plain2.prototxt", more="clip_gradients: 0.5"))
    job = train(folder, "-solver", "refused.prototxt", f"-exchange={exchange}", "-svb=on", ranks=2)
    assert job.code != 0
    (message,) = job.fatal()
    assert f"-svb with -exchange {exchange}: the update needs all gradients at once" in message


def test_the_automatic_choice_is_told(folder: Path) -> None:
    (folder / "auto.prototxt").write_text(solver("auto", net="plain2.prototxt"))
    job = train(folder, "-solver", "auto.prototxt", "-svb=auto", ranks=2)
    assert job.code == 0, job.err
    assert len(re.findall(r"-svb auto: ip[12]: factors [\d.e-]+ ms, whole gradient [\d.e-]+ ms an iteration", job.err)) == 2
