"""PSROIPooling."""

from __future__ import annotations

import pytest
import torch

from tests.layers.check import check_layer, refusal, tops, values

REGIONS = torch.tensor([[0.0, 0, 0, 5, 3], [1, 1, 1, 3, 2], [0, 2.5, 2, 2, 2], [1, 20, 20, 30, 30]])


def layer(fields: str = "spatial_scale: 1 output_dim: 2 group_size: 2") -> str:
    return f'layer {{ name: "l" type: "PSROIPooling" bottom: "x" bottom: "r" top: "y" psroi_pooling_param {{ {fields} }} }}'


@pytest.mark.parametrize("fields", ["spatial_scale: 1 output_dim: 2 group_size: 2", "spatial_scale: 0.5 output_dim: 8 group_size: 1"])
def test_layer(fields: str) -> None:
    check_layer(layer(fields), x=(2, 8, 4, 6), r=REGIONS)


def test_each_cell_has_its_channels() -> None:
    x = values((2, 8, 4, 6))
    (y,) = tops(layer(), x=x, r=REGIONS)
    torch.testing.assert_close(y[0, 0, 0, 0], x[0, 0, :2, :3].mean())
    torch.testing.assert_close(y[0, 0, 0, 1], x[0, 1, :2, 3:].mean())
    torch.testing.assert_close(y[0, 1, 1, 0], x[0, 6, 2:, :3].mean())


def test_a_cell_outside_gives_0() -> None:
    assert tops(layer(), x=(2, 8, 4, 6), r=REGIONS)[0][3].abs().sum() == 0


@pytest.mark.parametrize(("picture", "said"), [(2, "2"), (-1, "-1"), (float("nan"), "nan")])
def test_a_region_in_no_picture(picture: float, said: str) -> None:
    said = f"region 1 is in picture {said}; needed: 0 to 1"
    assert said in refusal(layer(), x=(2, 8, 4, 6), r=[[1, 0, 0, 5, 3], [picture, 0, 0, 5, 3]])


def test_refusals() -> None:
    assert "bottom 0 is (1, 9, 2, 2); needed: (N, 8, H, W)" in refusal(layer(), x=(1, 9, 2, 2), r=(1, 5))
    assert "group_size is 0" in refusal(layer("spatial_scale: 1 output_dim: 2"), x=(1, 8, 2, 2), r=(1, 5))
