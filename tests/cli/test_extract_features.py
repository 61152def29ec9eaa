"""extract_features: what lands in the databases."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from caffepy.cli.main import run
from caffepy.data.datum import decode
from caffepy.data.stores import open_read
from caffepy.proto import caffe_pb2

NET = """
layer { name: "d" type: "DummyData" top: "data" top: "label"
        dummy_data_param { shape { dim: 3 dim: 2 dim: 4 dim: 4 } shape { dim: 3 }
                           data_filler { type: "constant" value: -2 } data_filler { type: "constant" value: 7 } } }
layer { name: "conv" type: "Convolution" bottom: "data" top: "conv" convolution_param { num_output: 5 kernel_size: 3 } }
layer { name: "relu" type: "ReLU" bottom: "conv" top: "conv" }
layer { name: "quiet" type: "Silence" bottom: "label" }
"""


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a net and weights of 0.5 and -1.5 by turns, made the working folder."""
    monkeypatch.chdir(tmp_path)
    Path("net.prototxt").write_text(NET)
    net = caffe_pb2.NetParameter()
    layer = net.layer.add(name="conv", type="Convolution")
    weight = np.tile(np.float32([0.5, -1.5, 0.5, -1.5, 0.5])[:, None], (1, 18))
    layer.blobs.add(data=weight.ravel().tolist()).shape.dim.extend([5, 2, 3, 3])
    layer.blobs.add(data=[1.0] * 5).shape.dim.extend([5])
    Path("net.caffemodel").write_bytes(net.SerializeToString())
    return tmp_path


def extract(*words: str) -> int:
    return run("extract_features", ["net.caffemodel", "net.prototxt", *words])


@pytest.mark.parametrize("backend", ["lmdb", "leveldb"])
def test_several_blobs(backend: str, files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert extract("conv,label", "a,b", "2", backend) == 0
    with open_read("a", backend) as store:
        found = [(key, decode(bytes(value))) for key, value in store.items()]
    assert [key for key, _ in found] == [b"%010d" % i for i in range(6)]
    for _, datum in found:
        assert (datum.channels, datum.height, datum.width, len(datum.data), datum.label) == (5, 2, 2, 0, 0)
        # the blob after its in-place ReLU: 18 * -2 * 0.5 + 1 is cut off
        np.testing.assert_array_equal(datum.image()[:, 0, 0], np.float32([0, 55, 0, 55, 0]))
    with open_read("b", backend) as store:
        labels = [decode(bytes(value)) for _, value in store.items()]
    assert [(d.channels, d.height, d.width, float(d.image().item())) for d in labels] == [(1, 1, 1, 7.0)] * 6
    told = [line.partition("] ")[2] for line in capsys.readouterr().err.splitlines() if line.startswith("E")]
    assert told.pop(-2).endswith(" images/s")
    assert told == [
        "Using CPU",
        "Extracting Features",
        "Extracted features of 6 query images for feature blob conv",
        "Extracted features of 6 query images for feature blob label",
        "Successfully extracted the features!",
    ]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["conv", "a,b", "1", "lmdb"], "1 blob name(s) and 2 dataset name(s); needed: as many of both"),
        (["cnov", "a", "1", "lmdb"], "Unknown feature blob name cnov in the network net.prototxt; nearest: 'conv'"),
        (["relu", "a", "1", "lmdb"], "Unknown feature blob name relu in the network net.prototxt; it is a layer, which makes 'conv'"),
        (["conv", "a", "1", "lmbd"], "Unknown database backend 'lmbd'; nearest: 'lmdb'"),
        (["conv", "net.prototxt", "1", "lmdb"], "mkdir net.prototxt failed: it exists already"),
        (["conv,conv", "a,net.prototxt", "1", "lmdb"], "mkdir net.prototxt failed: it exists already"),
        (["conv,label", "a,a", "1", "lmdb"], "a dataset is named twice: a,a; needed: one for each blob"),
    ],
)
def test_refusals(words: list[str], message: str, files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert extract(*words) == 1
    assert f"] {message}" in capsys.readouterr().err.splitlines()[-1]
    assert sorted(p.name for p in files.iterdir()) == ["net.caffemodel", "net.prototxt"]


@pytest.mark.parametrize("batches", ["-1", "many"])
def test_what_is_no_number_of_batches(batches: str, files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert extract("conv", "a", batches, "lmdb") == 1
    assert "ERROR: " in capsys.readouterr().err


def test_no_batches(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert extract("conv", "a", "0", "lmdb") == 0
    told = [line[:1] + line.partition("] ")[2] for line in capsys.readouterr().err.splitlines()]
    with open_read("a", "lmdb") as store:
        assert list(store.items()) == []
    assert told[-4:] == [
        "EExtracting Features",
        "W0 batches: the databases will be empty; needed: at least 1",
        "EExtracted features of 0 query images for feature blob conv",
        "ESuccessfully extracted the features!",
    ]


@pytest.mark.parametrize(("word", "warned"), [("CPU", False), ("cpu", False), ("TPU", True), ("gpu", True)])
def test_whatever_is_not_gpu_is_the_cpu(word: str, warned: bool, files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert extract("conv", "a", "1", "lmdb", word) == 0
    told = [line.partition("] ")[2] for line in capsys.readouterr().err.splitlines()]
    assert (f"'{word}' is no device, and the CPU is used, as in Caffe; needed: CPU or GPU" in told) is warned
    assert "Using CPU" in told


def test_thousands_are_told_of_again_at_the_end(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("net.prototxt").write_text(NET.replace("shape { dim: 3 }", "shape { dim: 500 }"))
    assert extract("label", "a", "2", "lmdb") == 0
    assert capsys.readouterr().err.count("Extracted features of 1000 query images for feature blob label") == 2


@pytest.mark.parametrize("blobs", ["conv", "conv,label,data"])
def test_onnxruntime(blobs: str, files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("onnx")
    pytest.importorskip("onnxruntime")
    names = blobs.split(",")
    for engine in ("torch", "onnxruntime"):
        assert extract(blobs, ",".join(f"{engine}_{name}" for name in names), "2", "lmdb", "-engine", engine) == 0
    assert "without onnxruntime" not in capsys.readouterr().err
    for name in names:
        found = []
        for engine in ("torch", "onnxruntime"):
            with open_read(f"{engine}_{name}", "lmdb") as store:
                found.append([decode(bytes(value)).image() for _, value in store.items()])
        np.testing.assert_allclose(found[1], found[0], rtol=1e-5)
