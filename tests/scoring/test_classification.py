"""The classifier behind the command: what of an image reaches the net, and the order of labels."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
import torch

from caffepy.errors import CaffeError, DataError, NetError
from caffepy.proto import caffe_pb2
from caffepy.proto.weights import write_blob
from caffepy.scoring.classification import Classifier

DEPLOY = """
layer { name: "in" type: "Input" top: "data" input_param { shape { dim: 10 dim: %d dim: 2 dim: 2 } } }
layer { name: "ip" type: "InnerProduct" bottom: "data" top: "ip" inner_product_param { num_output: 3 bias_term: false } }
"""
LABELS = ["first", "second", "third"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder."""
    monkeypatch.chdir(tmp_path)
    Path("labels.txt").write_text("".join(f"{label}\r\n" for label in LABELS))
    return tmp_path


def classifier(weights: np.ndarray, *, channels: int = 1, mean: float = 0.0) -> Classifier:
    """A net whose outputs are ``weights`` times the pixels of an image of 2 x 2, each over the mean."""
    Path("n.prototxt").write_text(DEPLOY % channels)
    net = caffe_pb2.NetParameter()
    blob = net.layer.add(name="ip", type="InnerProduct").blobs.add(data=weights.ravel().tolist())
    blob.shape.dim.extend(weights.shape)
    Path("n.caffemodel").write_bytes(net.SerializeToString())
    write_blob("mean.binaryproto", np.full((1, channels, 3, 3), mean, np.float32))
    return Classifier("n.prototxt", "n.caffemodel", "mean.binaryproto", "labels.txt", device=torch.device("cpu"))


@pytest.mark.usefixtures("folder")
def test_pixels_reach_the_net_row_by_row_without_the_mean() -> None:
    cv2.imwrite("im.png", np.array([[10, 20], [30, 40]], np.uint8))
    found = classifier(np.eye(4)[[0, 1, 3]], mean=5.0).classify("im.png")
    assert found == [("third", 35.0), ("second", 15.0), ("first", 5.0)]


@pytest.mark.usefixtures("folder")
def test_channels_are_blue_green_red() -> None:
    cv2.imwrite("im.png", np.full((2, 2, 3), (1, 2, 3), np.uint8))
    weights = np.zeros((3, 12))
    weights[[0, 1, 2], [0, 4, 8]] = 1  # the first pixel of each channel
    assert classifier(weights, channels=3).classify("im.png") == [("third", 3.0), ("second", 2.0), ("first", 1.0)]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("channels", [3, 4], ids=["color", "alpha"])
def test_a_net_of_one_channel_sees_gray(channels: int) -> None:
    image = np.full((2, 2, channels), 60, np.uint8)
    cv2.imwrite("im.png", image)
    assert classifier(np.eye(4)[:3]).classify("im.png", 1) == [("first", 60.0)]


@pytest.mark.usefixtures("folder")
def test_equal_scores_keep_the_order_of_the_labels_and_no_more_are_given_than_asked() -> None:
    cv2.imwrite("im.png", np.full((2, 2), 7, np.uint8))
    labels = classifier(np.eye(4)[:3])
    assert [label for label, _ in labels.classify("im.png")] == LABELS
    assert [label for label, _ in labels.classify("im.png", 2)] == LABELS[:2]


@pytest.mark.usefixtures("folder")
def test_one_image_leaves_nothing_for_the_next() -> None:
    for value in (9, 4):
        cv2.imwrite(f"{value}.png", np.full((2, 2), value, np.uint8))
    labels = classifier(np.eye(4)[:3])
    assert [labels.classify(name, 1)[0][1] for name in ("9.png", "4.png", "9.png")] == [9.0, 4.0, 9.0]


@pytest.mark.usefixtures("folder")
def test_files_that_are_not_there_or_do_not_fit() -> None:
    labels = classifier(np.eye(4)[:3])
    with pytest.raises(DataError, match=r"Unable to decode image no\.png: No such file"):
        labels.classify("no.png")
    Path("text.png").write_text("no image")
    with pytest.raises(DataError, match=r"Unable to decode image text\.png: it is no image that OpenCV knows"):
        labels.classify("text.png")
    files = ["n.prototxt", "n.caffemodel", "mean.binaryproto", "labels.txt"]
    for place in range(len(files)):
        wrong = [*files[:place], "missing", *files[place + 1 :]]
        with pytest.raises(CaffeError, match="missing"):
            Classifier(*wrong, device=torch.device("cpu"))
    two = 'layer { name: "a" type: "Power" bottom: "data" top: "a" }'
    Path("n.prototxt").write_text(DEPLOY % 1 + two)
    with pytest.raises(NetError, match=r"n\.prototxt: Network should have exactly one output; found: a, ip"):
        Classifier(*files, device=torch.device("cpu"))
