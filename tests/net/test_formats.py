"""One net in every format that Caffe has had: the same graph, with Caffe's notes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from caffepy import log
from caffepy.errors import CaffeError
from caffepy.net.graph import Graph
from tests.net.build import compiled

NOW = """name: "n"
layer { name: "input" type: "Input" top: "data" input_param { shape { dim: 2 dim: 3 dim: 9 dim: 9 } } }
layer { name: "conv" type: "Convolution" bottom: "data" top: "conv" convolution_param { num_output: 4 kernel_size: 3 pad: 1 }
  param { lr_mult: 1 decay_mult: 1 } param { lr_mult: 2 decay_mult: 0 } }
layer { name: "relu" type: "ReLU" bottom: "conv" top: "conv" }
layer { name: "ip" type: "InnerProduct" bottom: "conv" top: "ip" inner_product_param { num_output: 5 } }
layer { name: "prob" type: "Softmax" bottom: "ip" top: "prob" }
"""
V1 = """name: "n"
input: "data" input_shape { dim: 2 dim: 3 dim: 9 dim: 9 }
layers { name: "conv" type: CONVOLUTION bottom: "data" top: "conv" convolution_param { num_output: 4 kernel_size: 3 pad: 1 }
  blobs_lr: 1 blobs_lr: 2 weight_decay: 1 weight_decay: 0 }
layers { name: "relu" type: RELU bottom: "conv" top: "conv" }
layers { name: "ip" type: INNER_PRODUCT bottom: "conv" top: "ip" inner_product_param { num_output: 5 } }
layers { name: "prob" type: SOFTMAX bottom: "ip" top: "prob" }
"""
V0 = """name: "n"
input: "data" input_dim: 2 input_dim: 3 input_dim: 9 input_dim: 9
layers { layer { name: "pad" type: "padding" pad: 1 } bottom: "data" top: "pad" }
layers { layer { name: "conv" type: "conv" num_output: 4 kernelsize: 3 blobs_lr: 1 blobs_lr: 2 weight_decay: 1 weight_decay: 0 }
  bottom: "pad" top: "conv" }
layers { layer { name: "relu" type: "relu" } bottom: "conv" top: "conv" }
layers { layer { name: "ip" type: "innerproduct" num_output: 5 } bottom: "conv" top: "ip" }
layers { layer { name: "prob" type: "softmax" } bottom: "ip" top: "prob" }
"""
LEGACY_INPUT = NOW.replace(
    NOW.splitlines()[1], 'input: "data" input_dim: 2 input_dim: 3 input_dim: 9 input_dim: 9'
)
V0_NOTE = "Note that future Caffe releases will not support V0NetParameter"
INPUT_NOTE = "Note that future Caffe releases will only support input layers and not input fields."


def without_places(graph: Graph) -> object:
    nodes = [
        (n.name, n.type, n.bottoms, n.tops, n.params, n.in_place, n.backward) for n in graph.nodes
    ]
    return graph.name, nodes, graph.values, graph.params, graph.inputs, graph.outputs


def notes(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return [
        line.split("] ", 1)[1]
        for line in capsys.readouterr().err.splitlines()
        if re.search(r"upgrade_proto.cpp:\d+\] Note", line)
    ]


@pytest.mark.parametrize(
    ("text", "noted", "place"),
    [
        (NOW, [], 3),
        (LEGACY_INPUT, [INPUT_NOTE], 3),
        (V1, [INPUT_NOTE], 3),
        (V0, [V0_NOTE, INPUT_NOTE], 4),
    ],
    ids=["now", "input", "v1", "v0"],
)
def test_the_same_graph(
    text: str,
    noted: list[str],
    place: int,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(log.sink, "min_level", log.WARNING)
    now = without_places(compiled(NOW, tmp_path))
    capsys.readouterr()
    graph = compiled(text, tmp_path)
    assert without_places(graph) == now
    for found, start in zip(notes(capsys), noted, strict=True):
        assert found.startswith(start)
    assert graph.node("conv").where == f"{tmp_path}/net.prototxt:{place}:1"


def test_errors_name_the_line_of_the_old_layer(tmp_path: Path) -> None:
    with pytest.raises(
        CaffeError, match=r"net.prototxt:6:1: layer 'ip' \(InnerProduct\): num_output is 0"
    ):
        compiled(V1.replace("num_output: 5", "num_output: 0"), tmp_path)
    wrong = V0.replace('num_output: 5 } bottom: "conv"', 'num_output: 5 } bottom: "conw"')
    with pytest.raises(
        CaffeError,
        match=r"net.prototxt:7:66: Unknown blob input conw to layer 'ip'; nearest: 'conv'",
    ):
        compiled(wrong, tmp_path)


def test_transform_settings_in_data_param_count_only_in_v1(tmp_path: Path) -> None:
    class Source:
        shapes = ((2, 3, 4, 4),)

    settings = 'source: "s" batch_size: 2 scale: 0.5 mirror: true crop_size: 4 mean_file: "m"'
    graph = compiled(
        f'layers {{ name: "d" type: DATA top: "d" data_param {{ {settings} }} }}',
        tmp_path,
        opener=lambda layer: Source(),
    )
    moved = graph.node("d").layer.param
    assert (
        moved.transform_param.scale,
        moved.transform_param.mirror,
        moved.transform_param.crop_size,
    ) == (0.5, True, 4)
    assert (moved.transform_param.mean_file, moved.data_param.HasField("scale")) == ("m", False)
    now = 'layer { name: "d" type: "Data" top: "d" data_param { source: "s" batch_size: 2 scale: 0.5 } }'
    graph = compiled(now, tmp_path, opener=lambda layer: Source())
    assert not graph.node("d").layer.param.HasField("transform_param")


def test_batch_norm_with_three_rates(tmp_path: Path) -> None:
    data = 'input: "data" input_shape { dim: 2 dim: 3 }'
    norm = 'layer { name: "n" type: "BatchNorm" bottom: "data" top: "n" param { lr_mult: 1 } param { lr_mult: 1 } param { decay_mult: 1 } }'
    graph = compiled(data + norm, tmp_path)
    assert [(p.lr_mult, p.decay_mult) for p in graph.params] == [(0, 0)] * 3
