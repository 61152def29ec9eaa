"""DetectNet's Python layers, as nets name them: ``caffe.layers.detectnet``."""

from __future__ import annotations

import importlib
import math

import caffe
import cv2
import numpy as np
import numpy.typing as npt
import pytest

from caffepy.errors import LayerError
from caffepy.pycaffe.detectnet.rectangles import group_rectangles
from tests.pycaffe.nets import ToFile

Floats = npt.NDArray[np.float32]


def python(module: str, name: str, param: str, bottoms: dict[str, tuple[int, ...]], tops: str) -> str:
    inputs = "".join(
        f'layer {{ name: "{blob}" type: "Input" top: "{blob}" input_param {{ shape {{ {" ".join(f"dim: {n}" for n in shape)} }} }} }}\n'
        for blob, shape in bottoms.items()
    )
    blobs = " ".join([*(f'bottom: "{blob}"' for blob in bottoms), *(f'top: "{top}"' for top in tops.split())])
    return inputs + (
        f'layer {{ name: "l" type: "Python" {blobs} python_param {{ module: "caffe.layers.detectnet.{module}" layer: "{name}"'
        f' param_str: "{param}" }} }}'
    )


def cluster(to_file: ToFile, name: str, param: str, coverage: Floats, boxes: Floats, tops: str = "y") -> dict[str, Floats]:
    text = python("clustering", name, param, {"coverage": coverage.shape, "boxes": boxes.shape}, tops)
    net = caffe.Net(to_file(text), caffe.TEST)
    return dict(net.forward(coverage=coverage, boxes=boxes))


def test_the_boxes_of_the_labels_once_each(to_file: ToFile) -> None:
    """Cells of 8 pixels; a box of two cells in the first picture and class, another of class 1 in the second."""
    coverage, boxes = np.zeros((2, 2, 3, 4), np.float32), np.zeros((2, 4, 3, 4), np.float32)
    for x in (1, 2):
        coverage[0, 0, 1, x] = 1
        boxes[0, :, 1, x] = 5 - 8 * x, 2 - 8, 30 - 8 * x, 20 - 8
    coverage[1, 1, 2, 3] = 1
    boxes[1, :, 2, 3] = -24, -16, 1000.6 - 24, 100.04 - 16
    found = cluster(to_file, "ClusterGroundtruth", "32, 24, 8, 2, 3", coverage, boxes, "a b")
    assert found["a"].tolist() == [[[5, 2, 30, 20, 0], [0] * 5, [0] * 5], [[0] * 5] * 3]
    assert found["b"][1].tolist() == [[0, 0, 1000.5, 100.0625, 0], [0] * 5, [0] * 5]  # in half precision
    small = cluster(to_file, "ClusterGroundtruth", "32,16,8,2", coverage, boxes, "a b")  # the third row of cells lies outside
    assert small["a"].shape == (2, 50, 5)
    assert not small["b"].any()


def test_boxes_that_cells_agree_on(to_file: ToFile) -> None:
    coverage, boxes = np.zeros((1, 1, 2, 4), np.float32), np.zeros((1, 4, 2, 4), np.float32)
    coverage[0, 0, 0] = 0.9, 0.6, 0.7, 0.59
    for x, (left, right) in enumerate(((10, 50), (11, 52), (13, 50), (300, 400))):
        boxes[0, :, 0, x] = left - 16 * x, 20, right - 16 * x, 60
    (found,) = cluster(to_file, "ClusterDetections", "64, 32, 16, 0.6, 2, 0.1, 22, 1", coverage, boxes)["y"]
    assert found[0].tolist() == pytest.approx([11, 20, 50, 60, math.log(3)], abs=2e-3)  # x 11.33, widths 40, 41 and 37
    assert not found[1:].any()
    for strict in ("64,32,16,0.6,3,0.1,22", "64,32,16,0.6,2,0.1,41", "64,32,16,0.95,2,0.1,22"):
        assert not cluster(to_file, "ClusterDetections", strict, coverage, boxes)["y"].any()


def test_groups_by_hand() -> None:
    """A chain of neighbours is one group; a group of two lies in one of four and is left out."""
    chain = [[0, 0, 10, 10], [1, 0, 10, 10], [2, 0, 10, 10], [40, 40, 10, 10]]
    means, sizes = group_rectangles(np.array(chain), 1, 0.1)
    assert (means.tolist(), sizes.tolist()) == ([[1, 0, 10, 10]], [3])
    nested = [[0, 0, 100, 100]] * 4 + [[20, 20, 30, 30]] * 2
    assert group_rectangles(np.array(nested), 1, 0.1)[0].tolist() == [[0, 0, 100, 100]]
    assert group_rectangles(np.array(chain), 0, 0.1)[0].tolist() == chain


@pytest.mark.skipif(not hasattr(cv2, "groupRectangles"), reason="OpenCV 5 has no groupRectangles")
def test_groups_are_those_of_opencv() -> None:
    random = np.random.default_rng(0)
    for _ in range(200):
        centers, sides = random.integers(0, 200, (4, 2)), random.integers(5, 120, (4, 2))
        at = random.integers(0, 4, 30)
        jitter = random.integers(-5, 6, (30, 4))
        rectangles = np.concatenate((centers[at], sides[at] + 6), 1) + jitter
        threshold, eps = int(random.integers(0, 4)), float(random.choice([0.02, 0.1, 0.3]))
        wanted, weights = cv2.groupRectangles(rectangles.tolist(), threshold, eps)
        means, sizes = group_rectangles(rectangles, threshold, eps)
        np.testing.assert_array_equal(means, np.array(wanted).reshape(-1, 4))
        np.testing.assert_array_equal(sizes, np.array(weights).ravel())


def test_boxes_found_and_missed_and_the_score(to_file: ToFile) -> None:
    """One found (its overlap is 90 / 110), one found twice, of which one is wrong, one missed; in the other picture one wrong."""
    labels, found = np.zeros((2, 4, 5), np.float32), np.zeros((2, 3, 5), np.float32)
    labels[0, :3, :4] = [[0, 0, 10, 10], [50, 50, 70, 70], [80, 0, 90, 10]]
    found[0, :3] = [[50, 50, 70, 70, 2], [51, 50, 70, 70, 1], [1, 0, 11, 10, 1]]
    found[1, 0] = 5, 5, 9, 9, 1
    score = python("mean_ap", "ScoreDetections", "", {"labels": labels.shape, "found": found.shape}, "y")
    (marked,) = caffe.Net(to_file(score), caffe.TEST).forward(labels=labels, found=found).values()
    assert marked.shape == (2, 7, 5)
    assert marked[0, :4].tolist() == [[50, 50, 70, 70, 1], [1, 0, 11, 10, 1], [51, 50, 70, 70, 2], [80, 0, 90, 10, 3]]
    assert marked[1, 0].tolist() == [5, 5, 9, 9, 2]
    assert not marked[0, 4:].any()
    assert not marked[1, 1:].any()
    strict = python("mean_ap", "ScoreDetections", "0.82", {"labels": labels.shape, "found": found.shape}, "y")
    (other,) = caffe.Net(to_file(strict), caffe.TEST).forward(labels=labels, found=found).values()
    assert (other[..., 4] == 1).sum() == 1
    mean = python("mean_ap", "mAP", "64, 32, 16", {"marked": marked.shape}, "mAP precision recall")
    net = caffe.Net(to_file(mean), caffe.TEST)
    values = net.forward(marked=marked)
    assert values["precision"] == pytest.approx(50)  # 2 of 4
    assert values["recall"] == pytest.approx(200 / 3)
    assert values["mAP"] == pytest.approx(100 / 3)
    assert [float(value[0]) for value in net.forward(marked=np.zeros_like(marked)).values()] == [0, 0, 0]


def test_layer_functions_stay_beside_the_modules() -> None:
    importlib.import_module("caffe.layers.detectnet.clustering")
    assert "InnerProduct" in str(caffe.layers.InnerProduct(num_output=2).to_proto())


@pytest.mark.parametrize(
    ("param", "words"),
    [
        ("32,24", "param_str has 2 numbers; needed: image_size_x, image_size_y, stride, num_classes, max_boxes, of which the last two"),
        ("32,24,x", "param_str is '32,24,x'; needed: numbers, image_size_x"),
        ("32,24,0", "stride is 0; needed: at least 1"),
        ("32,24,8,2", "there are 1 tops; needed: 2, num_classes of param_str"),
        ("32,24,8,1,2", "a picture has 3 boxes; needed: up to 2, or more max_boxes in param_str"),
    ],
)
def test_refusals(to_file: ToFile, param: str, words: str) -> None:
    boxes = np.random.default_rng(0).uniform(1, 9, (1, 4, 1, 3)).astype(np.float32)
    with pytest.raises(LayerError, match=words):
        cluster(to_file, "ClusterGroundtruth", param, np.ones((1, 1, 1, 3), np.float32), boxes)


def test_more_refusals(to_file: ToFile) -> None:
    ones = np.ones((1, 1, 1, 3), np.float32)
    with pytest.raises(LayerError, match=r"bottom 1 is \(1, 1, 1, 3\); needed: \(1, 4, 1, 3\)"):
        cluster(to_file, "ClusterGroundtruth", "24,8,8", ones, ones)
    with pytest.raises(LayerError, match="the net gives boxes that are no finite numbers"):
        cluster(to_file, "ClusterDetections", "24,8,8,0.5,1,0.1,0", ones, np.full((1, 4, 1, 3), np.nan, np.float32))
    with pytest.raises(LayerError, match=r"bottom 1 is \(1, 3, 4\); needed: \(1, boxes, 5\)"):
        caffe.Net(to_file(python("mean_ap", "ScoreDetections", "", {"a": (1, 3, 5), "b": (1, 3, 4)}, "y")), caffe.TEST)
    with pytest.raises(LayerError, match="param_str is 'much'; needed: the least overlap over union"):
        caffe.Net(to_file(python("mean_ap", "ScoreDetections", "much", {"a": (1, 3, 5), "b": (1, 3, 5)}, "y")), caffe.TEST)
    with pytest.raises(LayerError, match="there are 1 tops; needed: 3, mAP, precision and recall"):
        caffe.Net(to_file(python("mean_ap", "mAP", "", {"a": (1, 3, 5)}, "y")), caffe.TEST)
