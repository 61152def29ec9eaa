"""FlowWarp."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from torch import Tensor

from tests.layers.check import check_layer, gradients, refusal, tops, values


def layer(fields: str = "") -> str:
    return f'layer {{ name: "l" type: "FlowWarp" bottom: "x" bottom: "f" top: "y" flow_warp_param {{ {fields} }} }}'


def reference(image: Tensor, flow: Tensor, fill: float) -> Tensor:
    batch, _, height, width = image.shape
    top = np.full(image.shape, fill, np.float32)
    for n in range(batch):
        for y in range(height):
            for x in range(width):
                x2, y2 = x + float(flow[n, 0, y, x]), y + float(flow[n, 1, y, x])
                if x2 >= 0 and y2 >= 0 and x2 < width and y2 < height:
                    left, above = int(x2), int(y2)
                    right, below = min(left + 1, width - 1), min(above + 1, height - 1)
                    a, b = x2 - left, y2 - above
                    corners = [image[n, :, i, j].numpy() for i in (above, below) for j in (left, right)]
                    top[n, :, y, x] = sum(w * c for w, c in zip(((1 - a) * (1 - b), a * (1 - b), (1 - a) * b, a * b), corners))
    return torch.from_numpy(top)


@pytest.mark.parametrize("fields", ["", "fill_value: NOT_A_NUMBER"])
def test_layer(fields: str) -> None:
    check_layer(layer(fields), no_gradcheck="NaN is not to be compared" if fields else "", x=(2, 3, 4, 5), f=(2, 2, 4, 5))


@pytest.mark.parametrize(("fields", "fill"), [("", 0.0), ("fill_value: NOT_A_NUMBER", math.nan)])
def test_values(fields: str, fill: float) -> None:
    image, flow = values((2, 3, 6, 5)), values((2, 2, 6, 5), 1) * 2
    flow[0, 0, 2, 3] = math.nan
    (y,) = tops(layer(fields), x=image, f=flow)
    torch.testing.assert_close(y, reference(image, flow, fill), equal_nan=True)
    assert y[0, 0, 2, 3].isnan() == math.isnan(fill)


def test_within_a_pixel_of_the_lower_edge_nothing_fades() -> None:
    image = torch.tensor([[[[1.0, 2], [3, 5]]]])
    flow = torch.zeros(1, 2, 2, 2)
    flow[0, 0, 0, 1] = flow[0, 1, 1, 0] = 0.75
    flow[0, :, 1, 1] = 0.5
    assert tops(layer(), x=image, f=flow)[0].flatten().tolist() == [1, 2, 3, 5]


def test_a_flow_out_of_the_picture_or_nan_has_no_gradient() -> None:
    flow = torch.zeros(1, 2, 2, 2)
    flow[0, 0, 0, 0], flow[0, 0, 0, 1] = -0.5, math.nan
    dx, dflow = gradients(layer(), x=torch.tensor([[[[1.0, 2], [3, 5]]]]), f=flow)
    assert dx.flatten().tolist() == [0, 0, 1, 1]
    assert dflow.flatten().tolist() == [0, 0, 2, 0, 0, 0, 0, 0]


def test_refusals() -> None:
    assert "bottom 1 is (1, 3, 4, 5); needed: (1, 2, 4, 5)" in refusal(layer(), x=(1, 3, 4, 5), f=(1, 3, 4, 5))
    assert "bottom 0 has 2 axes" in refusal(layer(), x=(1, 3), f=(1, 2))
