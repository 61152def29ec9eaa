"""Training of a small net of HED's kind on images with label images of edges."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.solver.trained import check_engines_agree, check_resumed, scores, trained

NET = """
name: "hed"
layer { name: "data" type: "ImageLabelmapData" top: "data" top: "label"
  transform_param { mirror: false mean_value: 104 mean_value: 117 mean_value: 123 scale: 0.02 }
  image_data_param { source: "pairs.lst" batch_size: 1 shuffle: true new_height: 0 new_width: 0 } }
layer { name: "conv1" type: "Convolution" bottom: "data" top: "conv1"
  convolution_param { num_output: 4 pad: 9 kernel_size: 3 weight_filler { type: "xavier" } } }
layer { name: "relu1" type: "ReLU" bottom: "conv1" top: "conv1" }
layer { name: "dsn1" type: "Convolution" bottom: "conv1" top: "dsn1"
  convolution_param { num_output: 1 kernel_size: 1 weight_filler { type: "xavier" } } }
layer { name: "crop" type: "Crop" bottom: "dsn1" bottom: "data" top: "up1" }
layer { name: "loss1" type: "SigmoidCrossEntropyLoss" bottom: "up1" bottom: "label" top: "loss1" loss_weight: 1 }
layer { name: "pool1" type: "Pooling" bottom: "conv1" top: "pool1" pooling_param { pool: MAX kernel_size: 2 stride: 2 } }
layer { name: "dsn2" type: "Convolution" bottom: "pool1" top: "dsn2"
  convolution_param { num_output: 1 kernel_size: 1 weight_filler { type: "xavier" } } }
layer { name: "up2" type: "Deconvolution" bottom: "dsn2" top: "dsn2-up" param { lr_mult: 0 } param { lr_mult: 0 }
  convolution_param { num_output: 1 kernel_size: 4 stride: 2 weight_filler { type: "bilinear" } } }
layer { name: "crop" type: "Crop" bottom: "dsn2-up" bottom: "data" top: "up2" }
layer { name: "loss2" type: "SigmoidCrossEntropyLoss" bottom: "up2" bottom: "label" top: "loss2" loss_weight: 1 }
"""
SOLVER = (
    'net: "net.prototxt" base_lr: 0.001 momentum: 0.9 lr_policy: "fixed" iter_size: 2 max_iter: 40 random_seed: 1 test_iter: 5'
    ' test_interval: 40 snapshot: 20 snapshot_prefix: "s" '
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Five images of different sizes, each with a bright line that its label image has too."""
    monkeypatch.chdir(tmp_path)
    random = np.random.default_rng(0)
    for i in range(5):
        edges = np.zeros((15 + i, 24 - i), np.uint8)
        edges[3 + i] = edges[:, 5 + i] = 255
        noise = random.integers(0, 60, (*edges.shape, 3))
        cv2.imwrite(f"{i}.png", (noise + 180 * (edges[:, :, None] > 0)).astype(np.uint8))
        cv2.imwrite(f"e{i}.png", edges)
    Path("pairs.lst").write_text("".join(f"{i}.png e{i}.png\n" for i in range(5)))
    Path("net.prototxt").write_text(NET)
    Path("solver.prototxt").write_text(SOLVER)
    return tmp_path


def test_both_engines_learn_the_same() -> None:
    check_engines_agree()


def test_edges_are_learnt_where_they_are_and_a_snapshot_goes_on_alike(lines: Callable[[], list[str]]) -> None:
    whole = trained()
    said = lines()
    for loss, gain in (("loss1", 4), ("loss2", 2)):
        losses = scores(said, loss)
        assert losses[1] < losses[0] / gain
    check_resumed("s_iter_20.solverstate", whole)
