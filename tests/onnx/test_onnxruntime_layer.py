"""Nets whose layers onnxruntime computes as one, beside torch."""

from __future__ import annotations

import pytest
import torch

pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")

from caffepy.errors import LayerError
from caffepy.onnx import session
from caffepy.onnx.onnxruntime_layer import blobs_by_runtime, by_runtime, with_runtime
from tests.engine.build import TEST, Built, built, feed, feeds
from tests.engine.nets import CONV, HEAD, IMAGE, NETS

STATEFUL = {
    "BatchNorm": "batch_norm_param { use_global_stats: false }",
    "Filter": "",
}


def test_the_layers_are_one() -> None:
    net = built(NETS["residual"], TEST)
    graph = with_runtime(net.graph, net.arena)
    assert [node.type for node in graph.nodes].count("OnnxRuntime") == 1
    assert not {"Convolution", "BatchNorm", "Eltwise", "Split", "InnerProduct"} & {node.type for node in graph.nodes}
    assert [node.index for node in graph.nodes] == list(range(len(graph.nodes)))


@pytest.mark.parametrize("batch", [4, 7])
@pytest.mark.parametrize("name", NETS)
def test_whole_nets(name: str, batch: int) -> None:
    net = built(NETS[name], TEST)
    ours = net.whole
    theirs = by_runtime(net.whole)
    expected = float(ours.forward(feeds(batch)))
    assert float(theirs.forward(feeds(batch))) == pytest.approx(expected, rel=1e-4, abs=1e-6)
    for found, wanted in zip(theirs.outputs(), ours.outputs(), strict=True):
        assert found.name == wanted.name
        torch.testing.assert_close(found.data, wanted.data, rtol=1e-4, atol=1e-5)


def test_parameters_are_those_of_the_moment() -> None:
    net = built(NETS["in_place"], TEST)
    before = float(by_runtime(net.whole).forward(feeds()))
    net.arena.flat.buffer.mul_(0.5)
    expected = float(net.whole.forward(feeds()))
    assert expected != pytest.approx(before, rel=1e-3)
    assert float(by_runtime(net.whole).forward(feeds())) == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize("small", [True, False])
def test_outputs_outlast_the_next_pass(small: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not small:
        monkeypatch.setattr(session, "SMALL", 0)
    scores = f"""{IMAGE}
layer {{ name: "silent" type: "Silence" bottom: "label" }}
layer {{ name: "c" type: "Convolution" bottom: "data" top: "c" {CONV} }}"""
    net = built(scores, TEST)
    ours, theirs = net.whole, by_runtime(net.whole)
    batches = [feeds(), {name: tensor * 0.5 for name, tensor in feeds().items()}]
    found = []
    for batch in batches:
        theirs.forward(batch)
        found.append(theirs.outputs())
    for outputs, batch in zip(found, batches, strict=True):
        ours.forward(batch)
        for output, wanted in zip(outputs, ours.outputs(), strict=True):
            torch.testing.assert_close(output.data, wanted.data, rtol=1e-4, atol=1e-5)


def test_blobs_in_the_middle() -> None:
    text = f"""{IMAGE}
layer {{ name: "c" type: "Convolution" bottom: "data" top: "c" {CONV} }}
layer {{ name: "r" type: "ReLU" bottom: "c" top: "c" }}
layer {{ name: "d" type: "Convolution" bottom: "c" top: "top" {CONV} }}
{HEAD}"""
    net = built(text, TEST)
    expected, found = feed(net.layerwise, feeds()), net.layerwise
    expected.forward()
    outside = blobs_by_runtime(found, ["c"])
    assert outside is not found
    feed(outside, feeds()).forward()
    torch.testing.assert_close(outside.blobs["c"].data, expected.blobs["c"].data, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("kind", STATEFUL)
def test_layers_that_onnxruntime_would_do_otherwise(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    bottoms = 'bottom: "c" bottom: "label"' if kind == "Filter" else 'bottom: "c"'
    text = f"""{IMAGE}
layer {{ name: "c" type: "Convolution" bottom: "data" top: "c" {CONV} }}
layer {{ name: "odd" type: "{kind}" {bottoms} top: "top" {STATEFUL[kind]} }}
{HEAD if kind != "Filter" else ""}"""
    net: Built = built(text, TEST)
    with pytest.raises(LayerError, match=f"layer 'odd' \\({kind}\\)"):
        with_runtime(net.graph, net.arena)
    engine = net.whole
    assert by_runtime(engine) is engine
    assert capsys.readouterr().err.count("runs without onnxruntime") == 1
