"""Which engine runs a net, and what is told of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from caffepy.engine.engines import LAYERWISE, WHOLE, Engine, Setup, images_per_pass, open_layerwise, open_net
from caffepy.engine.layerwise import LayerwiseEngine
from caffepy.engine.weights import save
from caffepy.engine.whole import WholeEngine
from caffepy.layers.core.random import CaffeRandom
from caffepy.net.definition import lone_definition
from tests.engine.build import graph_of

Lines = Callable[[], list[str]]
SOURCE = 'layer { name: "d" type: "DummyData" top: "x" dummy_data_param { shape { dim: 3 dim: 2 } } }\n'
INPUT = 'layer { name: "i" type: "Input" top: "x" input_param { shape { dim: 5 dim: 2 } } }\n'
IP = 'layer { name: "ip" type: "InnerProduct" bottom: "x" top: "y" inner_product_param { num_output: 2 } }\n'
TWICE = 'layer { name: "twice" type: "Python" bottom: "x" top: "y" python_param { module: "twice_layer" layer: "Twice" } }\n'
ON_Y = 'layer { name: "on" type: "Sigmoid" bottom: "y" top: "y" loss_weight: 1 }\n'
ON_X = 'layer { name: "on" type: "Power" bottom: "x" top: "x" power_param { scale: 2 } }\n'
ON_LOSS = 'layer { name: "on" type: "TanH" bottom: "loss" top: "loss" }\n'
LOSS = 'layer { name: "loss" type: "EuclideanLoss" bottom: "y" bottom: "x" top: "loss" }\n'
OVERWRITES = "layer 'on' overwrites in place the diff of 'y', which as in Caffe no pass sets to the loss weight again"
LAYER = """
import caffe
class Twice(caffe.Layer):
    def setup(self, bottom, top): pass
    def reshape(self, bottom, top): top[0].reshape(*bottom[0].data.shape)
    def forward(self, bottom, top): top[0].data[...] = 2 * bottom[0].data
    def backward(self, top, propagate_down, bottom): bottom[0].diff[...] = 2 * top[0].diff
"""


def made(folder: Path, text: str, kind: str = "auto") -> Engine:
    (folder / "n.prototxt").write_text(text)
    return open_net(lone_definition(str(folder / "n.prototxt"), 0), setup=Setup(torch.device("cpu"), CaffeRandom(1), kind))


@pytest.mark.parametrize("kind", [WHOLE, LAYERWISE])
def test_parameters_come_from_the_files_in_their_order(tmp_path: Path, kind: str) -> None:
    engine = made(tmp_path, SOURCE + IP, kind)
    files = [str(tmp_path / name) for name in ("a.caffemodel", "b.caffemodel")]
    for number, file in enumerate(files):
        for tensor in engine.arena.learnable:
            tensor.detach().fill_(number + 1)
        save(file, engine.graph, engine.arena, diffs=[torch.full_like(tensor, number + 3) for tensor in engine.arena.learnable])
    told: list[tuple[str, str]] = []
    definition, setup = lone_definition(str(tmp_path / "n.prototxt"), 0), Setup(torch.device("cpu"), CaffeRandom(1), kind)
    opened = open_net(definition, files, setup=setup, before_file=lambda graph, file: told.append((graph.nodes[-1].name, file)))
    assert told == [("ip", file) for file in files]
    assert all((tensor == 2).all() for tensor in opened.arena.learnable)
    shown = open_layerwise(definition, files, setup=setup)
    assert all((blob.data == 2).all() and (blob.diff == 4).all() for blob in shown.params)


def test_on_a_cpu(tmp_path: Path, lines: Lines) -> None:
    assert type(made(tmp_path, SOURCE + IP)) is WholeEngine
    assert type(made(tmp_path, SOURCE + IP, WHOLE)) is WholeEngine
    assert type(made(tmp_path, SOURCE + IP, LAYERWISE)) is LayerwiseEngine
    assert type(made(tmp_path, SOURCE + IP + LOSS + ON_LOSS)) is WholeEngine  # it is not run backward without force_backward
    drawn = SOURCE.replace("shape {", 'data_filler { type: "gaussian" } shape {')
    assert type(made(tmp_path, drawn + ON_X)) is WholeEngine
    assert not any("layer by layer" in line for line in lines())


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (INPUT + IP, "input 'x' has no source"),
        ("debug_info: true\n" + SOURCE + IP, "debug_info shows every blob"),
        (SOURCE + TWICE, "layer 'twice' (Python) works on the blobs themselves"),
        (SOURCE + IP + ON_Y, OVERWRITES),
        (SOURCE + ON_X, "layer 'on' overwrites in place 'x', which as in Caffe is filled only once"),
        ("force_backward: true\n" + SOURCE + IP + LOSS + ON_LOSS, OVERWRITES.replace("'y'", "'loss'")),
    ],
)
def test_one_line_says_why_a_net_runs_layer_by_layer_or_should(
    tmp_path: Path, lines: Lines, monkeypatch: pytest.MonkeyPatch, text: str, reason: str
) -> None:
    (tmp_path / "twice_layer.py").write_text(LAYER)
    monkeypatch.syspath_prepend(tmp_path)
    text = 'name: "n"\n' + text
    assert type(made(tmp_path, text)) is LayerwiseEngine
    assert [line for line in lines() if "layer by layer" in line] == [f"Net 'n' runs layer by layer: {reason}."]
    assert type(made(tmp_path, text, LAYERWISE)) is LayerwiseEngine
    assert not any("layer by layer" in line for line in lines())
    assert type(made(tmp_path, text, WHOLE)) is WholeEngine
    asked = f"Net 'n' runs as a whole as asked, not layer by layer as in Caffe, though {reason}."
    assert [line for line in lines() if "layer by layer" in line] == [asked]


def test_images_per_pass() -> None:
    assert images_per_pass(graph_of(SOURCE + IP)) == 3
    assert images_per_pass(graph_of(INPUT + IP)) == 5
