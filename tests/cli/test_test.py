"""``caffe test``: scores of weights over batches."""

from __future__ import annotations

import sys
from pathlib import Path

import h5py
import numpy as np
import pytest
from google.protobuf import text_format

from caffepy.cli.main import run
from caffepy.proto import caffe_pb2
from caffepy.proto.weights import write_net

NET = """
name: "n"
layer { name: "d" type: "DummyData" top: "x" top: "t" dummy_data_param { shape { dim: 4 dim: 3 } shape { dim: 4 dim: 1 }
  data_filler { type: "constant" value: 2 } data_filler { type: "constant" value: 1 } } }
layer { name: "ip" type: "InnerProduct" bottom: "x" top: "y" inner_product_param { num_output: 1 } }
layer { name: "loss" type: "EuclideanLoss" bottom: "y" bottom: "t" top: "loss" loss_weight: 0.5 include { phase: TEST } }
layer { name: "sum" type: "Reduction" bottom: "t" top: "sum" include { phase: TEST } }
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A net that computes 2 * (1 + 2 + 3) - 3 = 9 where 1 is wanted: a loss of 8^2 / 2."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "n.prototxt").write_text(NET)
    layer = caffe_pb2.LayerParameter(name="ip", type="InnerProduct")
    values = [np.array([[1, 2, 3]], np.float32), np.array([-3], np.float32)]
    write_net("n.caffemodel", caffe_pb2.NetParameter(name="n", layer=[layer]), [values])
    return tmp_path


def caffe(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, list[str]]:
    code = run("caffe", ["test", *words])
    lines = [line for line in capsys.readouterr().err.splitlines() if "caffe.cpp" in line]
    return code, [line.split("] ", 1)[-1] for line in lines]


def test_scores(capsys: pytest.CaptureFixture[str]) -> None:
    code, lines = caffe(capsys, "-model", "n.prototxt", "-weights", "n.caffemodel", "-iterations", "2")
    assert code == 0
    assert lines == [
        "Use CPU.",
        "Running for 2 iterations.",
        *("Batch 0, loss = 32", "Batch 0, sum = 4", "Batch 1, loss = 32", "Batch 1, sum = 4"),
        *("Loss: 16", "loss = 32 (* 0.5 = 16 loss)", "sum = 4"),
    ]


def test_a_comma_in_the_name_of_a_file(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    (folder / "n.caffemodel").rename("a,b.caffemodel")
    assert caffe(capsys, "-model", "n.prototxt", "-weights", "a,b.caffemodel", "-iterations", "1")[1][-3:] == [
        "Loss: 16",
        "loss = 32 (* 0.5 = 16 loss)",
        "sum = 4",
    ]


def test_the_loss_is_added_up_in_float32(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    weight = caffe_pb2.NetParameter()
    text_format.Parse(NET, weight)
    weight.layer[2].loss_weight[0] = 0.003125  # of 32
    (folder / "n.prototxt").write_text(text_format.MessageToString(weight))
    assert caffe(capsys, "-model", "n.prototxt", "-weights", "n.caffemodel", "-iterations", "1000")[1][-3] == "Loss: 0.099999"


@pytest.mark.parametrize(("iterations", "loss"), [("0", "-nan"), ("-2", "-0")])
def test_no_iterations(iterations: str, loss: str, capsys: pytest.CaptureFixture[str]) -> None:
    code = run("caffe", ["test", "-model", "n.prototxt", "-weights", "n.caffemodel", "-iterations", iterations])
    lines = capsys.readouterr().err.splitlines()
    assert code == 0
    assert lines[-1].endswith(f"] Loss: {loss}")
    (warning,) = [line for line in lines if line.startswith("W")]
    assert f"-iterations {iterations}: no batch is scored" in warning
    assert warning.endswith("; needed: at least 1")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("-weights", "n.caffemodel"), "Need a model definition to score: -model FILE"),
        (("-model", "n.prototxt"), "Need model weights to score: -weights FILE"),
        (("-model", "n.prototxt", "-weights", "none.caffemodel"), "none.caffemodel"),
        (("-model", "n.prototxt", "-weights", "n.caffemodel,"), "weights 'n.caffemodel,': a name is empty"),
    ],
)
def test_refused_in_one_line(capsys: pytest.CaptureFixture[str], words: tuple[str, ...], message: str) -> None:
    assert run("caffe", ["test", *words]) == 1
    fatal = [line for line in capsys.readouterr().err.splitlines() if line.startswith("F")]
    assert len(fatal) == 1
    assert message in fatal[0]


def test_onnxruntime(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("onnx")
    pytest.importorskip("onnxruntime")
    code, lines = caffe(capsys, "-model", "n.prototxt", "-weights", "n.caffemodel", "-iterations", "2", "-engine", "onnxruntime")
    assert code == 0
    assert lines == [
        "Use CPU.",
        "Running for 2 iterations.",
        *("Batch 0, loss = 32", "Batch 0, sum = 4", "Batch 1, loss = 32", "Batch 1, sum = 4"),
        *("Loss: 16", "loss = 32 (* 0.5 = 16 loss)", "sum = 4"),
    ]


def test_without_onnxruntime(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnx", None)
    for name in [name for name in sys.modules if name.startswith("caffepy.onnx.")]:
        monkeypatch.delitem(sys.modules, name)
    assert run("caffe", ["test", "-model", "n.prototxt", "-weights", "n.caffemodel", "-iterations", "1", "-engine", "onnxruntime"]) == 0
    said = capsys.readouterr().err
    assert said.count("runs without onnxruntime") == 1
    assert "the Python package 'onnx' is not installed: pip install 'caffepy[onnx]'" in said
    assert "Batch 0, loss = 32" in said


@pytest.mark.parametrize("name", ["onnxruntime", "openvino"])
def test_an_engine_that_is_not_installed(name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert run("caffe", ["test", "-model", "n.prototxt", "-weights", "n.caffemodel", "-engine", name]) == 1
    said = capsys.readouterr().err
    assert f"-engine {name}: the Python package '{name}' is not installed; needed: pip install 'caffepy[" in said
    assert said.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-engine", "tflite"], "-engine tflite; needed: torch, onnxruntime, openvino or auto"),
        (["-engine", "onnxruntime", "-gpu", "0"], "-engine onnxruntime computes on the CPU"),
        (["-engine", "onnxruntime", "-precision", "bf16"], "-engine onnxruntime computes in fp32"),
    ],
)
def test_flags_that_contradict(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("caffe", ["test", "-model", "n.prototxt", "-weights", "n.caffemodel", *words]) == 1
    assert message in capsys.readouterr().err


DETECTIONS = """
layer { name: "d" type: "HDF5Data" top: "found" top: "objects" hdf5_data_param { source: "list.txt" batch_size: 1 } }
layer { name: "e" type: "DetectionEvaluate" bottom: "found" bottom: "objects" top: "eval" detection_evaluate_param { num_classes: 2 } }
"""


@pytest.mark.parametrize("rest", [-1, 0], ids=["unlike", "alike"])
def test_detections_that_are_more_in_one_batch_than_in_another(rest: int, capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    """SSD's own program writes beyond its sums there."""
    found = np.zeros((2, 1, 2, 7), np.float32)
    found[:, 0, :] = [[0, 1, 0.9, 0, 0, 0.5, 0.5], [0, 1, 0.8, 0.5, 0.5, 1, 1]]
    found[1, 0, 1, :2] = rest, 2 * rest + 1
    objects = np.zeros((2, 1, 1, 8), np.float32)
    objects[:, 0, 0] = [0, 1, 0, 0, 0, 0.5, 0.5, 0]
    with h5py.File("a.h5", "w") as file:
        file["found"], file["objects"] = found, objects
    (folder / "list.txt").write_text("a.h5\n")
    (folder / "n.prototxt").write_text(DETECTIONS)
    assert run("caffe", ["test", "-model", "n.prototxt", "-weights", "n.caffemodel", "-iterations", "2"]) == 0
    lines = [line.split("] ", 1)[-1] for line in capsys.readouterr().err.splitlines()]
    end = lines[lines.index("Loss: 0") + 1 :]
    if rest == 0:
        assert len(end) == 3 * 5
    else:
        assert end == ["The batches have unlike numbers of detections; of all of them, mean average precision (Integral):", "eval = 1"]


def test_other_outputs_whose_size_changes(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    with h5py.File("a.h5", "w") as file:
        file["x"], file["on"] = np.ones((4, 1), np.float32), np.array([[1], [1], [1], [0]], np.float32)
    (folder / "list.txt").write_text("a.h5\n")
    (folder / "n.prototxt").write_text("""
        layer { name: "d" type: "HDF5Data" top: "x" top: "on" hdf5_data_param { source: "list.txt" batch_size: 2 } }
        layer { name: "f" type: "Filter" bottom: "x" bottom: "on" top: "y" }
    """)
    assert run("caffe", ["test", "-model", "n.prototxt", "-weights", "n.caffemodel", "-iterations", "2"]) == 1
    assert "1 numbers in this batch, 2 in the first; needed: the same in every batch" in capsys.readouterr().err
