"""The classification example: labels, scores and refusals."""

from __future__ import annotations

import json
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
def test_scores(image: np.ndarray, seen: tuple[int, ...], files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
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


def scores_of(seen: np.ndarray) -> np.ndarray:
    exponents = ROWS @ np.float32(seen)
    return np.asarray(np.exp(exponents) / np.exp(exponents).sum())


@pytest.mark.parametrize(
    ("flags", "seen"),
    [
        (["-mean", "10,20,30"], (10, 20, 30)),
        (["-mean", "5"], (15, 35, 55)),
        (["-mean", ""], (20, 40, 60)),
        (["-mean=mean.binaryproto", "-scale", "0.5"], (5, 10, 15)),
        (["-mean=0", "--scale=0.1", "-crop", "2"], (2, 4, 6)),
    ],
)
def test_mean_and_scale(flags: list[str], seen: tuple[int, ...], files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    cv2.imwrite("im.png", np.full((2, 2, 3), (20, 40, 60), np.uint8))
    deploy, weights, _, labels = files
    assert run("classification", [*flags, "-json", deploy, weights, labels, "im.png"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {name: found[name] for name in ("model", "weights")} == {"model": deploy, "weights": weights}
    (image,) = found["images"]
    assert image["image"] == "im.png"
    expected = scores_of(np.array(seen))
    best = np.argsort(-expected, kind="stable")[:5]
    assert [entry["label"] for entry in image["predictions"]] == [LABELS[i] for i in best]
    np.testing.assert_allclose([entry["score"] for entry in image["predictions"]], expected[best], rtol=1e-4)


@pytest.mark.parametrize("scale", ["nan", "inf"])
def test_a_scale_that_is_no_number(scale: str, files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run("classification", [*files, "im.png", "-scale", scale]) == 1
    assert f"-scale {scale}: needed: a number such as 0.00390625" in capsys.readouterr().err


def test_the_centre_of_a_larger_image(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    image = np.full((4, 6, 3), 200, np.uint8)
    image[1:3, 2:4] = (20, 40, 60)
    cv2.imwrite("im.png", image)
    deploy, weights, _, labels = files
    assert run("classification", ["-mean=0", "-crop=4,6", "-json", deploy, weights, labels, "im.png"]) == 0
    found = json.loads(capsys.readouterr().out)["images"][0]["predictions"][0]
    assert found["score"] == pytest.approx(scores_of(np.array((20, 40, 60))).max(), rel=1e-4)


def test_several_images_and_a_picture(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib comes with the extra 'tools'")
    for name, value in (("one.png", 20), ("two.png", 60)):
        cv2.imwrite(name, np.full((20, 30, 3), value, np.uint8))
    assert run("classification", [*files, "one.png", "two.png", "-out", "bars.png"]) == 0
    heads = [line for line in capsys.readouterr().out.splitlines() if line.startswith("-")]
    assert heads == [f"---------- Prediction for {name} ----------" for name in ("one.png", "two.png")]
    picture = cv2.imread("bars.png")
    assert picture is not None
    assert picture.shape[0] > 400
    assert run("classification", [*files, "one.png", "-out", "one.png"]) == 1
    assert "one.png" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-mean=1,2", "labels.txt", "im.png"], "-mean has 2 values; needed: one, or 3, as the net's input has channels"),
        (["-mean=1", "-crop=1", "labels.txt", "im.png"], "-crop 1x1 is smaller than the net's input of 2x2"),
        (["-mean=1", "-crop=big", "labels.txt", "im.png"], "-crop big: needed: a number of pixels, or HEIGHT,WIDTH"),
        (["-mean=1", "-out=o.png", "labels.txt", *["im.png"] * 41], "-out with 41 images; needed: at most 40"),
        (["-mean=none.bin", "labels.txt", "im.png"], "mean_file: File not found: none.bin"),
    ],
)
def test_flags_that_do_not_fit(words: list[str], message: str, files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    cv2.imwrite("im.png", np.zeros((2, 2, 3), np.uint8))
    assert run("classification", [*files[:2], *words]) == 1
    assert message in capsys.readouterr().err.splitlines()[-1]


def test_a_net_that_was_trained_on_another_input(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    cv2.imwrite("im.png", np.zeros((2, 2, 3), np.uint8))
    data = 'layer { name: "d" type: "Data" top: "data" transform_param { scale: 0.00390625 mean_file: "m" } }'
    Path("train_val.prototxt").write_text(data + DEPLOY.partition("} }")[2].partition("}")[2])
    assert run("classification", [*files, "im.png"]) == 0
    told = "the net was trained on another input: train_val.prototxt: layer 'd' scales by 0.00390625; see -mean and -scale"
    assert told in capsys.readouterr().err
    assert run("classification", [*files, "im.png", "-scale", "0.00390625"]) == 0
    assert "another input" not in capsys.readouterr().err


@pytest.mark.parametrize("words", [["mean.binaryproto", "labels.txt"], ["labels.txt", "im.png"], ["-mean=1", "labels.txt"]])
def test_too_few_words_show_the_usage(words: list[str], files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run("classification", [*files[:2], *words]) == 1
    assert capsys.readouterr().err.startswith("usage: classification [FLAGS]")
