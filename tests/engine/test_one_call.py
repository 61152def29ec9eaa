"""Steps of a TEST pass in one call: the same numbers as one by one, whatever is in the data."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable

import numpy as np
import pytest
import torch
from torch import Tensor

from caffepy.engine import one_call
from caffepy.engine.bounded_graph import BoundedGraph
from caffepy.engine.one_call import in_one_call
from caffepy.engine.operator_graph import operator_graph
from caffepy.engine.whole import WholeEngine
from caffepy.errors import LayerError
from tests.engine.build import TEST, built, feeds
from tests.engine.nets import CONV, IMAGE, IP, NETS

pytestmark = pytest.mark.skipif(not torch.backends.mkldnn.is_available(), reason="torch lacks oneDNN here")

TAKES_LESS = BoundedGraph._takes_less
POOL = "pooling_param { kernel_size: 3 stride: 2 }"
AVERAGE = "pooling_param { pool: AVE kernel_size: 3 stride: 2 }"
LRN = "lrn_param { local_size: 3 norm_region: %s }"
CHAIN = f"""{IMAGE}
layer {{ name: "c" type: "Convolution" bottom: "data" top: "c" {CONV} }}
layer {{ name: "pool" type: "Pooling" bottom: "c" top: "pool" {POOL} }}
layer {{ name: "r" type: "ReLU" bottom: "pool" top: "pool" }}
layer {{ name: "across" type: "LRN" bottom: "pool" top: "across" {LRN % "ACROSS_CHANNELS"} }}
layer {{ name: "within" type: "LRN" bottom: "across" top: "within" {LRN % "WITHIN_CHANNEL"} }}
layer {{ name: "ave" type: "Pooling" bottom: "within" top: "ave" {AVERAGE} }}
layer {{ name: "ip" type: "InnerProduct" bottom: "ave" top: "ip" {IP} }}
layer {{ name: "r2" type: "ReLU" bottom: "ip" top: "ip" }}
layer {{ name: "loss" type: "SoftmaxWithLoss" bottom: "ip" bottom: "label" top: "loss" }}
"""


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The graph is made in the second pass, and kept even if it is slower."""
    monkeypatch.setattr(one_call, "WORTH_S", 0.0)
    monkeypatch.setattr(BoundedGraph, "_takes_less", lambda graph, within_s, inputs: graph.tops(inputs) is not None)


def calls(engine: WholeEngine) -> list[bool]:
    """Of each joined step, whether a graph is there."""
    found = [getattr(step.forward, "__self__", None) for step in engine._testing or ()]
    return [each._graph is not None for each in found if isinstance(each, one_call._OneCall)]


def outputs(engine: WholeEngine, given: dict[str, Tensor]) -> dict[str, Tensor]:
    engine.forward(given)
    return {output.name: output.data.clone() for output in engine.outputs()}


def check(engine: WholeEngine, reference: WholeEngine, given: dict[str, Tensor]) -> None:
    """Both give the same outputs; NaN is NaN."""
    expected = outputs(reference, given)
    for name, found in outputs(engine, given).items():
        torch.testing.assert_close(found, expected[name], rtol=1e-4, atol=1e-5, equal_nan=True)


@pytest.mark.parametrize("channels_last", [False, True])
@pytest.mark.parametrize("name", [*NETS, "chain"])
def test_the_outputs_are_those_of_the_steps(name: str, channels_last: bool) -> None:
    net = built(NETS.get(name, CHAIN), TEST, channels_last=channels_last)
    engine, reference = net.whole, net.whole
    with engine.frozen():
        for batch in (4, 4, 4, 8, 8, 8, 4):
            check(engine, reference, feeds(batch))


def test_a_graph_that_takes_longer_is_not_kept() -> None:
    graph = BoundedGraph(lambda x: (x,), 1, [])
    assert TAKES_LESS(graph, 60.0, [torch.ones(3)])
    assert not TAKES_LESS(graph, 0.0, [torch.ones(3)])


def test_all_layers_but_the_input_are_one_call() -> None:
    engine = built(CHAIN, TEST).whole
    with engine.frozen():
        assert [step.node.name for step in engine._testing or ()] == ["in", "c"]
        for _ in range(3):
            engine.forward(feeds())
        assert calls(engine) == [True]


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf"), 1e30])
def test_numbers_beyond_bounds_are_left_to_the_steps(value: float) -> None:
    net = built(CHAIN, TEST)
    engine, reference = net.whole, net.whole
    odd = feeds()
    odd["data"][1, 2, 3, 4] = value
    with engine.frozen():
        for _ in range(3):
            engine.forward(feeds())
        assert calls(engine) == [True]
        check(engine, reference, odd)
        check(engine, reference, feeds())


def test_a_parameter_that_is_no_number_keeps_the_steps() -> None:
    net = built(CHAIN, TEST)
    net.arena.data[0].detach()[0, 0, 0, 0] = float("nan")
    engine = net.whole
    with engine.frozen():
        for _ in range(3):
            check(engine, net.whole, feeds())
        assert calls(engine) == [False]


def test_a_loss_with_clamped_probabilities_is_left_to_the_steps() -> None:
    net = built(CHAIN, TEST)
    engine = net.whole
    large = feeds()
    large["data"] *= 1e4
    with engine.frozen():
        for _ in range(3):
            engine.forward(feeds())
        assert calls(engine) == [True]
        check(engine, net.whole, large)


def test_a_label_that_is_no_class_is_an_error_of_the_layer() -> None:
    engine = built(CHAIN, TEST).whole
    odd = feeds()
    odd["label"][0] = 7
    with engine.frozen():
        for _ in range(3):
            engine.forward(feeds())
        with pytest.raises(LayerError, match="label 7 found"):
            engine.forward(odd)
        engine.forward(feeds())


def test_parameters_may_change_between_contexts() -> None:
    net = built(CHAIN, TEST)
    engine, reference = net.whole, net.whole
    for _ in range(3):
        with engine.frozen():
            for _ in range(3):
                check(engine, reference, feeds())
            assert calls(engine) == [True]
        for tensor in net.arena.learnable:
            tensor.data.mul_(1.5)


def test_torch_has_as_many_threads_as_before() -> None:
    engine = built(CHAIN, TEST).whole
    before = torch.get_num_threads()
    with engine.frozen():
        engine.forward(feeds())
    assert torch.get_num_threads() == before


def test_layers_that_compute_much_stay_by_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(one_call, "LARGE_FLOPS", 1)
    engine = built(CHAIN, TEST).whole
    assert in_one_call(engine._steps, engine.graph, engine._enter, [1]) == engine._steps


def test_a_graph_goes_with_its_parameters() -> None:
    weight = np.ones((2, 3, 3, 3), np.float32)
    seen = weakref.ref(weight)

    def function_of(weight: Tensor) -> Callable[[Tensor], tuple[Tensor]]:
        return lambda x: (torch.conv2d(x, weight),)

    call = operator_graph(function_of(torch.from_numpy(weight)), [torch.randn(1, 3, 5, 5)])
    assert call is not None
    del weight
    gc.collect()
    assert seen() is not None
    del call
    gc.collect()
    assert seen() is None


def test_a_function_that_writes_to_its_inputs_has_no_graph() -> None:
    x = torch.randn(3)
    assert operator_graph(lambda x: (x.sigmoid_(),), [x]) is None
