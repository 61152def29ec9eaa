"""From layers to a graph: connections, shapes, loss weights, outputs, and the one line said about what does not fit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from caffepy import log
from caffepy.errors import CaffeError, DataError, LayerError, NetError
from caffepy.net import AUTOMATIC
from tests.net.build import INPUT, PAIR, TEST, compiled, names, shape


def refusal(text: str, folder: Path) -> str:
    with pytest.raises(NetError) as caught:
        compiled(text, folder)
    message = str(caught.value)
    assert "\n" not in message
    return message.removeprefix(f"{folder}/")


def test_a_net_as_a_graph(tmp_path: Path) -> None:
    graph = compiled(
        'name: "small" '
        + INPUT
        + 'layer { name: "conv" type: "Convolution" bottom: "data" top: "conv" '
        "convolution_param { num_output: 5 kernel_size: 3 stride: 2 } }\n"
        'layer { name: "relu" type: "ReLU" bottom: "conv" top: "conv" }\n'
        '  layer { name: "ip" type: "InnerProduct" bottom: "conv" top: "ip" inner_product_param { num_output: 2 bias_term: false } }\n',
        tmp_path,
    )
    assert (graph.name, graph.phase, names(graph)) == ("small", 0, ["in", "conv", "relu", "ip"])
    conv, relu, ip = graph.nodes[1:]
    assert (conv.in_place, relu.in_place) == (False, True)
    assert relu.bottoms == conv.tops
    assert relu.tops != conv.tops
    assert ip.bottoms == relu.tops
    assert [graph.values[t].name for t in (*conv.tops, *relu.tops)] == ["conv", "conv"]
    assert (shape(graph, "conv"), shape(graph, "ip")) == ((4, 5, 3, 3), (4, 2))
    assert [graph.params[p].shape for p in (*conv.params, *ip.params)] == [
        (5, 3, 3, 3),
        (5,),
        (2, 45),
    ]
    assert graph.learnable == (0, 1, 2)
    assert [graph.values[v].name for v in graph.inputs] == ["data"]
    assert [graph.values[v].name for v in graph.outputs] == ["ip"]
    assert (conv.where, ip.where) == (
        f"{tmp_path}/net.prototxt:2:1",
        f"{tmp_path}/net.prototxt:4:3",
    )
    assert graph.node("relu") is relu
    with pytest.raises(KeyError):
        graph.node("pool")


def test_outputs_are_in_bytewise_order(tmp_path: Path) -> None:
    graph = compiled(
        'layer { name: "in" type: "Input" top: "b" top: "é" top: "B" top: "a" top: "z" }', tmp_path
    )
    assert [graph.values[v].name for v in graph.outputs] == ["B", "a", "b", "z", "é"]


def test_a_layers_own_phase_wins(tmp_path: Path) -> None:
    text = (
        INPUT
        + 'layer { name: "d" type: "Dropout" bottom: "data" top: "d" phase: TRAIN } layer { name: "s" type: "Silence" bottom: "d" }'
    )
    graph = compiled(text, tmp_path, TEST)
    assert [node.layer.phase for node in graph.nodes] == [1, 0, 1]


def test_a_loss_without_a_top_gets_one(tmp_path: Path) -> None:
    graph = compiled(
        PAIR + 'layer { name: "l" type: "EuclideanLoss" bottom: "x" bottom: "y" }', tmp_path
    )
    (top,) = graph.node("l").tops
    assert graph.values[top].name == AUTOMATIC
    assert (graph.node("l").loss_weights, graph.loss_weight(top), graph.outputs) == (
        (1.0,),
        1.0,
        (),
    )


def test_loss_weights(tmp_path: Path) -> None:
    """On any top of any layer; a loss has 1 by default."""
    graph = compiled(
        PAIR + 'layer { name: "t" type: "TanH" bottom: "x" top: "t" loss_weight: -0.5 }'
        'layer { name: "l" type: "EuclideanLoss" bottom: "x" bottom: "y" top: "l" loss_weight: 0 }'
        'layer { name: "m" type: "EuclideanLoss" bottom: "x" bottom: "y" top: "m" }',
        tmp_path,
    )
    weights = {graph.values[v].name: graph.loss_weight(v) for v in graph.outputs}
    assert weights == {"t": -0.5, "l": 0.0, "m": 1.0}


def test_a_loss_weight_for_each_top(tmp_path: Path) -> None:
    said = refusal(
        INPUT
        + 'layer { name: "t" type: "TanH" bottom: "data" top: "t" loss_weight: 1 loss_weight: 2 }',
        tmp_path,
    )
    assert (
        said
        == "net.prototxt:2:1: layer 't' (TanH): loss_weight given 2 time(s) for 1 top(s); needed: never, or once per top"
    )


@pytest.mark.parametrize(
    ("layer", "said"),
    [
        (
            'name: "a" type: "ReLu" bottom: "data" top: "a"',
            ":2:19: layer 'a' (ReLu): Unknown layer type: ReLu (known types: AbsVal, ",
        ),
        ('name: "a" type: "ReLu" bottom: "data" top: "a"', "; nearest: 'ReLU'"),
        (
            'name: "a" type: "ReLU" bottom: "date" top: "a"',
            "Unknown bottom blob 'date' (bottom index 0)",
        ),
        ('name: "a" type: "ReLU" bottom: "date" top: "a"', "net.prototxt:2:32: layer 'a' (ReLU): "),
        ('name: "a" type: "ReLU" bottom: "date" top: "a"', "nearest: 'data'"),
        (
            'name: "a" type: "Input" top: "a" top: "data"',
            ":2:42: layer 'a' (Input): Top blob 'data' produced by multiple sources",
        ),
        (
            'name: "a" type: "Eltwise" bottom: "data" top: "a"',
            ":2:1: layer 'a' (Eltwise): takes at least 2 bottom blob(s), 1 given",
        ),
        ('name: "a" type: "Flatten" bottom: "data" top: "data"', "this type cannot work in place"),
        (
            'name: "a" type: "InnerProduct" bottom: "data" top: "data" inner_product_param { num_output: 2 }',
            ":2:55: layer 'a' (InnerProduct): top 'data' is also the bottom, and has shape (4, 2) where that has (4, 3, 8, 8); needed: a",
        ),
        (
            'name: "a" type: "ReLU" bottom: "data" top: "a" param { }',
            "1 param specs for 0 parameter blob(s)",
        ),
        (
            'name: "a" type: "ReLU" bottom: "data" top: "a" propagate_down: true propagate_down: true',
            "propagate_down given 2 time(s)",
        ),
        (
            'name: "a" type: "Input" top: "a" input_param { shape { dim: 65536 dim: 65536 } }',
            "blob size exceeds INT_MAX",
        ),
        (
            'name: "a" type: "Input" top: "a" input_param { shape { dim: 0 dim: 4294967295 } }',
            "blob size exceeds INT_MAX",
        ),
        ('name: "a" type: "Input" top: "a" input_param { shape { dim: -2 } }', "negative dim -2"),
        (
            'name: "a" type: "Input" top: "a" input_param { shape { ' + "dim: 1 " * 33 + "} }",
            "top 0 has 33 axes; needed: at most 32",
        ),
        (
            'name: "a" type: "InnerProduct" bottom: "data" top: "a" inner_product_param { num_output: 2000000000 }',
            "layer 'a' (InnerProduct): top 0 has shape (4, 2000000000), 8000000000 elements: blob size exceeds INT_MAX",
        ),
        (
            'name: "a" type: "InnerProduct" bottom: "data" top: "a" inner_product_param { num_output: 20000000 }',
            "parameter 0 has shape (20000000, 192), 3840000000 elements: blob size exceeds INT_MAX; needed: at most 2147483647",
        ),
        (
            'name: "a" type: "Convolution" bottom: "data" top: "a"\n convolution_param { num_output: 1 kernel_size: 4294967295 }',
            ":3:36: layer 'a' (Convolution): kernel_size is 4294967295; needed: at most 2147483647",
        ),
        (
            'name: "a" type: "DomainTransform" bottom: "data" top: "a"',
            "Unknown layer type: DomainTransform (fork: hszhao/PSPNet, ",
        ),
        (
            'name: "a" type: "Convolution" bottom: "data" top: "a"\n convolution_param { weight_fixed: true }',
            ":3:22: layer 'a' (Convolution): 'ConvolutionParameter.weight_fixed' is not BVLC Caffe's (fork: synopsys-caffe)",
        ),
        (
            'name: "a" type: "AnnotatedData" top: "a" annotated_data_param { seg_scales: 4 }',
            "layer 'a' (AnnotatedData): 'AnnotatedDataParameter.seg_scales' is not BVLC Caffe's (fork: eric612/MobileNet-YOLO)",
        ),
    ],
)
def test_what_does_not_fit(layer: str, said: str, tmp_path: Path) -> None:
    assert said in refusal(f"{INPUT}layer {{ {layer} }}", tmp_path)


def test_a_setting_of_a_fork_for_the_whole_net(tmp_path: Path) -> None:
    said = refusal(INPUT + "multinode { }", tmp_path)
    assert said.startswith(
        "net.prototxt:2:1: 'NetParameter.multinode' is not BVLC Caffe's (fork: intel/caffe)"
    )


def test_fields_of_forks_that_change_no_number(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log.sink, "min_level", log.WARNING)
    conv = "convolution_param { num_output: 1 kernel_size: 1 engine: MKL2017 cudnn_convolution_algo_seeker: GET }"
    norm = 'layer { name: "n" type: "BatchNorm" bottom: "c" top: "n" batch_norm_param { engine: CAFFE } }'
    compiled(
        f'default_forward_type: FLOAT16\n{INPUT}layer {{ name: "c" type: "Convolution" bottom: "data" top: "c" {conv} }}\n{norm}',
        tmp_path,
    )
    said = [
        line.split("net.cpp:0] ")[1].removeprefix(f"{tmp_path}/")
        for line in capsys.readouterr().err.splitlines()
    ]
    assert said == [
        "net.prototxt:1:1: 'NetParameter.default_forward_type' is another Caffe's (NVIDIA/caffe) and has no effect here",
        "net.prototxt:3:128: 'ConvolutionParameter.cudnn_convolution_algo_seeker' is another Caffe's (NVIDIA/caffe) and has no effect here",
        "net.prototxt:4:77: 'BatchNormParameter.engine' is another Caffe's (intel/caffe, NVIDIA/caffe) and has no effect here",
    ]


def test_forks_are_found_before_data_are_opened(tmp_path: Path) -> None:
    text = 'layer { name: "d" type: "Data" top: "d" data_param { source: "no" } }\nlayer { name: "p" type: "MatWrite" bottom: "d" top: "p" }'
    assert refusal(text, tmp_path).startswith(
        "net.prototxt:2:19: layer 'p' (MatWrite): Unknown layer type: MatWrite (fork: hszhao/PSPNet, "
    )


@pytest.mark.parametrize(
    "layer",
    [
        'type: "Data" data_param { source: "no" batch_size: 1 }',
        'type: "ImageData" top: "l" image_data_param { }',
    ],
)
def test_images_are_resized_and_cropped_by_two_sides(layer: str, tmp_path: Path) -> None:
    """The fields are SSD's, and are not refused as another Caffe's."""
    with pytest.raises(DataError) as caught:
        compiled(
            f'layer {{ name: "d" top: "d" {layer} transform_param {{ resize_param {{ }} crop_h: 5 crop_w: 6 }} }}',
            tmp_path,
        )
    assert "is not BVLC Caffe's" not in str(caught.value)


class Source:
    """Stands for a data layer's source."""

    shapes = ((2, 3), (2,))


def test_sources_tell_their_shapes(tmp_path: Path) -> None:
    text = 'layer { name: "d" type: "Data" top: "data" top: "label" } layer { name: "s" type: "Softmax" bottom: "data" top: "s" }'
    graph = compiled(text, tmp_path, opener=lambda layer: Source())
    assert (shape(graph, "data"), shape(graph, "label"), shape(graph, "s")) == (
        (2, 3),
        (2,),
        (2, 3),
    )
    assert list(graph.sources) == [0]
    assert graph.inputs == ()


def test_a_source_that_cannot_be_opened(tmp_path: Path) -> None:
    def opener(layer: Any) -> Any:
        raise DataError("no such database")

    with pytest.raises(DataError, match=r"net.prototxt:1:2: layer 'd' \(Data\): no such database"):
        compiled(' layer { name: "d" type: "Data" top: "data" }', tmp_path, opener=opener)


def test_a_source_whose_name_holds_a_nul_byte(tmp_path: Path) -> None:
    text = 'layer { name: "a" type: "ImageData" top: "a" top: "b" image_data_param { source: "a\\000b" batch_size: 1 } }'
    with pytest.raises(
        DataError,
        match=r"net.prototxt:1:1: layer 'a' \(ImageData\): the name of a file holds a NUL byte",
    ):
        compiled(text, tmp_path)


def test_errors_without_places(tmp_path: Path) -> None:
    from caffepy.net import compile
    from caffepy.proto import caffe_pb2

    with pytest.raises(LayerError, match=r"^layer 'a' \(Nix\): Unknown layer type: Nix"):
        compile(caffe_pb2.NetParameter(layer=[caffe_pb2.LayerParameter(name="a", type="Nix")]))


def test_the_log_is_caffes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log.sink, "min_level", log.INFO)
    monkeypatch.setattr(log.sink, "prefix", False)
    compiled(
        PAIR
        + 'layer { name: "t" type: "TanH" bottom: "x" top: "x" }layer { name: "l" type: "EuclideanLoss" bottom: "x" bottom: "y" }',
        tmp_path,
    )
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "Initializing net from parameters: "
    assert "" not in lines
    assert lines[lines.index("Creating layer in") :] == [
        "Creating layer in",
        "Creating Layer in",
        "in -> x",
        "in -> y",
        "Setting up in",
        "Top shape: 2 3 (6)",
        "Top shape: 2 3 (6)",
        "Memory required for data: 48",
        "Creating layer t",
        "Creating Layer t",
        "t <- x",
        "t -> x (in-place)",
        "Setting up t",
        "Top shape: 2 3 (6)",
        "Memory required for data: 72",
        "Creating layer l",
        "Creating Layer l",
        "l <- x",
        "l <- y",
        "l -> (automatic)",
        "Setting up l",
        "Top shape: (1)",
        "    with loss weight 1",
        "Memory required for data: 76",
        "l does not need backward computation.",
        "t does not need backward computation.",
        "in does not need backward computation.",
        "Network initialization done.",
    ]


def test_the_log_tells_of_no_element_where_an_input_has_no_shape_yet(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log.sink, "min_level", log.INFO)
    monkeypatch.setattr(log.sink, "prefix", False)
    compiled('layer { name: "in" type: "Input" top: "x" top: "y" }', tmp_path)
    lines = capsys.readouterr().err.splitlines()
    at = lines.index("Setting up in")
    assert lines[at + 1 : at + 4] == [
        "Top shape: (0)",
        "Top shape: (0)",
        "Memory required for data: 0",
    ]


def test_every_error_is_one_of_ours() -> None:
    assert issubclass(LayerError, NetError)
    assert issubclass(NetError, CaffeError)


def test_a_layer_that_makes_another_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log.sink, "min_level", log.INFO)
    monkeypatch.setattr(log.sink, "prefix", False)
    scale = 'layer { name: "%s" type: "Scale" bottom: "x" top: "%s" scale_param { bias_term: %s } }'
    loss = 'layer { name: "l" type: "SoftmaxWithLoss" bottom: "a" bottom: "t" top: "l" }'
    inputs = 'layer { name: "in" type: "Input" top: "x" top: "t" input_param { shape { dim: 2 dim: 3 } shape { dim: 2 } } }'
    compiled(inputs + scale % ("a", "a", "true") + scale % ("b", "b", "false") + loss, tmp_path)
    lines = capsys.readouterr().err.splitlines()
    assert [line for line in lines if line.startswith("Creating layer")] == [
        f"Creating layer {name}" for name in ("in", "x_in_0_split", "a", "a", "b", "l", "l")
    ]
    assert lines[lines.index("l -> l") + 1] == "Creating layer l"
