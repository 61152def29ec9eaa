"""DetectNetTransformation."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
import torch
from torch import Tensor

from caffepy import log
from caffepy.layers.core.base import Run
from caffepy.layers.core.random import CaffeRandom
from caffepy.proto.weights import write_blob
from tests.golden.engines import SEED
from tests.layers.check import TEST, check_layer, refusal, subject

NEVER = " ".join(f"{name}_prob: 0" for name in ("crop", "scale", "flip", "rotation", "hue_rotation", "desaturation"))
GRID = "detectnet_groundtruth_param { stride: 4 image_size_x: 24 image_size_y: 16 object_class { src: 1 dst: 1 } }"


def layer(fields: str = "", change: str = NEVER, grid: str = GRID) -> str:
    return (
        'layer { name: "l" type: "DetectNetTransformation" bottom: "x" bottom: "b" top: "y" top: "g"'
        f" {grid} detectnet_augmentation_param {{ {change} }} {fields} }}"
    )


def pictures(number: int = 2, height: int = 20, width: int = 30) -> Tensor:
    random = np.random.default_rng(0)
    return torch.from_numpy(random.integers(0, 256, (number, 3, height, width)).astype(np.float32))


def boxes(*items: list[tuple[float, ...]], rows: int = 4) -> Tensor:
    """x, y, width, height, class of the boxes of each picture."""
    found = torch.zeros(len(items), 1, 1 + rows, 16)
    for label, own in zip(found[:, 0], items):
        label[0, :2] = torch.tensor([len(own), 16])
        for row, box in zip(label[1:], own):
            row[:4], row[5] = torch.tensor(box[:4]), box[4]
    return found


BOXES = boxes([(3, 4, 10, 8, 1), (12, 2, 15, 17, 3)], [])


@pytest.mark.parametrize("phase", [0, TEST])
@pytest.mark.parametrize("change", [NEVER, "flip_prob: 0.5 scale_prob: 1 rotation_prob: 1 max_rotate_degree: 20 shift_x: 4 shift_y: 4"])
def test_layer(change: str, phase: int) -> None:
    check_layer(layer("transform_param { mean_value: 127 }", change), phase=phase, x=pictures(), b=BOXES)


def test_nothing_is_changed_without_augmentation() -> None:
    y, grid = subject(layer(), x=pictures(2, 16, 24), b=BOXES).forward()
    torch.testing.assert_close(y, pictures(2, 16, 24))
    assert grid.shape == (2, 10, 4, 6)
    # The middle half of the box, (5.5, 6) to (10.5, 10), lies in these cells; the other box is of no class, the other picture has none.
    assert grid[0, 9].tolist() == grid[0, 0].tolist() == [[0] * 6, [0, 1, 1, 0, 0, 0], [0, 1, 1, 0, 0, 0], [0] * 6]
    assert grid[0, :, 1, 2].tolist() == pytest.approx([1, -5, 0, 5, 8, 1 / 10, 1 / 8, 1, 0, 1])
    assert not grid[1].any()


def test_a_test_resizes_and_draws_nothing() -> None:
    it = subject(
        layer("transform_param { mean_value: 10 mean_value: 20 mean_value: 30 }", "flip_prob: 1"), phase=TEST, x=pictures(), b=BOXES
    )
    y, grid = it.forward()
    resized = cv2.resize(pictures()[0].permute(1, 2, 0).numpy(), (24, 16), interpolation=cv2.INTER_CUBIC) - np.array([10, 20, 30])
    np.testing.assert_allclose(y[0].permute(1, 2, 0).numpy(), resized, atol=1e-3)
    corner = torch.nonzero(grid[0, 0])[0]
    x1, y1 = (grid[0, 1 + i, corner[0], corner[1]] + 4 * corner[1 - i] for i in (0, 1))
    assert (float(x1), float(y1)) == pytest.approx((3 * 24 / 30, 4 * 16 / 20))


def test_the_mean_image_is_resized(tmp_path: Path) -> None:
    mean = np.random.default_rng(1).integers(0, 256, (3, 8, 12)).astype(np.float32)
    write_blob(str(tmp_path / "mean.binaryproto"), mean[None])
    y, _ = subject(
        layer(f'transform_param {{ mean_file: "{tmp_path}/mean.binaryproto" mean_value: 3 }}'), x=pictures(2, 16, 24), b=BOXES
    ).forward()
    large = cv2.resize(mean.transpose(1, 2, 0), (24, 16), interpolation=cv2.INTER_CUBIC).transpose(2, 0, 1)
    np.testing.assert_allclose(y.numpy(), pictures(2, 16, 24).numpy() - large, atol=1e-3)
    write_blob(str(tmp_path / "mean.binaryproto"), mean[None, :1])
    said = refusal(layer(f'transform_param {{ mean_file: "{tmp_path}/mean.binaryproto" }}'), x=pictures(), b=BOXES)
    assert said.endswith("has 1 channels; needed: 3")


def test_its_stream_is_its_own_and_begins_with_a_draw_of_the_net() -> None:
    it = subject(layer(change="shift_x: 9 shift_y: 9"), x=pictures(), b=BOXES)
    assert it.layer.seed == CaffeRandom(SEED).draw()
    run, other = it.run(), Run(0, CaffeRandom(5))
    first, second = (it.layer.forward(it.bottoms(), [], run)[0] for _ in range(2))
    again = it.layer.forward(it.bottoms(), [], other)[0]
    assert torch.equal(first, again)
    assert not torch.equal(first, second)
    assert other.random.draw() == CaffeRandom(5).draw()


def test_fields_without_effect_are_told(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(log.sink, "prefix", False)
    subject(layer("transform_param { mirror: true mean_value: 1 }", "distort_param { hue_prob: 1 }"), x=pictures(), b=BOXES)
    assert [line for line in capsys.readouterr().err.splitlines() if "no effect" in line] == [
        "layer 'l': transform_param.mirror has no effect, as in NVIDIA Caffe",
        "layer 'l': detectnet_augmentation_param.distort_param has no effect, as in NVIDIA Caffe",
    ]


def test_refusals() -> None:
    x, b = pictures(), BOXES
    assert "bottom 0 is (2, 1, 20, 30); needed: pictures (number, 3, height, width)" in refusal(layer(), x=x[:, :1], b=b)
    needed = "needed: (2, 1, 1 + boxes, 16), the boxes of each picture as DIGITS writes them"
    for wrong in (b[:1], b[..., :15], b.transpose(1, 2)):
        assert f"bottom 1 is {tuple(wrong.shape)}; {needed}" in refusal(layer(), x=x, b=wrong)
    for header in ((5, 16), (-1, 16), (1, 15), (float("nan"), 16)):
        wrong = b.clone()
        wrong[1, 0, 0, :2] = torch.tensor(header)
        said = refusal(layer(), x=x, b=wrong)
        assert f"the boxes of item 1 begin with {header[0]:g} and {header[1]:g}; needed: their number, up to 4, 16, and finite" in said
    assert "transform_param has 2 mean_values; needed: 1, or 3" in refusal(
        layer("transform_param { mean_value: 1 mean_value: 2 }"), x=x, b=b
    )
    said = refusal(layer(change="scale_prob: 0.1 scale_min: 0.02"), x=x, b=b)
    assert "scale_min is 0.02 and scale_max 1; needed: so much that a pixel is left" in said
    for scale in ("nan", "inf", "1e+06", "-1"):
        said = refusal(layer(change=f"scale_prob: 0.1 scale_max: {scale}"), x=x, b=b)
        assert f"and scale_max {scale}; needed: so much that a pixel is left, so little that the pixels can be counted" in said
    assert "stride is 0" in refusal(layer(grid="detectnet_groundtruth_param { stride: 0 }"), x=x, b=b)
