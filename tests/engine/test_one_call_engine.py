"""The engine of a caffe.Net whose whole passes are one call: blobs and parameters stay the user's."""

from __future__ import annotations

import gc
from collections.abc import Sequence

import numpy as np
import pytest
import torch

from caffepy.engine import one_call
from caffepy.engine.bounded_graph import BoundedGraph
from caffepy.engine.layerwise import LayerwiseEngine
from caffepy.engine.one_call_engine import OneCallEngine
from tests.engine.build import TEST, built
from tests.engine.nets import CONV, IP

pytestmark = pytest.mark.skipif(not torch.backends.mkldnn.is_available(), reason="torch lacks oneDNN here")

POOL = "pooling_param { kernel_size: 3 stride: 2 }"
NET = f"""
layer {{ name: "in" type: "Input" top: "data" input_param {{ shape {{ dim: 2 dim: 3 dim: 9 dim: 9 }} }} }}
layer {{ name: "c" type: "Convolution" bottom: "data" top: "c" {CONV} }}
layer {{ name: "r" type: "PReLU" bottom: "c" top: "c" }}
layer {{ name: "a" type: "Pooling" bottom: "c" top: "a" {POOL} }}
layer {{ name: "e" type: "Eltwise" bottom: "c" bottom: "c" top: "e" }}
layer {{ name: "b" type: "Pooling" bottom: "e" top: "b" {POOL} }}
layer {{ name: "r2" type: "ReLU" bottom: "b" top: "r2" }}
layer {{ name: "cat" type: "Concat" bottom: "a" bottom: "r2" top: "cat" }}
layer {{ name: "ip" type: "InnerProduct" bottom: "cat" top: "ip" {IP} }}
layer {{ name: "d" type: "Dropout" bottom: "ip" top: "d" }}
layer {{ name: "prob" type: "Softmax" bottom: "d" top: "prob" }}
"""


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The graph is made in the first pass, and kept even if it is slower."""
    monkeypatch.setattr(one_call, "WORTH_S", 0.0)
    monkeypatch.setattr(BoundedGraph, "_takes_less", lambda graph, within_s, inputs: graph.tops(inputs) is not None)


@pytest.fixture
def pair() -> tuple[OneCallEngine, LayerwiseEngine]:
    """Both engines on the same parameters; the first has its graph."""
    net = built(NET, TEST)
    engine = OneCallEngine(net.graph, net.arena, net.random)
    reference = net.layerwise
    same(engine, reference)
    assert graphs(engine) == [True]
    return engine, reference


def pictures(seed: int, shape: tuple[int, ...] = (2, 3, 9, 9)) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape, dtype=np.float32)


def graphs(engine: OneCallEngine) -> list[bool]:
    return [graph is not None for graph in engine._graphs.values()]


def same(engine: LayerwiseEngine, reference: LayerwiseEngine, seed: int = 0) -> None:
    """After a pass on the same picture all blobs are the same."""
    for each in (engine, reference):
        each.blobs["data"].data_array()[...] = pictures(seed, each.blobs["data"].shape)
        each.forward()
    for name in engine.blobs:
        np.testing.assert_allclose(engine.blobs[name].data_array(), reference.blobs[name].data_array(), rtol=1e-4, atol=1e-5)


def counted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """One item for each pass by a graph."""
    found: list[int] = []
    tops = BoundedGraph.tops

    def counting(graph: BoundedGraph, inputs: Sequence[torch.Tensor]) -> tuple[torch.Tensor, ...] | None:
        found.append(1)
        return tops(graph, inputs)

    monkeypatch.setattr(BoundedGraph, "tops", counting)
    return found


def test_all_blobs_can_be_read_after_a_pass(pair: tuple[OneCallEngine, LayerwiseEngine], monkeypatch: pytest.MonkeyPatch) -> None:
    calls = counted(monkeypatch)
    for seed in range(1, 4):
        same(*pair, seed)
    assert len(calls) == 3


def test_arrays_of_blobs_stay_the_blobs(pair: tuple[OneCallEngine, LayerwiseEngine]) -> None:
    engine, _ = pair
    array = engine.blobs["ip"].data_array()
    before = array.copy()
    same(*pair, 5)
    assert not np.allclose(array, before)
    assert np.shares_memory(array, engine.blobs["ip"].data_array())


def test_parts_of_passes_start_from_what_was_written(pair: tuple[OneCallEngine, LayerwiseEngine]) -> None:
    start = next(node.index for node in pair[0].graph.nodes if node.name == "ip")
    found = []
    for engine in pair:
        same(*pair, 1)
        engine.blobs["cat"].data_array()[...] = 0.5
        engine.forward(start)
        found.append(engine.blobs["prob"].data_array().copy())
    np.testing.assert_allclose(found[0], found[1], rtol=1e-5)


def test_changed_parameters_count_at_once(pair: tuple[OneCallEngine, LayerwiseEngine]) -> None:
    engine, reference = pair
    for factor in (2, 3):
        engine.params[0].data_array()[...] *= factor  # the engines share them
        same(engine, reference)
        assert graphs(engine) == []
        same(engine, reference)
        gc.collect()
        same(engine, reference)


def test_a_held_array_of_parameters_counts_whenever_it_is_written(pair: tuple[OneCallEngine, LayerwiseEngine]) -> None:
    engine, reference = pair
    weights = engine.params[0].data_array()
    for _ in range(3):
        weights += 0.1
        same(engine, reference)
        assert graphs(engine) == []
    del weights
    same(engine, reference)
    same(engine, reference)
    assert graphs(engine) == [True]


def test_parameters_that_files_or_other_nets_change_count_at_once(pair: tuple[OneCallEngine, LayerwiseEngine]) -> None:
    engine, reference = pair
    engine.sync()
    engine.arena.data[0].detach().mul_(3)  # as copy_from does after sync
    same(engine, reference)
    engine.lend()
    engine.arena.data[0].detach().mul_(3)
    same(engine, reference)


@pytest.mark.parametrize("batch", [1, 3])
def test_other_shapes_get_graphs_of_their_own(pair: tuple[OneCallEngine, LayerwiseEngine], batch: int) -> None:
    for engine in pair:
        engine.blobs["data"].reshape((batch, 3, 9, 9))
    same(*pair)
    same(*pair, 1)
    assert graphs(pair[0]) == [True, True]


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 1e30])
def test_numbers_beyond_bounds_are_left_to_the_layers(pair: tuple[OneCallEngine, LayerwiseEngine], value: float) -> None:
    for engine in pair:
        engine.blobs["data"].data_array()[...] = pictures(1)
        engine.blobs["data"].data_array()[0, 1, 2, 3] = value
        engine.forward()
    for name in ("a", "prob"):
        found, expected = (engine.blobs[name].data_array() for engine in pair)
        np.testing.assert_allclose(found, expected, rtol=1e-4)


def test_hooks_see_every_layer(pair: tuple[OneCallEngine, LayerwiseEngine]) -> None:
    engine, _ = pair
    seen: list[str] = []
    engine.on_forward = lambda node, done: seen.append(node.name) if done else None
    engine.forward()
    assert seen == [node.name for node in engine.graph.nodes]
