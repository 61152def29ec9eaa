"""The engines of TEST nets by name, and the trial of which the fastest comes out."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")

import caffe

from caffepy.engine.engines import Engine, Setup, open_layerwise, open_net
from caffepy.engine.whole import WholeEngine
from caffepy.layers.core.base import TEST
from caffepy.layers.core.random import CaffeRandom
from caffepy.net.definition import lone_definition
from caffepy.onnx import choice
from caffepy.onnx.blobs_engine import OnnxRuntimeEngine
from caffepy.onnx.choice import blobs_engine_by, engine_by
from caffepy.onnx.onnxruntime_layer import OnnxRuntimeLayer
from tests.engine.nets import CONV, HEAD

DATA = """
layer { name: "data" type: "MemoryData" top: "data" top: "label"
        memory_data_param { batch_size: 2 channels: 3 height: 9 width: 9 } }
"""
BODY = f"""
layer {{ name: "c" type: "Convolution" bottom: "data" top: "c" {CONV} }}
layer {{ name: "top" type: "ReLU" bottom: "c" top: "top" }}
"""
INPUT = 'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 2 dim: 3 dim: 9 dim: 9 } } }\n'
SCORES = 'layer { name: "prob" type: "Softmax" bottom: "top" top: "prob" }\n'


@pytest.fixture
def net(tmp_path: Path) -> str:
    file = tmp_path / "net.prototxt"
    file.write_text(DATA + BODY + HEAD)
    return str(file)


@pytest.fixture
def deploy(tmp_path: Path) -> str:
    file = tmp_path / "deploy.prototxt"
    file.write_text(INPUT + BODY + SCORES)
    return str(file)


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The lines of the choice in the log."""
    lines: list[str] = []
    monkeypatch.setattr(choice.log, "info", lambda place, line: lines.append(line) if place.startswith("choice") else None)
    return lines


def setup() -> Setup:
    return Setup(torch.device("cpu"), CaffeRandom(3))


def filled(engine: Engine) -> Engine:
    """The engine with four items to read."""
    data = np.random.default_rng(1).standard_normal((4, 3, 9, 9), dtype=np.float32)
    for source in engine.graph.sources.values():
        source.set_arrays(data, np.arange(4, dtype=np.float32))
    return engine


def takes(monkeypatch: pytest.MonkeyPatch, seconds: dict[str, float]) -> None:
    """Let a pass of an engine take so many seconds: of torch's 2, of others by their layer's name."""

    def timed(trial: object, engine: Engine) -> float:
        trial.give_back()
        engine.forward()
        name = (
            "onnxruntime"
            if isinstance(engine, OnnxRuntimeEngine)
            else next((node.name for node in engine.graph.nodes if node.type == OnnxRuntimeLayer.type), "torch")
        )
        return seconds.get(name, 2.0)

    monkeypatch.setattr(choice._Trial, "run", timed)
    monkeypatch.setattr(choice, "RUNTIMES", ("onnxruntime",))


def runs_onnxruntime(engine: Engine) -> bool:
    return any(node.type == OnnxRuntimeLayer.type for node in engine.graph.nodes)


@pytest.mark.parametrize(("seconds", "won"), [(0.5, True), (3.0, False)])
def test_the_faster_one_is_taken(seconds: float, won: bool, net: str, monkeypatch: pytest.MonkeyPatch, said: list[str]) -> None:
    takes(monkeypatch, {"onnxruntime": seconds})
    engine = filled(open_net(lone_definition(net, TEST), setup=setup()))
    chosen = engine_by("auto", engine)
    assert runs_onnxruntime(chosen) == won
    (line,) = said
    other, ms = ("torch", "2e+03") if won else ("onnxruntime", "3e+03")
    assert re.search(rf"runs by (onnxruntime|torch), [\d.e+]+ ms a pass \({other} {re.escape(ms)} ms\)", line)


def test_the_batches_are_those_of_torch_alone(net: str, monkeypatch: pytest.MonkeyPatch) -> None:
    takes(monkeypatch, {"onnxruntime": 0.5})
    alone = filled(open_net(lone_definition(net, TEST), setup=setup()))
    expected = [float(alone.forward()) for _ in range(3)]
    chosen = engine_by("auto", filled(open_net(lone_definition(net, TEST), setup=setup())))
    assert [float(chosen.forward()) for _ in range(3)] == pytest.approx(expected, rel=1e-4)


def test_an_engine_with_other_outputs_is_not_taken(net: str, monkeypatch: pytest.MonkeyPatch, said: list[str]) -> None:
    takes(monkeypatch, {"onnxruntime": 0.5})
    forward = OnnxRuntimeLayer.forward

    def wrong(layer: OnnxRuntimeLayer, *given: object) -> tuple[Tensor, ...]:
        return tuple(top * 1.001 for top in forward(layer, *given))

    monkeypatch.setattr(OnnxRuntimeLayer, "forward", wrong)
    engine = filled(open_net(lone_definition(net, TEST), setup=setup()))
    assert engine_by("auto", engine) is engine
    assert "onnxruntime computes other outputs" in said[0]


@pytest.mark.parametrize(
    ("found", "agree"),
    [([math.nan, 2.0], True), ([math.nan, 2.1], False), ([1.0, 2.0], False), ([math.nan, math.nan], False), ([math.nan], False)],
)
def test_outputs_agree_where_both_are_no_number(found: list[float], agree: bool) -> None:
    assert choice._agree([torch.tensor(found)], [torch.tensor([math.nan, 2.0])]) == agree
    nowhere = [torch.full((2,), math.nan)]
    assert choice._agree(nowhere, nowhere)
    assert not choice._agree([torch.tensor([math.inf])], [torch.tensor([-math.inf])])


def test_a_net_that_no_runtime_takes_stays_with_torch(tmp_path: Path, said: list[str]) -> None:
    file = tmp_path / "net.prototxt"
    odd = 'layer { name: "odd" type: "BatchNorm" bottom: "c" top: "c" batch_norm_param { use_global_stats: false } }'
    file.write_text(DATA + BODY.replace('layer { name: "top"', f'{odd}\nlayer {{ name: "top"') + HEAD)
    engine = filled(open_net(lone_definition(str(file), TEST), setup=setup()))
    assert engine_by("auto", engine) is engine
    assert "onnxruntime cannot: layer 'odd' (BatchNorm)" in said[0]


def test_without_runtimes_torch_computes(net: str, monkeypatch: pytest.MonkeyPatch, said: list[str]) -> None:
    monkeypatch.setattr(choice.importlib.util, "find_spec", lambda name: None)
    engine = filled(open_net(lone_definition(net, TEST), setup=setup()))
    assert engine_by("auto", engine) is engine
    assert "runs by torch: neither onnxruntime nor openvino is installed" in said[0]


def test_the_fastest_that_shows_blobs(net: str, monkeypatch: pytest.MonkeyPatch) -> None:
    takes(monkeypatch, {"onnxruntime": 0.5})
    alone = filled(open_layerwise(lone_definition(net, TEST), setup=setup()))
    chosen = blobs_engine_by("auto", filled(open_layerwise(lone_definition(net, TEST), setup=setup())), ["c", "ip"])
    assert runs_onnxruntime(chosen)
    for _ in range(3):
        alone.forward()
        chosen.forward()
        for name in ("c", "ip"):
            torch.testing.assert_close(chosen.blobs[name].data, alone.blobs[name].data, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(("seconds", "won"), [(0.5, True), (3.0, False)])
def test_a_new_net_by_the_fastest_has_blobs_of_zeros(seconds: float, won: bool, deploy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    takes(monkeypatch, {"onnxruntime": seconds})
    net = caffe.Net(deploy, caffe.TEST, engine="auto")
    assert isinstance(net._engine, OnnxRuntimeEngine) == won
    assert not any(blob.data.any() for blob in net.blobs.values())
    net.blobs["data"].data[...] = 1
    other = caffe.Net(deploy, caffe.TEST)
    for blob, wanted in zip(net.params["c"], other.params["c"], strict=True):
        blob.data[...] = wanted.data
    np.testing.assert_allclose(net.forward()["prob"], other.forward(data=np.ones((2, 3, 9, 9)))["prob"], rtol=1e-4)


def test_a_net_without_data_yet_stays_with_torch(net: str, said: list[str]) -> None:
    made = caffe.Net(net, caffe.TEST, engine="auto")
    assert not isinstance(made._engine, OnnxRuntimeEngine)
    assert "no trial: MemoryDataLayer needs to be initialized" in said[0]


class TestOpenVINO:
    """What the engine of this name does; where the package is installed."""

    @pytest.fixture(autouse=True)
    def installed(self) -> None:
        pytest.importorskip("openvino", reason="it is large, and no extra of the tests")

    def test_whole_nets_of_any_batch(self, net: str) -> None:
        alone = filled(open_net(lone_definition(net, TEST), setup=setup()))
        by_it = engine_by("openvino", filled(open_net(lone_definition(net, TEST), setup=setup())))
        assert isinstance(by_it, WholeEngine)
        assert runs_onnxruntime(by_it)
        for _ in range(3):
            assert float(by_it.forward()) == pytest.approx(float(alone.forward()), rel=1e-4)

    def test_nets_of_scripts_take_new_shapes_and_parameters(self, deploy: str) -> None:
        nets = [caffe.Net(deploy, caffe.TEST, engine=name) for name in ("torch", "openvino")]
        for blob, wanted in zip(nets[1].params["c"], nets[0].params["c"], strict=True):
            blob.data[...] = wanted.data
        for batch in (2, 5, 2):
            data = np.random.default_rng(batch).standard_normal((batch, 3, 9, 9))
            found = []
            for net in nets:
                net.params["c"][1].data[...] += 0.1
                net.blobs["data"].reshape(batch, 3, 9, 9)
                found.append([net.forward(data=data)["prob"].copy(), net.blobs["c"].data.copy()])
            for ours, theirs in zip(*found, strict=True):
                np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-6)
