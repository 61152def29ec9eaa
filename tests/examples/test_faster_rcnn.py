"""Faster R-CNN: its layers in Python, its scripts, and the example itself."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.examples.conftest import RunExample

PACKAGES = ("datasets", "fast_rcnn", "roi_data_layer", "rpn")
SCRIPTS = ("set_classes", "test_net", "make_data")


@pytest.fixture
def lib(root: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of the layers, on the path while a test runs. Each test has settings of its own."""
    example = root / "examples" / "faster_rcnn"
    monkeypatch.delenv("RCNN_CFG", raising=False)
    for folder in (root / "examples" / "common", example, example / "lib"):
        monkeypatch.syspath_prepend(str(folder))
    yield example / "lib"
    for name in list(sys.modules):
        if name.split(".")[0] in (*PACKAGES, *SCRIPTS):
            del sys.modules[name]


@pytest.fixture
def cfg(lib: Path) -> Any:
    from fast_rcnn.config import cfg

    return cfg


def net(tmp_path: Path, text: str, phase: int = 0) -> Any:
    import caffe

    (tmp_path / "net.prototxt").write_text(text)
    return caffe.Net(str(tmp_path / "net.prototxt"), phase)


def python_layer(module: str, layer: str, param_str: str, bottoms: list[str], tops: int) -> str:
    names = "".join(f' bottom: "{name}"' for name in bottoms)
    names += "".join(f' top: "top{i}"' for i in range(tops))
    return (
        f'layer {{ name: "{layer}" type: "Python"{names} python_param {{'
        f' module: "{module}" layer: "{layer}" param_str: "{param_str}" }} }}'
    )


def inputs(**shapes: tuple[int, ...]) -> str:
    """Input layers by name and shape."""
    text = ""
    for name, shape in shapes.items():
        dims = " ".join(f"dim: {dim}" for dim in shape)
        text += f'layer {{ name: "{name}" type: "Input" top: "{name}" input_param {{ shape {{ {dims} }} }} }}\n'
    return text


def overlap(a: Any, b: Any) -> float:
    """Intersection over union of two boxes with both ends included, number by number."""
    width = min(a[2], b[2]) - max(a[0], b[0]) + 1
    height = min(a[3], b[3]) - max(a[1], b[1]) + 1
    shared = max(width, 0) * max(height, 0)
    areas = [(box[2] - box[0] + 1) * (box[3] - box[1] + 1) for box in (a, b)]
    return float(shared / (sum(areas) - shared))


def random_boxes(rng: np.random.Generator, count: int, size: float = 100) -> np.ndarray:
    corner = rng.uniform(0, size, (count, 2))
    return np.hstack([corner, corner + rng.uniform(4, size / 2, (count, 2))])


@pytest.mark.usefixtures("lib")
def test_anchors_are_the_published_ones() -> None:
    from rpn.generate_anchors import generate_anchors

    # the nine anchors of Faster R-CNN: widths and heights by ratio and scale, around (7.5, 7.5)
    anchors = generate_anchors()
    sides = (anchors[:, 2:] - anchors[:, :2] + 1).astype(int).tolist()
    assert sides[:3] == [[184, 96], [368, 192], [736, 384]]
    assert sides[3:6] == [[128, 128], [256, 256], [512, 512]]
    assert sides[6:] == [[88, 176], [176, 352], [352, 704]]
    np.testing.assert_array_equal(anchors[:, :2] + anchors[:, 2:], 15)


@pytest.mark.usefixtures("lib")
def test_offsets_move_boxes_onto_targets() -> None:
    from fast_rcnn.bbox_transform import bbox_transform, bbox_transform_inv, clip_boxes

    rng = np.random.default_rng(1)
    boxes = random_boxes(rng, 6)
    targets = random_boxes(rng, 6)
    moved = bbox_transform_inv(boxes, np.hstack([bbox_transform(boxes, targets)] * 2))
    # one more at the end, as in py-faster-rcnn
    expected = targets + np.array([0, 0, 1, 1])
    np.testing.assert_allclose(moved, np.hstack([expected, expected]), atol=1e-9)
    clipped = clip_boxes(np.array([[-5.0, 3, 200, 90]]), (80, 120, 3))
    assert clipped.tolist() == [[0, 3, 119, 79]]


@pytest.mark.usefixtures("lib")
def test_suppression_equals_the_plain_search() -> None:
    from fast_rcnn.bbox_transform import BLOCK, nms

    rng = np.random.default_rng(2)
    count = 2 * BLOCK + 30
    found = np.hstack([random_boxes(rng, count), rng.integers(0, 40, (count, 1)) / 40])
    kept: list[int] = []
    for i in np.argsort(-found[:, 4], kind="stable"):
        if all(overlap(found[i], found[j]) <= 0.5 for j in kept):
            kept.append(int(i))
    assert nms(found, 0.5).tolist() == kept
    assert nms(found, 0.5, 7).tolist() == kept[:7]
    assert nms(np.zeros((0, 5)), 0.5).tolist() == []


def test_settings_are_read_from_published_files(cfg: Any, tmp_path: Path) -> None:
    from fast_rcnn.config import cfg_from_file
    from fast_rcnn.settings import read_settings

    assert read_settings("'feat_stride': 16 \n'scales': !!python/tuple [4, 8, 16, 32]") == {
        "feat_stride": 16,
        "scales": [4, 8, 16, 32],
    }
    assert read_settings("{'feat_stride': 16, 'scales': (2, 4)}")["scales"] == (2, 4)
    file = tmp_path / "settings.yml"
    file.write_text(
        'EXP_DIR: "end2end"  # a comment\nTRAIN:\n  HAS_RPN: True\n  BATCH_SIZE: -1\n'
        "  SCALES: [300, 400]\n  RPN_POSITIVE_WEIGHT: 1\nCLASSES: [a cat, dog]\nTEST:\n  NMS: 0.4\n"
    )
    cfg_from_file(file)
    assert cfg.TRAIN.BATCH_SIZE == -1
    assert cfg.TRAIN.SCALES == (300, 400)
    assert cfg.CLASSES == ("a cat", "dog")
    assert cfg.TEST.NMS == 0.4


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("TRAIN:\n  HAS_RPN: False", "TRAIN.HAS_RPN is False; needed: True"),
        ("TRAIN:\n  SCALE: 600", "there is no setting TRAIN.SCALE"),
        ("TRAIN:\n  BATCH_SIZE: many", "TRAIN.BATCH_SIZE is 'many'; needed: one like 128"),
        ("TRAIN:\n  BATCH_SIZE 3", "line 2 is 'BATCH_SIZE 3'; needed: KEY: VALUE"),
        ("TRAIN: 3", "TRAIN is 3; needed: settings"),
    ],
)
@pytest.mark.usefixtures("lib")
def test_wrong_settings_are_named(text: str, message: str, tmp_path: Path) -> None:
    from fast_rcnn.config import Config, cfg_from_file

    (tmp_path / "settings.yml").write_text(text)
    with pytest.raises(ValueError, match=f"settings.yml: {message}"):
        cfg_from_file(tmp_path / "settings.yml", Config())


def anchor_targets(tmp_path: Path, boxes: list[list[float]], size: int = 64) -> list[np.ndarray]:
    """The tops of AnchorTargetLayer for a picture of `size` by `size`."""
    places = size // 8
    layer = python_layer(
        "rpn.anchor_target_layer",
        "AnchorTargetLayer",
        "'feat_stride': 8\\n'scales': [1, 2]",
        ["scores", "boxes", "im_info", "data"],
        4,
    )
    shapes = inputs(
        scores=(1, 12, places, places),
        boxes=(len(boxes), 5),
        im_info=(1, 3),
        data=(1, 3, size, size),
    )
    made = net(tmp_path, shapes + layer)
    made.blobs["boxes"].data[...] = np.array(boxes).reshape(-1, 5)
    made.blobs["im_info"].data[...] = [[size, size, 1]]
    made.forward()
    return [made.blobs[f"top{i}"].data.copy() for i in range(4)]


def test_anchor_targets(cfg: Any, tmp_path: Path) -> None:
    from fast_rcnn.bbox_transform import bbox_transform_inv
    from rpn.generate_anchors import by_place, generate_anchors, place_anchors

    boxes = [[8, 8, 40, 38, 2], [50, 44, 57, 60, 1]]
    labels, *values = anchor_targets(tmp_path, boxes)
    assert labels.shape == (1, 1, 6 * 8, 8)
    placed = place_anchors(generate_anchors(scales=[1, 2]), 8, 8, 8)
    flat = labels.reshape(6, 8, 8).transpose(1, 2, 0).reshape(-1)
    inside = (placed[:, :2] >= 0).all(axis=1) & (placed[:, 2:] < 64).all(axis=1)
    overlaps = np.array([[overlap(anchor, box) for box in boxes] for anchor in placed])
    overlaps[~inside] = 0
    assert (flat[~inside] == -1).all()
    assert (flat[overlaps.max(axis=1) >= 0.7] == 1).all()
    best = overlaps == overlaps.max(axis=0)
    assert (flat[best.any(axis=1)] == 1).all()
    middling = inside & (overlaps.max(axis=1) >= 0.3) & (overlaps.max(axis=1) < 0.7)
    assert (flat[middling & ~best.any(axis=1)] == -1).all()
    assert (flat[inside & (overlaps.max(axis=1) < 0.3) & ~best.any(axis=1)] == 0).all()
    targets, inner, outer = (by_place(value, 4) for value in values)
    positive = np.flatnonzero(flat == 1)
    moved = bbox_transform_inv(placed[positive], targets[positive].astype(float))
    wanted = np.array(boxes)[overlaps[positive].argmax(axis=1), :4] + [0, 0, 1, 1]
    np.testing.assert_allclose(moved, wanted, atol=1e-4)
    assert (inner == (flat == 1)[:, None]).all()
    np.testing.assert_allclose(outer.sum(axis=0), 1, rtol=1e-5)


def test_anchor_targets_are_sampled(cfg: Any, tmp_path: Path) -> None:
    cfg.TRAIN.RPN_BATCHSIZE = 12
    cfg.TRAIN.RPN_POSITIVE_OVERLAP = 0.35
    labels, *_ = anchor_targets(tmp_path, [[8, 8, 40, 38, 2], [30, 26, 57, 60, 1]])
    assert (labels == 1).sum() == 6
    assert (labels == 0).sum() == 6
    # the best anchor of a box counts unless RPN_CLOBBER_POSITIVES
    cfg.TRAIN.RPN_POSITIVE_OVERLAP = 0.7
    far = [[0, 0, 3, 3, 1]]
    assert (anchor_targets(tmp_path, far)[0] == 1).sum() >= 1
    cfg.TRAIN.RPN_CLOBBER_POSITIVES = True
    assert (anchor_targets(tmp_path, far)[0] == 1).sum() == 0
    cfg.TRAIN.RPN_CLOBBER_POSITIVES = False
    # no box: nothing is an object
    labels, *_ = anchor_targets(tmp_path, [])
    assert (labels == 0).sum() == 12
    assert (labels == 1).sum() == 0
    # a positive weight divides the offsets' loss
    cfg.TRAIN.RPN_POSITIVE_WEIGHT = 0.25
    labels, _, _, outer = anchor_targets(tmp_path, [[8, 8, 40, 38, 2]])
    np.testing.assert_allclose(outer[:, ::4].sum(), 1, rtol=1e-5)


PROPOSAL = """
layer { name: "proposal" type: "Proposal" bottom: "prob" bottom: "offsets" bottom: "im_info" top: "top0" top: "top1"
  proposal_param { feat_stride: 8 base_size: 16 ratio: 0.5 ratio: 1 ratio: 2 scale: 1 scale: 2 min_size: 8
    pre_nms_topn: 60 post_nms_topn: 25 nms_thresh: 0.7 } }
"""


def test_proposals_equal_those_of_pvanet(cfg: Any, tmp_path: Path) -> None:
    import caffe

    cfg.TEST.RPN_MIN_SIZE = 8
    cfg.TEST.RPN_PRE_NMS_TOP_N = 60
    cfg.TEST.RPN_POST_NMS_TOP_N = 25
    shapes = inputs(prob=(1, 12, 7, 9), offsets=(1, 24, 7, 9), im_info=(1, 4))
    ours = python_layer(
        "rpn.proposal_layer",
        "ProposalLayer",
        "'feat_stride': 8\\n'scales': [1, 2]",
        ["prob", "offsets", "im_info"],
        2,
    )
    rng = np.random.default_rng(5)
    given = {
        "prob": rng.random((1, 12, 7, 9)).astype(np.float32),
        "offsets": rng.normal(0, 0.3, (1, 24, 7, 9)).astype(np.float32),
        "im_info": np.array([[56, 72, 1.5, 1.5]], np.float32),
    }
    results = []
    for layer in (ours, PROPOSAL):
        made = net(tmp_path, shapes + layer, caffe.TEST)
        found = made.forward(**given)
        results.append([found["top0"].copy(), found["top1"].reshape(-1).copy()])
    np.testing.assert_allclose(results[0][0], results[1][0], atol=1e-3)
    np.testing.assert_array_equal(results[0][1], results[1][1])
    assert 5 < len(results[0][0]) <= 25
    assert (np.diff(results[0][1]) <= 0).all()
    sides = results[0][0][:, 3:] - results[0][0][:, 1:3] + 1
    assert (sides >= 12 - 1e-3).all()  # the least size, times the picture's scale


def test_normalised_offsets_are_undone_in_training(cfg: Any, tmp_path: Path) -> None:
    cfg.TRAIN.RPN_NORMALIZE_TARGETS = True
    layer = python_layer(
        "rpn.proposal_layer",
        "ProposalLayer",
        "'feat_stride': 16",
        ["prob", "offsets", "im_info"],
        1,
    )
    shapes = inputs(prob=(1, 18, 1, 1), offsets=(1, 36, 1, 1), im_info=(1, 3))
    made = net(tmp_path, shapes + layer)
    prob = np.zeros((1, 18, 1, 1))
    prob[0, 9 + 3] = 1  # the anchor of 128 by 128
    offsets = np.zeros((1, 36, 1, 1))
    offsets[0, 12:14, 0, 0] = 3
    # shifted to (300, 300), so that no edge of the picture cuts it off
    offsets[0, 12:14, 0, 0] += 290 / 128 / 0.1
    found = made.forward(prob=prob, offsets=offsets, im_info=np.array([[600, 600, 1]]))["top0"]
    np.testing.assert_allclose((found[0, 1:3] + found[0, 3:]) / 2, 8 + 0.3 * 128 + 290, rtol=1e-5)


def proposal_targets(
    tmp_path: Path, regions: np.ndarray, boxes: np.ndarray, classes: int
) -> list[Any]:
    layer = python_layer(
        "rpn.proposal_target_layer",
        "ProposalTargetLayer",
        f"'num_classes': {classes}",
        ["regions", "boxes"],
        5,
    )
    made = net(tmp_path, inputs(regions=regions.shape, boxes=boxes.shape) + layer)
    made.blobs["regions"].data[...] = regions
    made.blobs["boxes"].data[...] = boxes
    made.forward()
    return [made.blobs[f"top{i}"].data.reshape(len(made.blobs["top0"].data), -1) for i in range(5)]


def test_proposal_targets(cfg: Any, tmp_path: Path) -> None:
    from fast_rcnn.bbox_transform import bbox_transform_inv

    rng = np.random.default_rng(6)
    boxes = np.array([[10, 10, 60, 50, 3], [70, 20, 99, 80, 1]], np.float32)
    near = boxes[rng.integers(2, size=40), :4] + rng.normal(0, 2, (40, 4))
    far = random_boxes(rng, 60) + 150
    regions = np.hstack([np.zeros((100, 1)), np.vstack([near, far])]).astype(np.float32)
    cfg.TRAIN.BATCH_SIZE = 32
    sample, labels, targets, inner, outer = proposal_targets(tmp_path, regions, boxes, 4)
    assert sample.shape == (32, 5)
    assert (labels[:8] > 0).all()
    assert (labels[8:] == 0).all()
    for region, label, row, weight in zip(sample, labels[:, 0].astype(int), targets, inner):
        columns = slice(4 * label, 4 * label + 4)
        assert weight.sum() == weight[columns].sum() == (4 if label else 0)
        if label:
            box = boxes[boxes[:, 4] == label][0, :4]
            assert overlap(region[1:], box) >= 0.5
            offsets = row[None, columns] * [0.1, 0.1, 0.2, 0.2]
            moved = bbox_transform_inv(region[None, 1:], offsets)[0]
            np.testing.assert_allclose(moved, box + np.array([0, 0, 1, 1]), atol=1e-3)
    np.testing.assert_array_equal(outer, inner > 0)


def test_all_regions_and_one_set_of_offsets_for_all_classes(cfg: Any, tmp_path: Path) -> None:
    cfg.TRAIN.BATCH_SIZE = -1
    cfg.TRAIN.AGNOSTIC = True
    boxes = np.array([[10, 10, 60, 50, 3]], np.float32)
    regions = np.array([[0, 10, 10, 58, 50], [0, 100, 100, 120, 130]], np.float32)
    sample, labels, _, inner, _ = proposal_targets(tmp_path, regions, boxes, 2)
    # the true box is one of the regions
    assert labels[:, 0].tolist() == [3, 3, 0]
    assert inner.tolist() == [[0] * 4 + [1] * 4] * 2 + [[0] * 8]
    np.testing.assert_array_equal(sample, np.vstack([regions[0], [0, *boxes[0, :4]], regions[1]]))


@pytest.fixture
def voc(lib: Path, tmp_path: Path) -> Path:
    """Five pictures; the fifth has only what is difficult."""
    from shapes import Scene, Shape, draw_scene
    from voc import write_list, write_scene

    folder = tmp_path / "VOC2007"
    rng = np.random.default_rng(8)
    names = [f"{i:06d}" for i in range(5)]
    for i, name in enumerate(names):
        scene = draw_scene(rng, (40, 60), count=(2, 2))
        hard = i == 4
        shapes = tuple(Shape(shape.kind, shape.mask, hard) for shape in scene.shapes)
        write_scene(folder, name, Scene(scene.image, shapes))
    write_list(folder, "train", names)
    write_list(folder, "val", names[:2])
    return folder


DATA = python_layer("roi_data_layer.layer", "RoIDataLayer", "'im_info': 4", [], 3)


def test_data_layer(cfg: Any, voc: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import caffe
    from datasets.pascal_voc import read_set
    from roi_data_layer.layer import training_set

    cfg.DATA = str(voc)
    cfg.CLASSES = ("circle", "square", "triangle", "cross")
    cfg.TRAIN.IMAGE_SET = "train"
    cfg.TRAIN.SCALES = (80,)
    cfg.PIXEL_MEANS = (1.0, 2.0, 3.0)
    entries = training_set(cfg)
    assert len(entries) == 8  # four pictures and their mirror images
    plain, mirrored = entries[0], entries[4]
    np.testing.assert_array_equal(mirrored.read(), plain.read()[:, ::-1])
    np.testing.assert_array_equal(mirrored.boxes[:, 0] + plain.boxes[:, 2], 59)
    assert len(read_set(voc, "train", ("circle",))[0].boxes) <= 2

    made = net(tmp_path, DATA)
    made.forward()
    image, info, boxes = (made.blobs[f"top{i}"].data for i in range(3))
    assert image.shape == (1, 3, 80, 120)
    assert info.tolist() == [[80, 120, 2, 2]]
    assert boxes.shape[1] == 5
    matches = [
        entry
        for entry in entries
        if entry.boxes.shape == boxes[:, :4].shape and (entry.boxes * 2 == boxes[:, :4]).all()
    ]
    assert len(matches) == 1
    assert matches[0].classes.tolist() == boxes[:, 4].tolist()
    # to within what resizing blurs
    means = matches[0].read().mean(axis=(0, 1)) - cfg.PIXEL_MEANS
    np.testing.assert_allclose(image[0].mean(axis=(1, 2)), means, atol=2)

    # two ranks read all pictures between them
    seen = []
    for rank in (0, 1):
        monkeypatch.setattr(caffe, "solver_count", lambda: 2)
        monkeypatch.setattr(caffe, "solver_rank", lambda rank=rank: rank)
        layer = net(tmp_path, DATA).layers[0]
        layer.set_roidb(entries)
        seen += [layer.next_place() for _ in range(4)]
    assert sorted(seen) == list(range(8))


def test_missing_data_is_named(cfg: Any, voc: Path, tmp_path: Path) -> None:
    made = net(tmp_path, DATA)
    with pytest.raises(ValueError, match="there are no pictures to train with"):
        made.forward()
    cfg.DATA = str(voc)
    cfg.TRAIN.IMAGE_SET = "train"
    with pytest.raises(ValueError, match="no picture of train in .* has an object of a class"):
        made.forward()


@pytest.mark.usefixtures("lib")
def test_average_precision() -> None:
    from datasets.pascal_voc import Entry
    from datasets.voc_eval import voc_ap, voc_eval

    recall = np.array([0.5, 0.5, 1.0])
    precision = np.array([1.0, 0.5, 2 / 3])
    assert voc_ap(recall, precision) == pytest.approx((6 * 1 + 5 * 2 / 3) / 11)
    assert voc_ap(recall, precision, use_07_metric=False) == pytest.approx(0.5 + 0.5 * 2 / 3)

    boxes = np.array([[0, 0, 9, 9], [20, 20, 29, 29], [40, 40, 49, 49]], np.float32)
    hard = np.array([False, False, True])
    entry = Entry(Path("none.jpg"), 60, boxes, np.array([1, 1, 1]), hard)
    found = np.array(
        [
            [0, 0, 9, 9, 0.9],  # hit
            [0, 0, 9, 8, 0.8],  # the same box again: a miss
            [40, 40, 49, 49, 0.7],  # difficult: does not count
            [20, 20, 29, 29, 0.6],  # hit
        ]
    )
    expected = 0.5 + 0.5 * 2 / 3
    assert voc_eval([found], [entry], 1, use_07_metric=False) == pytest.approx(expected)
    assert np.isnan(voc_eval([found], [entry], 2))
    assert voc_eval([found[:0]], [entry], 1) == 0


@pytest.mark.parametrize("model", ["faster_rcnn/test.prototxt", "rfcn/test_agnostic.prototxt"])
def test_unnormalised_weights_give_offsets(cfg: Any, root: Path, model: str) -> None:
    import caffe
    from fast_rcnn.unnormalize import unnormalize, unnormalized

    cfg.TRAIN.BBOX_NORMALIZE_MEANS = (0.1, -0.2, 0.3, 0.4)
    last = "rfcn_bbox" if "agnostic" in model else "bbox_pred"
    made = caffe.Net(str(root / "examples" / model), caffe.TEST)
    rng = np.random.default_rng(9)
    for blobs in made.params.values():
        for blob in blobs:
            blob.data[...] = rng.normal(0, 0.05, blob.data.shape)
    saved = made.params[last][0].data.copy()
    data = rng.normal(0, 50, (1, 3, 64, 80))
    made.blobs["data"].reshape(*data.shape)

    def offsets() -> np.ndarray:
        return made.forward(data=data, im_info=np.array([[64, 80, 1]]))["bbox_pred"].copy()

    before = offsets()
    with unnormalized(made):
        after = offsets()
    times = before.shape[1] // 4
    expected = before * np.tile(cfg.TRAIN.BBOX_NORMALIZE_STDS, times)
    expected += np.tile(cfg.TRAIN.BBOX_NORMALIZE_MEANS, times)
    np.testing.assert_allclose(after, expected, rtol=1e-3, atol=1e-4)

    weights = made.params[last][0].data
    np.testing.assert_array_equal(weights, saved)
    assert unnormalize(made) == [last]
    assert abs(weights - saved).max() > 0.01
    unnormalize(made, back=True)
    np.testing.assert_allclose(weights, saved, rtol=1e-5)
    # R-FCN's settings normalise the proposals' offsets, too
    cfg.TRAIN.RPN_NORMALIZE_TARGETS = True
    rpn = made.params["rpn_bbox_pred"][0].data
    saved = rpn.copy()
    assert unnormalize(made) == [last, "rpn_bbox_pred"]
    scale = np.tile(cfg.TRAIN.RPN_NORMALIZE_STDS, 9).reshape(-1, 1, 1, 1)
    np.testing.assert_allclose(rpn, saved * scale, rtol=1e-5)


def test_classes_of_a_folder(lib: Path, voc: Path, root: Path) -> None:
    from set_classes import classes_of, image_sets, with_classes, with_data

    assert image_sets(voc) == ("train", "val")
    names = classes_of(voc, "train")
    assert names == sorted(names)
    assert set(names) <= {"circle", "square", "triangle", "cross"}
    text = (root / "examples/faster_rcnn/train.prototxt").read_text()
    changed = with_classes(text, 20)
    assert changed.count("'num_classes': 21\"") == 2
    assert "num_output: 21  # 1 for" in changed
    assert "num_output: 84  # 4 for" in changed
    assert with_classes(text, 4) == text
    settings = (root / "examples/faster_rcnn/settings.yml").read_text()
    written = with_data(settings, Path("/data/VOC2007"), ("trainval", "test"), ["dog", "cat"])
    assert "DATA: /data/VOC2007\nCLASSES: [dog, cat]\n" in written
    assert written.index("IMAGE_SET: trainval") < written.index("IMAGE_SET: test")


def check_training(folder: Path, name: str) -> None:
    """What a short run leaves: the weights of both trainings, finite losses, a picture."""
    log = (folder / "train.log").read_text()
    losses = [float(line.split("loss = ")[1]) for line in log.splitlines() if ", loss = " in line]
    assert len(losses) == 8  # every fourth of twelve iterations and the last one, of two trainings
    assert np.isfinite(losses).all()
    assert losses[7] < losses[4]
    # the trunk of the first training is that of the second
    assert "Ignoring source layer classes" in log
    for weights in ("trunk", f"{name}_final"):
        assert (folder / f"{weights}.caffemodel").is_file()
    assert (folder / f"{name}.png").is_file()


def test_short_form(run_example: RunExample) -> None:
    result, folder = run_example("faster_rcnn")
    assert [figure["name"] for figure in result["figures"]] == ["mAP", "mAP with Proposal"]
    check_training(folder, "faster_rcnn")


@pytest.mark.whole
def test_figure(run_example: RunExample) -> None:
    result, _ = run_example("faster_rcnn", short=False)
    assert all(figure["reached"] for figure in result["figures"])
