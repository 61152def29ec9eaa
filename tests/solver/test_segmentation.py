"""Training of a small fully convolutional net on images with label images."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.solver.trained import check_engines_agree, check_resumed, scores, trained

NET = """
name: "fcn"
layer { name: "data" type: "ImageSegData" top: "data" top: "label" top: "data_dim" include { phase: TRAIN }
  transform_param { mirror: true crop_size: 17 mean_value: 104 mean_value: 117 mean_value: 123 scale_factors: 0.75 scale_factors: 1.25
                    scale: 0.02 }
  image_data_param { source: "list.txt" batch_size: 4 shuffle: true label_type: PIXEL } }
layer { name: "data" type: "ImageSegData" top: "data" top: "label" top: "data_dim" include { phase: TEST }
  transform_param { mean_value: 104 mean_value: 117 mean_value: 123 scale: 0.02 }
  image_data_param { source: "list.txt" batch_size: 1 label_type: PIXEL ignore_label: 255 } }
layer { name: "silence" type: "Silence" bottom: "data_dim" }
layer { name: "score" type: "Convolution" bottom: "data" top: "score"
  convolution_param { num_output: 2 kernel_size: 3 pad: 1 weight_filler { type: "xavier" } } }
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "score" bottom: "label" top: "loss" loss_param { ignore_label: 255 } }
layer { name: "accuracy" type: "SegAccuracy" bottom: "score" bottom: "label" top: "accuracy" seg_accuracy_param { ignore_label: 255 }
  include { phase: TEST } }
"""
SOLVER = (
    'net: "net.prototxt" base_lr: 0.05 momentum: 0.9 lr_policy: "fixed" max_iter: 40 random_seed: 1 test_iter: 6 test_interval: 40'
    ' snapshot: 20 snapshot_prefix: "s" '
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Six images of different sizes, bright where the label is 1, and a row that does not count."""
    monkeypatch.chdir(tmp_path)
    random = np.random.default_rng(0)
    for i in range(6):
        height, width = 12 + i, 22 - i
        labels = np.zeros((height, width), np.uint8)
        labels[i : i + 8, 3:12] = 1
        noise = random.integers(0, 60, (height, width, 3))
        cv2.imwrite(f"{i}.png", (noise + 180 * labels[:, :, None]).astype(np.uint8))
        labels[0] = 255
        cv2.imwrite(f"l{i}.png", labels)
    Path("list.txt").write_text("".join(f"{i}.png l{i}.png\n" for i in range(6)))
    Path("net.prototxt").write_text(NET)
    Path("solver.prototxt").write_text(SOLVER)
    return tmp_path


def test_both_engines_learn_the_same() -> None:
    check_engines_agree()


def test_the_labels_are_learnt_and_a_snapshot_goes_on_alike(lines: Callable[[], list[str]]) -> None:
    whole = trained()
    losses = scores(lines())
    assert losses[0] > 0.2
    assert losses[1] < losses[0] / 4
    check_resumed("s_iter_20.solverstate", whole)
