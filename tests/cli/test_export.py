"""The export command."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from caffepy.cli.main import run
from caffepy.proto import caffe_pb2
from tests.warm.start import python

NET = """
name: "n"
layer { name: "d" type: "Data" top: "data" top: "label" data_param { source: "nowhere" batch_size: 4 backend: LMDB }
        transform_param { crop_size: 4 } }
layer { name: "ip" type: "InnerProduct" bottom: "data" top: "score" inner_product_param { num_output: 2 } }
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "score" bottom: "label" top: "loss" }
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("net.prototxt").write_text(NET)
    net = caffe_pb2.NetParameter()
    layer = net.layer.add(name="ip", type="InnerProduct")
    layer.blobs.add(data=(np.arange(96) % 7).tolist()).shape.dim.extend([2, 48])
    layer.blobs.add(data=[1, 2]).shape.dim.extend([2])
    Path("w.caffemodel").write_bytes(net.SerializeToString())
    return tmp_path


def export(*words: str) -> int:
    return run("caffepy", ["export", "net.prototxt", *words])


def test_onnx(capsys: pytest.CaptureFixture[str]) -> None:
    onnx, onnxruntime = pytest.importorskip("onnx"), pytest.importorskip("onnxruntime")
    assert export("-weights", "w.caffemodel", "-onnx", "net.onnx") == 0
    out, err = capsys.readouterr()
    lines = out.splitlines()
    assert lines[:2] == ["inputs: data 4 x 3 x 4 x 4", "outputs: score 4 x 2"]
    assert lines[2].startswith("score 4 x 2: differs by ")
    assert lines[3].startswith("score 5 x 2: differs by ")
    assert lines[4] == "wrote net.onnx: 2 operators"
    assert "layer 'd' has no data here" in err
    model = onnx.load("net.onnx")
    onnx.checker.check_model(model, full_check=True)
    assert model.opset_import[0].version == 17
    assert [dim.dim_param or dim.dim_value for dim in model.graph.input[0].type.tensor_type.shape.dim] == ["N", 3, 4, 4]
    x = np.ones((3, 3, 4, 4), np.float32)
    (found,) = onnxruntime.InferenceSession("net.onnx").run(["score"], {"data": x})
    weight = (np.arange(96) % 7).reshape(2, 48)
    np.testing.assert_allclose(found, np.tile(weight.sum(1) + np.float32([1, 2]), (3, 1)), rtol=1e-6)


def test_another_shape_and_no_check(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("onnx")
    assert export("-onnx", "a.onnx", "-nocheck", "-shape", "data=1,1,2,2", "-shape=label=1") == 0
    out, err = capsys.readouterr()
    assert out == "inputs: data 1 x 1 x 2 x 2\noutputs: score 1 x 2\nwrote a.onnx: 2 operators\n"
    assert "no -weights are given" in err


def test_a_model_that_differs_is_not_written(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("onnx")
    pytest.importorskip("onnxruntime")
    from caffepy.onnx import registry

    def wrong(at: Any) -> str:
        return at.op("Gemm", at.op("Flatten", at.x, axis=1), at.floats(np.ones((2, 48))), at.blobs[1], transB=1)

    monkeypatch.setitem(registry.CONVERTERS, "InnerProduct", wrong)
    assert export("-weights", "w.caffemodel", "-onnx", "net.onnx") == 1
    assert "the ONNX model gives another 'score' than this net" in capsys.readouterr().err
    assert not Path("net.onnx").exists()


def test_torch_and_safetensors(capsys: pytest.CaptureFixture[str]) -> None:
    import torch

    assert export("-weights", "w.caffemodel", "-torch", "net.pt2", "-safetensors", "net.safetensors") == 0
    assert capsys.readouterr().out.splitlines()[2:] == ["wrote net.pt2", "wrote net.safetensors: 2 arrays"]
    score = torch.export.load("net.pt2").module()(torch.zeros(3, 3, 4, 4))[0]
    assert score.tolist() == [[1, 2]] * 3
    assert b'"ip.0":{"dtype":"F32","shape":[2,48]' in Path("net.safetensors").read_bytes()


def test_pytorch(capsys: pytest.CaptureFixture[str]) -> None:
    assert export("-weights", "w.caffemodel", "-pytorch", "net.py") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[2].startswith("score 4 x 2: differs by ")
    assert lines[3].startswith("wrote net.py: ")
    assert lines[4] == "wrote net.safetensors: 2 arrays"
    found = subprocess.run(
        [*python(), "-c", "import net, torch; print(net.load()(torch.zeros(3, 3, 4, 4)).tolist())"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert found.stdout == f"{[[1.0, 2.0]] * 3}\n"


def test_pytorch_to_train(capsys: pytest.CaptureFixture[str]) -> None:
    assert export("-weights", "w.caffemodel", "-pytorch", "net.py", "-train") == 0
    out = capsys.readouterr().out
    assert "\nloss: differs by " in out
    assert "\ngradient of ip." in out
    assert "    def loss(self, score, label):" in Path("net.py").read_text()


def test_refusals(capsys: pytest.CaptureFixture[str]) -> None:
    assert export() == 1
    assert "nothing to export; needed: -onnx FILE, -pytorch FILE.py, -torch FILE or -safetensors FILE" in capsys.readouterr().err
    assert export("-safetensors", "a", "-weights", "none.caffemodel") == 1
    assert "File not found: none.caffemodel" in capsys.readouterr().err
    assert export("-safetensors", "a", "-phase", "TRAIN") == 1
    assert "-phase TRAIN: a net is exported as it predicts" in capsys.readouterr().err
    assert export("-pytorch", "net.txt") == 1
    assert "-pytorch net.txt: needed: a name that ends with .py" in capsys.readouterr().err
    assert export("-pytorch", ".py") == 1
    assert "-pytorch .py: needed: a name that ends with .py" in capsys.readouterr().err
    assert export("-pytorch", "y-1.py") == 1
    assert "-pytorch y-1.py: Python cannot import a file of this name; needed: such as y_1.py" in capsys.readouterr().err
    assert export("-pytorch", "a/1.py") == 1
    assert "needed: such as net_1.py" in capsys.readouterr().err
    for flag, name in (("-pytorch", "y.py"), ("-onnx", "y.onnx"), ("-torch", "y.pt2"), ("-safetensors", "y.safetensors")):
        assert export(flag, f"nowhere/{name}", "-weights", "none.caffemodel") == 1
        said = capsys.readouterr().err
        assert "there is no folder nowhere (looked in " in said
        assert said.count("\n") == 1
    assert export("-pytorch", "net.py", "-safetensors", "./net.safetensors") == 1
    assert "-safetensors ./net.safetensors: that is where the weights of net.py go" in capsys.readouterr().err
    assert export("-safetensors", "a", "-train") == 1
    assert "-train is for a Python file; needed: -pytorch FILE.py" in capsys.readouterr().err


@pytest.mark.parametrize("flag", ["-onnx", "-torch", "-safetensors"])
@pytest.mark.parametrize("source", ["net.prototxt", "w.caffemodel"])
def test_what_is_read_is_not_overwritten(flag: str, source: str, capsys: pytest.CaptureFixture[str]) -> None:
    before = Path(source).read_bytes()
    assert export("-weights", "w.caffemodel", flag, f"./{source}") == 1
    assert f"./{source} would be overwritten, and it is what is read" in capsys.readouterr().err
    assert Path(source).read_bytes() == before
