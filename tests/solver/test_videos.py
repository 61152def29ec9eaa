"""Training of a small net on the optical flow of videos, as temporal segment networks are."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.solver.trained import check_engines_agree, check_resumed, scores, trained

VIDEO = "source: 'list.txt' new_length: 2 num_segments: 2 modality: FLOW name_pattern: 'flow_%c_%04d.png'"
NET = f"""
name: "tsn"
layer {{ name: "data" type: "VideoData" top: "data" top: "label_local" video_data_param {{ {VIDEO} batch_size: 4 shuffle: true }}
  transform_param {{ crop_size: 8 mirror: true fix_crop: true multi_scale: true is_flow: true mean_value: 128 scale: 0.02 }}
  include {{ phase: TRAIN }} }}
layer {{ name: "data" type: "VideoData" top: "data" top: "label_local" video_data_param {{ {VIDEO} batch_size: 6 }}
  transform_param {{ crop_size: 8 is_flow: true mean_value: 128 scale: 0.02 }} include {{ phase: TEST }} }}
layer {{ name: "conv" type: "Convolution" bottom: "data" top: "conv"
  convolution_param {{ num_output: 4 kernel_size: 3 weight_filler {{ type: "xavier" }} }} }}
layer {{ name: "relu" type: "ReLU" bottom: "conv" top: "conv" }}
layer {{ name: "gather" type: "Gather" bottom: "conv" bottom: "label_local" top: "all" top: "label" }}
layer {{ name: "fc" type: "InnerProduct" bottom: "all" top: "fc"
  inner_product_param {{ num_output: 2 weight_filler {{ type: "xavier" }} }} }}
layer {{ name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "loss" }}
"""
SOLVER = (
    'net: "net.prototxt" base_lr: 0.02 momentum: 0.9 lr_policy: "fixed" max_iter: 40 random_seed: 1 test_iter: 1 test_interval: 40'
    ' snapshot: 20 snapshot_prefix: "s" '
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Six videos of 8 frames of 10 x 14, in which all moves up or down."""
    monkeypatch.chdir(tmp_path)
    random = np.random.default_rng(0)
    for i in range(6):
        Path(f"v{i}").mkdir()
        for frame in range(1, 9):
            along = {"x": random.integers(98, 158, (10, 14)), "y": random.integers(98, 158, (10, 14)) + (30 if i % 2 else -30)}
            for axis, values in along.items():
                cv2.imwrite(f"v{i}/flow_{axis}_{frame:04d}.png", values.astype(np.uint8))
    Path("list.txt").write_text("".join(f"v{i} 8 {i % 2}\n" for i in range(6)))
    Path("net.prototxt").write_text(NET)
    Path("solver.prototxt").write_text(SOLVER)
    return tmp_path


def test_both_engines_learn_the_same() -> None:
    check_engines_agree()


def test_flow_is_learnt_and_a_snapshot_goes_on_alike(lines: Callable[[], list[str]]) -> None:
    whole = trained()
    losses = scores(lines())
    assert losses[1] < losses[0] / 4
    check_resumed("s_iter_20.solverstate", whole)
