"""Pictures of nets."""

from __future__ import annotations

import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from caffepy.cli.main import run
from caffepy.errors import DataError, UsageError
from caffepy.proto import caffe_pb2
from caffepy.proto.text import parse
from caffepy.report.draw import draw_net_to_file
from caffepy.report.draw.picture import labels, picture
from caffepy.report.draw.scene import Arrow, scene

NET = """
name: "a \\"net\\" & more"
layer { name: "train" type: "Data" top: "data" top: "label" include { phase: TRAIN } }
layer { name: "test" type: "Data" top: "data" top: "label" include { phase: TEST } }
layer { name: "conv" type: "Convolution" bottom: "data" top: "conv" param { lr_mult: 1 } param { lr_mult: 2 }
        convolution_param { num_output: 8 kernel_size: 3 stride: 2 pad: 1 group: 2 } }
layer { name: "bn" type: "BatchNorm" bottom: "conv" top: "conv" }
layer { name: "relu" type: "ReLU" bottom: "conv" top: "conv" }
layer { name: "pool" type: "Pooling" bottom: "conv" top: "pool" pooling_param { pool: AVE kernel_h: 2 kernel_w: 3 } }
layer { name: "ip" type: "InnerProduct" bottom: "pool" top: "score" inner_product_param { num_output: 4 } }
layer { name: "drop" type: "Dropout" bottom: "score" top: "score" dropout_param { dropout_ratio: 0.3 } }
layer { name: "acc" type: "Accuracy" bottom: "score" bottom: "label" top: "acc" exclude { phase: TRAIN } }
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "score" bottom: "label" top: "loss" }
"""


@pytest.fixture
def net() -> caffe_pb2.NetParameter:
    message = caffe_pb2.NetParameter()
    parse(NET, message, file="net")
    return message


def test_both_phases(net: caffe_pb2.NetParameter) -> None:
    shown = scene(net)
    assert [(box.name, box.lines) for box in shown.boxes] == [
        ("train", ["Data", "TRAIN only"]),
        ("test", ["Data", "TEST only"]),
        ("conv", ["Convolution 3x3/2+1 → 8, group 2", "BatchNorm", "ReLU"]),
        ("pool", ["AVE pooling 2x3"]),
        ("ip", ["InnerProduct → 4", "Dropout 0.3"]),
        ("acc", ["Accuracy", "TEST only"]),
        ("loss", ["SoftmaxWithLoss"]),
    ]
    labels = [Arrow(1, 5, "label"), Arrow(0, 6, "label"), Arrow(1, 6, "label")]
    assert [a for a in shown.arrows if a.label == "label"] == labels  # no training labels to what only tests
    assert {(a.source, a.target, a.label) for a in shown.arrows if a.label != "label"} == {
        *((0, 2, "data"), (1, 2, "data"), (2, 3, ""), (3, 4, "")),
        *((4, 5, "score"), (4, 6, "score")),
    }


def test_one_phase_with_rates(net: caffe_pb2.NetParameter) -> None:
    shown = scene(net, phase="TRAIN", display_lrm=True)
    assert [box.name for box in shown.boxes] == ["train", "conv", "pool", "ip", "loss"]
    assert shown.boxes[0].lines == ["Data"]
    assert shown.boxes[1].lines == ["Convolution 3x3/2+1 → 8, group 2", "lr 1, 2", "BatchNorm", "ReLU"]


def test_dot(net: caffe_pb2.NetParameter, tmp_path: Path) -> None:
    draw_net_to_file(net, str(tmp_path / "a.dot"), rankdir="LR")
    text = (tmp_path / "a.dot").read_text(encoding="utf-8")
    assert text.startswith('digraph "a \\"net\\" & more" {\n  rankdir=LR;\n')
    assert 'label="conv\\nConvolution 3x3/2+1 → 8, group 2\\nBatchNorm\\nReLU"' in text
    assert '  n0 -> n2 [label="data"];\n' in text
    assert text.count("->") == 8


def test_svg(net: caffe_pb2.NetParameter, tmp_path: Path) -> None:
    for way in ("TB", "LR"):
        draw_net_to_file(net, str(tmp_path / "a.svg"), rankdir=way)
        root = ET.parse(tmp_path / "a.svg").getroot()
        name = "{http://www.w3.org/2000/svg}"
        assert root.findtext(f"{name}title") == 'a "net" & more'
        texts = [element.text for element in root.iter(f"{name}text")]
        assert {"conv", "BatchNorm", "label", "TRAIN only"} <= set(texts)
        assert len(list(root.iter(f"{name}path"))) == 8
        wide = float(root.attrib["width"]) > float(root.attrib["height"])
        assert wide == (way == "LR")


@pytest.mark.parametrize(("way", "back", "axis"), [("TB", "BT", 1), ("LR", "RL", 0)])
def test_the_other_way_round(net: caffe_pb2.NetParameter, way: str, back: str, axis: int) -> None:
    forth, turned = (picture(scene(net), rankdir) for rankdir in (way, back))
    size = (forth.layout.width, forth.layout.height)
    assert (turned.layout.width, turned.layout.height) == size
    points = [(a, b) for shown in zip(forth.layout.paths, turned.layout.paths) for a, b in zip(*shown)]
    points += [*zip(forth.layout.centers, turned.layout.centers), *((a[1], b[1]) for a, b in zip(labels(forth), labels(turned)))]
    for there, here in points:
        assert here[axis] == pytest.approx(size[axis] - there[axis])
        assert here[1 - axis] == there[1 - axis]


def test_graphviz_text_by_caffes_ending(net: caffe_pb2.NetParameter, tmp_path: Path) -> None:
    draw_net_to_file(net, str(tmp_path / "a.raw"), rankdir="BT")
    assert "rankdir=BT;" in (tmp_path / "a.raw").read_text(encoding="utf-8")


def test_png(net: caffe_pb2.NetParameter, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    draw_net_to_file(net, str(tmp_path / "a.png"))
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")


def test_names_with_dollars(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    net = caffe_pb2.NetParameter()
    net.layer.add(name="$\\frac$", type="Input", top=["a$x^$"])
    net.layer.add(name="_s", type="Silence", bottom=["a$x^$"])
    draw_net_to_file(net, str(tmp_path / "a.png"))
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")


def test_refusals(net: caffe_pb2.NetParameter, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="rankdir up: needed: TB"):
        draw_net_to_file(net, str(tmp_path / "a.svg"), rankdir="up")
    with pytest.raises(DataError, match="there is no folder"):
        draw_net_to_file(net, str(tmp_path / "no/a.svg"))
    pytest.importorskip("matplotlib")
    with pytest.raises(UsageError, match="no picture can be written with the ending 'docx'; needed: one of .*dot, .*gv, "):
        draw_net_to_file(net, str(tmp_path / "a.docx"))


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "net.prototxt").write_text(NET)
    words = ["draw_net", str(tmp_path / "net.prototxt"), str(tmp_path / "a.svg")]
    assert run("caffepy", [*words, "-phase", "TEST", "-rankdir=LR"]) == 0
    assert capsys.readouterr().out == f"{tmp_path}/a.svg\n"
    assert run("caffepy", [*words, "-phase", "BOTH"]) == 1
    assert "-phase BOTH: needed: TRAIN, TEST or ALL" in capsys.readouterr().err


def test_without_torch(root: Path, tmp_path: Path) -> None:
    (tmp_path / "net.prototxt").write_text(NET)
    code = (
        f"import sys; sys.path.insert(0, {str(root)!r}); from caffepy.cli.main import run;"
        "run('caffepy', ['draw_net', 'net.prototxt', 'a.svg']); print('torch' in sys.modules, 'numpy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "a.svg\nFalse False\n"
