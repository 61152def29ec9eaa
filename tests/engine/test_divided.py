"""Passes of a chain of layers in parts of the batch, beside the passes of autograd."""

from __future__ import annotations

import os
import signal

import pytest
import torch
from torch import Tensor

from caffepy.engine import divided
from caffepy.engine.divided import divide
from caffepy.engine.whole import WholeEngine
from caffepy.errors import DataError, LayerError
from tools.bench.candidate import solver_on
from tools.bench.nets import memory_data

SOLVER = 'base_lr: 0.1 lr_policy: "fixed" max_iter: 9 display: 0 snapshot_after_train: false random_seed: 1 solver_mode: CPU'
FILLER = 'weight_filler { type: "xavier" } bias_filler { type: "constant" value: 0.1 }'
CONV1 = f'layer {{ name: "c1" type: "Convolution" bottom: "data" top: "c1" convolution_param {{ num_output: 6 kernel_size: 3 {FILLER} }} }}'
MAX = 'layer { name: "p1" type: "Pooling" bottom: "c1" top: "p1" pooling_param { pool: MAX kernel_size: 3 stride: 2 } }'
RELU = 'layer { name: "r1" type: "ReLU" bottom: "p1" top: "p1" }'
CONV2 = """layer { name: "c2" type: "Convolution" bottom: "p1" top: "c2" param { lr_mult: 1 }
  convolution_param { num_output: 4 kernel_size: 3 pad: 1 group: 2 bias_term: false weight_filler { type: "xavier" } } }"""
AVE = 'layer { name: "p2" type: "Pooling" bottom: "c2" top: "p2" pooling_param { pool: AVE kernel_size: 3 stride: 2 pad: 1 } }'
IP1 = f'layer {{ name: "i1" type: "InnerProduct" bottom: "p2" top: "i1" inner_product_param {{ num_output: 700 {FILLER} }} }}'
LEAKY = 'layer { name: "r2" type: "ReLU" bottom: "i1" top: "r2" relu_param { negative_slope: 0.1 } }'
IP2 = f'layer {{ name: "i2" type: "InnerProduct" bottom: "r2" top: "i2" inner_product_param {{ num_output: 5 {FILLER} }} }}'
LOSS = 'layer { name: "loss" type: "SoftmaxWithLoss" bottom: "i2" bottom: "label" top: "loss" }'
NET = "\n".join([CONV1, MAX, RELU, CONV2, AVE, IP1, LEAKY, IP2, LOSS])
ITEMS = 64
Batch = tuple[Tensor, Tensor]


def batch(items: int = ITEMS) -> Batch:
    generator = torch.Generator().manual_seed(5)
    return torch.randn(items, 2, 12, 12, generator=generator), torch.arange(items) % 5


def engine(net: str, data: Batch, threads: int, items: int = ITEMS) -> WholeEngine:
    """The TRAIN engine of ``net``, in as many parts as threads; 1: by autograd."""
    solver = solver_on(memory_data(items, (2, 12, 12)) + net, SOLVER, [data])
    found = solver.train_engine
    assert isinstance(found, WholeEngine)
    found.in_parts = None  # the solver has divided it where the tests have several threads
    assert divide(found, threads) is (threads > 1)
    return found


def check(net: str, data: Batch, threads: int = 2, passes: int = 1) -> None:
    """Losses, outputs and gradients, which add up over the passes."""
    plain, parts = engine(net, data, 1), engine(net, data, threads)
    parts._run = None  # not by the layers
    for _ in range(passes):
        losses = [float(each.forward_backward()) for each in (plain, parts)]
        assert losses[1] == pytest.approx(losses[0], rel=1e-5)
        outputs = [{output.name: float(output.data) for output in each.outputs()} for each in (plain, parts)]
        assert outputs[1] == pytest.approx(outputs[0], rel=1e-5)
    for one, other in zip(plain.gradients(), parts.gradients(), strict=True):
        assert (one is None) == (other is None)
        if one is not None and other is not None:
            torch.testing.assert_close(other, one, rtol=1e-4, atol=1e-5 * float(one.abs().max()))


@pytest.mark.parametrize("threads", [2, 4])
def test_gradients_are_those_of_autograd(threads: int) -> None:
    check(NET, batch(), threads, passes=2)


FIRST_FROZEN = NET.replace('top: "c1" conv', 'top: "c1" param { lr_mult: 0 } param { lr_mult: 0 } conv')
LRN = 'layer { name: "n1" type: "LRN" bottom: "p1" top: "n1" lrn_param { local_size: %s } }'


def with_lrn(fields: str) -> str:
    """`NET` with a layer between ReLU and the second convolution."""
    return NET.replace(CONV2, LRN % fields + CONV2.replace('bottom: "p1"', 'bottom: "n1"'))


ALTERED = {
    "LRN within channels": with_lrn("3 alpha: 2 beta: 0.75 norm_region: WITHIN_CHANNEL k: 7"),
    "LRN across channels": with_lrn("5 alpha: 0.5 beta: 0.75 k: 2"),
    "LRN by another power": with_lrn("3 alpha: 1 beta: 1.5"),
    "first layer frozen": FIRST_FROZEN,
    "only biases learn": NET.replace('top: "i1" inner', 'top: "i1" param { lr_mult: 0 } param { lr_mult: 2 } inner'),
    "nothing goes below": NET.replace('bottom: "p2" top: "i1"', 'bottom: "p2" top: "i1" propagate_down: false'),
    "loss weight": NET.replace('top: "loss" }', 'top: "loss" loss_weight: 0.25 }'),
    "sum of losses": NET.replace('top: "loss" }', 'top: "loss" loss_param { normalization: NONE } }'),
}


@pytest.mark.parametrize("net", ALTERED.values(), ids=ALTERED)
def test_other_chains(net: str) -> None:
    check(net, batch())


PARAMETER = 'layer { name: "p" type: "Parameter" top: "p" parameter_param { shape { dim: 64 dim: 2 dim: 12 dim: 12 } } }'
SUM = 'layer { name: "s" type: "Eltwise" bottom: "data" bottom: "p" top: "s" }'
OTHERS = {
    "a layer without bottoms": "\n".join([PARAMETER, SUM, NET.replace('bottom: "data" top: "c1"', 'bottom: "s" top: "c1"')]),
    "a layer without tops": NET.replace(CONV1, CONV1 + 'layer { name: "s1" type: "Silence" bottom: "c1" }'),
    "dropout": NET.replace(LEAKY, 'layer { name: "r2" type: "Dropout" bottom: "i1" top: "r2" }'),
    "batch norm": NET.replace(LEAKY, 'layer { name: "r2" type: "BatchNorm" bottom: "i1" top: "r2" }'),
    "ignored labels": NET.replace('top: "loss" }', 'top: "loss" loss_param { ignore_label: 3 } }'),
    "two losses": NET + LOSS.replace('"loss"', '"other"'),
    "shared weights": NET.replace('top: "i1" inner', 'top: "i1" param { name: "w" } inner')
    + 'layer { name: "i3" type: "InnerProduct" bottom: "p2" top: "i3" param { name: "w" } inner_product_param { num_output: 700 } }',
    "negative slope": NET.replace("slope: 0.1", "slope: -0.1"),
}


@pytest.mark.parametrize("net", OTHERS.values(), ids=OTHERS)
def test_nets_that_stay_with_autograd(net: str) -> None:
    found = engine(net, batch(), 1)
    assert not divide(found, 2)


def test_what_is_not_worth_it_stays_with_autograd(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not divide(engine(NET, batch(24), 1, 24), 2)  # parts of 12 items
    assert not divide(engine(NET, batch(33), 1, 33), 2)
    assert not divide(engine(NET, batch(), 1), 8)
    monkeypatch.setattr(divided, "LARGE_FLOPS", 1)
    assert not divide(engine(NET, batch(), 1), 2)


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_numbers_that_are_not_finite_are_the_layers(number: float) -> None:
    data, labels = batch()
    data[3] = number
    plain, parts = engine(NET, (data, labels), 1), engine(NET, (data, labels), 2)
    for each in (plain, parts):
        each.forward_backward()
    for one, other in zip(plain.gradients(), parts.gradients(), strict=True):
        assert one is not None
        assert other is not None
        assert torch.equal(one.nan_to_num(7, 8, 9), other.nan_to_num(7, 8, 9))


def test_a_label_that_is_no_class_is_told_by_its_layer() -> None:
    data, labels = batch()
    labels[60] = 7  # of the helper's part
    found = engine(NET, (data, labels), 2)
    with pytest.raises(LayerError, match="label 7 found; needed: 0 to 4"):
        found.forward_backward()
    labels[60] = 0
    again = engine(NET, (data, labels), 2)
    assert float(again.forward_backward()) == pytest.approx(float(engine(NET, (data, labels), 1).forward_backward()), rel=1e-5)


def test_batches_come_in_turn_also_after_one_that_the_layers_compute() -> None:
    data, labels = batch(2 * ITEMS)
    data[3] = float("nan")  # of the first batch
    found = engine(NET, (data, labels), 2)
    losses = [float(found.forward_backward()) for _ in range(3)]
    finite = torch.tensor(losses).isfinite().tolist()
    assert finite[0] == finite[2]
    assert losses[1] == pytest.approx(float(engine(NET, (data[ITEMS:], labels[ITEMS:]), 1).forward_backward()), rel=1e-5)
    assert not found.drawn


def test_an_error_of_the_data_names_its_layer(monkeypatch: pytest.MonkeyPatch) -> None:
    found = engine(NET, batch(), 2)
    ((index, source),) = found.graph.sources.items()

    def fail() -> None:
        raise DataError("record 3 is damaged")

    monkeypatch.setattr(source, "next", fail)
    with pytest.raises(DataError, match=f"layer '{found.graph.nodes[index].name}' \\(MemoryData\\): record 3 is damaged"):
        found.forward_backward()


def test_an_interrupted_pass_leaves_nothing_for_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    data = batch(2 * ITEMS)
    plain, parts = engine(NET, data, 1), engine(NET, data, 2)
    expected = [float(plain.forward_backward()) for _ in range(4)]
    with monkeypatch.context() as patched:
        patched.setattr(divided._Helper, "end", _interrupt)
        with pytest.raises(KeyboardInterrupt):
            parts.forward_backward()
    assert [float(parts.forward_backward()) for _ in range(3)] == pytest.approx(expected[1:], rel=1e-5)


def _interrupt(helper: object) -> None:
    raise KeyboardInterrupt


def test_each_part_is_computed_by_one_thread_whatever_others_set() -> None:
    before = torch.get_num_threads()
    helper = divided._Helper()
    try:
        helper.begin(tuple, ())
        helper.end()  # it has begun
        torch.set_num_threads(2)
        helper.begin(_threads, ())
        outcome = helper.end()
    finally:
        torch.set_num_threads(before)
    assert not isinstance(outcome, BaseException)
    assert int(outcome[0]) == 1


def _threads() -> tuple[Tensor, ...]:
    return (torch.tensor(torch.get_num_threads()),)


def test_a_forked_process_computes_by_the_layers() -> None:
    found = engine(NET, batch(), 2)
    found.forward_backward()
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        torch.set_num_threads(1)  # as `import caffe` has it; OpenMP's threads are not in the child
        try:
            found.forward_backward()
        finally:
            os._exit(0 if found._values == [None] * len(found._values) else 1)
    assert os.waitpid(child, 0)[1] == 0
