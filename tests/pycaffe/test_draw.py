"""caffe.draw: pictures of nets, in the words that scripts use."""

from __future__ import annotations

import time
from pathlib import Path

import caffe
import caffe.draw
import pytest
from google.protobuf import text_format

from caffepy.errors import CaffeError
from tests.pycaffe.nets import DEPLOY, SIMPLE, TRAINED

PNG = b"\x89PNG\r\n\x1a\n"


def parsed(text: str) -> caffe.proto.caffe_pb2.NetParameter:
    net = caffe.proto.caffe_pb2.NetParameter()
    text_format.Merge(text, net)
    return net


@pytest.mark.parametrize("text", [SIMPLE, DEPLOY, TRAINED])
@pytest.mark.parametrize("rankdir", ["LR", "TB"])
def test_any_net(text: str, rankdir: str, tmp_path: Path) -> None:
    net = parsed(text)
    caffe.draw.draw_net_to_file(net, tmp_path / "net.svg", rankdir)
    shown = (tmp_path / "net.svg").read_text(encoding="utf-8")
    assert all(layer.name in shown for layer in net.layer if layer.top[:] != layer.bottom[:])  # in-place layers are in others' boxes
    graph = caffe.draw.get_pydot_graph(net, rankdir)
    assert f"rankdir={rankdir}" in graph.to_string()
    assert graph.write(str(tmp_path / "net.dot"))
    assert (tmp_path / "net.dot").read_text(encoding="utf-8") == graph.to_string()


def test_bytes_of_a_picture() -> None:
    pytest.importorskip("matplotlib", reason="PNG takes matplotlib")
    assert caffe.draw.draw_net(parsed(DEPLOY), "LR").startswith(PNG)


def test_the_examples_of_the_repository(root: Path, tmp_path: Path) -> None:
    started = time.perf_counter()
    for path in sorted(root.glob("examples/*/*.prototxt")):
        if "solver" not in path.name:
            caffe.draw.draw_net_to_file(parsed(path.read_text(encoding="utf-8")), tmp_path / "net.dot")
    assert time.perf_counter() - started < 20


def test_phase_and_multipliers() -> None:
    net = parsed(TRAINED)
    everything, trained = (caffe.draw.draw_net(net, "LR", "dot", phase).decode() for phase in (None, caffe.TRAIN))
    assert everything.count("DummyData") == 2
    assert trained.count("DummyData") == 1
    shown = caffe.draw.draw_net(parsed(SIMPLE.replace("decay_mult: 1", "lr_mult: 7")), "LR", "dot", display_lrm=True).decode()
    assert "lr 7, 1" in shown


def test_old_nets_are_brought_up_to_date() -> None:
    old = parsed('layers { name: "data" type: DUMMY_DATA top: "data" } layers { name: "r" type: RELU bottom: "data" top: "r" }')
    assert "ReLU" in caffe.draw.draw_net(old, "TB", "dot").decode()
    assert not old.layer


def test_words_about_layers() -> None:
    _, conv, ip, loss = parsed(SIMPLE).layer
    assert caffe.draw.get_edge_label(conv) == "11"
    assert caffe.draw.get_edge_label(ip) == "13"
    assert caffe.draw.get_edge_label(loss) == '""'
    assert caffe.draw.get_edge_label(caffe.proto.caffe_pb2.LayerParameter(type="Data", data_param={"batch_size": 9})) == "Batch 9"
    assert caffe.draw.get_pooling_types_dict()[0] == "MAX"
    colors = [caffe.draw.choose_color_by_layertype(name) for name in ("Convolution", "Deconvolution", "Pooling", "InnerProduct", "ReLU")]
    assert colors == ["#FF5050", "#FF5050", "#FF9900", "#CC33FF", "#6495ED"]


def test_labels_of_layers() -> None:
    data, conv, ip, _ = parsed(SIMPLE).layer
    pool = parsed(DEPLOY).layer[3]
    assert caffe.draw.get_layer_label(data, "LR") == r'"data\n(DummyData)"'
    assert caffe.draw.get_layer_label(conv, "TB") == '"conv (Convolution) kernel size: 2 stride: 1 pad: 3"'
    assert caffe.draw.get_layer_label(pool, "LR") == r'"pool\n(Pooling MAX)\nkernel size: 2\nstride: 2\npad: 0"'
    conv.param[0].lr_mult = 0.25
    assert caffe.draw.get_layer_label(conv, "BT", display_lrm=True).endswith('pad: 3 lr mult: 0.2, 1.0"')
    assert caffe.draw.get_layer_label(ip, "LR", True) == r'"ip\n(InnerProduct)\nlr mult: 1.0, 1.0"'
    assert [caffe.draw.get_layer_lr_mult(layer) for layer in (conv, ip)] == [(0.25, 1.0), (1.0, 1.0)]
    with pytest.raises(ValueError, match="DummyData layers do not have a learning rate multiplier"):
        caffe.draw.get_layer_lr_mult(data)
    conv.param.add()
    with pytest.raises(ValueError, match="layer 'conv' has 3 param"):
        caffe.draw.get_layer_lr_mult(conv)


def test_formats_by_the_name_of_a_method(tmp_path: Path) -> None:
    graph = caffe.draw.get_pydot_graph(parsed(DEPLOY), "TB")
    assert graph.create_dot().decode() == graph.to_string()
    assert b"<svg" in graph.create_svg()
    assert graph.write_svg(str(tmp_path / "net"))
    assert (tmp_path / "net").read_bytes() == graph.create_svg()
    assert not hasattr(graph, "create_nothing")


def test_misuse(tmp_path: Path) -> None:
    with pytest.raises(CaffeError, match="phase is 5"):
        caffe.draw.draw_net(parsed(DEPLOY), "LR", phase=5)
    with pytest.raises(CaffeError, match="rankdir"):
        caffe.draw.draw_net(parsed(DEPLOY), "diagonal")
    with pytest.raises(CaffeError, match="needed: a caffe_pb2.NetParameter"):
        caffe.draw.draw_net("net.prototxt", "LR")
    with pytest.raises(CaffeError, match="None is no file name"):
        caffe.draw.draw_net_to_file(parsed(DEPLOY), None)
    with pytest.raises(CaffeError):
        caffe.draw.draw_net_to_file(parsed(DEPLOY), tmp_path / "net.nothing")
