"""The classification example: labels, scores and refusals."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from caffepy.cli.main import run
from caffepy.proto import caffe_pb2
from caffepy.proto.weights import write_blob

DEPLOY = """
layer { name: "in" type: "Input" top: "data" input_param { shape { dim: 10 dim: 3 dim: 2 dim: 2 } } }
layer { name: "pool" type: "Pooling" bottom: "data" top: "pool" pooling_param { pool: AVE global_pooling: true } }
layer { name: "ip" type: "InnerProduct" bottom: "pool" top: "ip" inner_product_param { num_output: 6 } }
layer { name: "prob" type: "Softmax" bottom: "ip" top: "prob" }
"""
LABELS = [f"n{i} größe" for i in range(6)]
ROWS = np.float32([[0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1], [-0.1, 0, 0], [0, -0.1, 0], [0, 0, -0.1]])
MEAN = np.float32([10, 20, 30])  # of blue, green, red


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A net whose class 0 to 2 score with blue, green and red, 3 to 5 against them; its files in the working folder."""
    monkeypatch.chdir(tmp_path)
    Path("deploy.prototxt").write_text(DEPLOY)
    net = caffe_pb2.NetParameter()
    layer = net.layer.add(name="ip", type="InnerProduct")
    layer.blobs.add(data=ROWS.ravel().tolist()).shape.dim.extend([6, 3])
    layer.blobs.add(data=[0.0] * 6).shape.dim.extend([6])
    Path("net.caffemodel").write_bytes(net.SerializeToString())
    write_blob("mean.binaryproto", np.tile(MEAN[None, :, None, None], (1, 1, 4, 5)))
    Path("labels.txt").write_text("\n".join(LABELS) + "\n", encoding="utf-8")
    return ["deploy.prototxt", "net.caffemodel", "mean.binaryproto", "labels.txt"]


@pytest.mark.parametrize(
    ("image", "seen"),
    [
        (np.full((2, 2, 3), (20, 40, 60), np.uint8), (20, 40, 60)),
        (np.full((8, 6, 3), (20, 40, 60), np.uint8), (20, 40, 60)),
        (np.full((2, 2), 50, np.uint8), (50, 50, 50)),
        (np.full((3, 5, 4), (20, 40, 60, 0), np.uint8), (20, 40, 60)),
    ],
    ids=["as it is", "resized", "gray", "alpha"],
)
def test_scores(image: np.ndarray, seen: tuple[int, ...], files: list[str], capsys: pytest.CaptureFixture[str]) -> None:  # type: ignore[type-arg]
    cv2.imwrite("im.png", image)
    assert run("classification", [*files, "im.png"]) == 0
    exponents = ROWS @ (np.float32(seen) - MEAN)
    scores = np.exp(exponents) / np.exp(exponents).sum()
    best = np.argsort(-scores, kind="stable")[:5]
    assert capsys.readouterr().out.splitlines() == [
        "---------- Prediction for im.png ----------",
        *(f'{scores[i]:.4f} - "{LABELS[i]}"' for i in best),
    ]


@pytest.mark.parametrize(
    ("change", "content", "message"),
    [
        ("im.png", "", "Unable to decode image im.png"),
        (
            "labels.txt",
            "a\nb\n",
            "labels.txt: Number of labels is different from the output layer dimension: 2 labels, output of shape (1, 6)",
        ),
        ("deploy.prototxt", DEPLOY.replace("dim: 3", "dim: 2"), "deploy.prototxt: Input layer should have 1 or 3 channels"),
        (
            "deploy.prototxt",
            DEPLOY + 'layer { name: "z" type: "Input" top: "z" }',
            "deploy.prototxt: Network should have exactly one input; found: data, z",
        ),
    ],
)
def test_refusals(change: str, content: str, message: str, files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    cv2.imwrite("im.png", np.zeros((2, 2, 3), np.uint8))
    Path(change).write_text(content)
    assert run("classification", [*files, "im.png"]) == 1
    assert f"] {message}" in capsys.readouterr().err.splitlines()[-1]


def test_mean_of_other_channels(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    write_blob("mean.binaryproto", np.zeros((1, 1, 4, 5), np.float32))
    assert run("classification", [*files, "im.png"]) == 1
    assert "mean.binaryproto: Number of channels of mean file doesn't match input layer: 1, 3" in capsys.readouterr().err
