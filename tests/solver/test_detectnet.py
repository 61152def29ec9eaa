"""Training of a small DetectNet on databases as DIGITS writes them: pictures in one, their boxes in another."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from caffepy.data.datum import encode
from tests.data.build import png, write_database
from tests.solver.trained import check_engines_agree, check_resumed, scores, trained

DATA = (
    'layer {{ name: "{phase}_data" type: "Data" top: "data" data_param {{ source: "images" backend: LMDB batch_size: 4 }}'
    " include {{ phase: {phase} }} }}"
    ' layer {{ name: "{phase}_label" type: "Data" top: "label" data_param {{ source: "labels" backend: LMDB batch_size: 4 }}'
    " include {{ phase: {phase} }} }}"
    ' layer {{ name: "{phase}_transform" type: "DetectNetTransformation" bottom: "data" bottom: "label" top: "picture" top: "grid"'
    " detectnet_groundtruth_param {{ stride: 8 scale_cvg: 0.5 gridbox_type: GRIDBOX_MIN min_cvg_len: 6 obj_norm: true image_size_x: 48"
    " image_size_y: 32 object_class {{ src: 1 dst: 0 }} }} {change}"
    " transform_param {{ mean_value: 127 }} include {{ phase: {phase} }} }}"
)
CHANGE = (
    "detectnet_augmentation_param { shift_x: 8 shift_y: 8 flip_prob: 0.5 scale_prob: 0.4 scale_min: 0.9 scale_max: 1.1"
    " rotation_prob: 0.5 max_rotate_degree: 3 hue_rotation_prob: 0.5 desaturation_prob: 0.5 }"
)
NET = f"""
{DATA.format(phase="TRAIN", change=CHANGE)}
{DATA.format(phase="TEST", change="")}
layer {{ name: "slice" type: "Slice" bottom: "grid" top: "foreground" top: "boxes" top: "sizes" top: "norm" top: "coverage"
  slice_param {{ slice_point: 1 slice_point: 5 slice_point: 7 slice_point: 8 }} }}
layer {{ name: "silence" type: "Silence" bottom: "boxes" bottom: "sizes" bottom: "norm" }}
layer {{ name: "small" type: "Power" bottom: "picture" top: "small" power_param {{ scale: 0.01 }} }}
layer {{ name: "conv" type: "Convolution" bottom: "small" top: "conv"
  convolution_param {{ num_output: 8 kernel_size: 8 stride: 8 weight_filler {{ type: "xavier" }} }} }}
layer {{ name: "relu" type: "ReLU" bottom: "conv" top: "conv" }}
layer {{ name: "score" type: "Convolution" bottom: "conv" top: "score"
  convolution_param {{ num_output: 1 kernel_size: 1 weight_filler {{ type: "xavier" }} }} }}
layer {{ name: "sigmoid" type: "Sigmoid" bottom: "score" top: "found" }}
layer {{ name: "block" type: "Eltwise" bottom: "found" bottom: "foreground" top: "inside" eltwise_param {{ operation: PROD }} }}
layer {{ name: "l1" type: "L1Loss" bottom: "inside" bottom: "foreground" top: "l1" }}
layer {{ name: "loss" type: "EuclideanLoss" bottom: "found" bottom: "coverage" top: "loss" }}
"""
SOLVER = (
    'net: "net.prototxt" base_lr: 0.05 momentum: 0.9 lr_policy: "fixed" max_iter: 40 random_seed: 1 test_iter: 2 test_interval: 40'
    ' snapshot: 20 snapshot_prefix: "s" '
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Eight dark pictures with a bright object each, encoded, and their boxes as floats."""
    pytest.importorskip("lmdb")
    monkeypatch.chdir(tmp_path)
    random = np.random.default_rng(0)
    pictures, labels = [], []
    for i in range(8):
        picture = random.integers(0, 60, (32, 48, 3), np.uint8)
        x, y = 3 + 3 * i, i
        picture[y : y + 20, x : x + 22] += np.array([180, 150, 190], np.uint8)
        pictures.append(png(picture, 0))
        label = np.zeros((1, 4, 16))
        label[0, 0, :2] = 2, 16
        label[0, 1, :6] = x, y, 22, 20, 0, 1
        label[0, 2, :6] = 1, 1, 9, 9, 0, 3
        labels.append(encode(None, shape=(1, 4, 16), floats=label.ravel(), label=0))
    write_database(tmp_path / "images", pictures)
    write_database(tmp_path / "labels", labels)
    Path("net.prototxt").write_text(NET)
    Path("solver.prototxt").write_text(SOLVER)
    return tmp_path


def test_both_engines_learn_the_same() -> None:
    check_engines_agree(rel=1e-3, tiny=1e-5)


def test_the_objects_are_learnt_and_a_snapshot_goes_on_alike(lines: Callable[[], list[str]]) -> None:
    whole = trained()
    losses = scores(lines())
    assert losses[1] < losses[0] / 2
    check_resumed("s_iter_20.solverstate", whole)
