"""SpatialTransformer."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pytest
import torch

from tests.layers.check import check_layer, gradients, refusal, tops

Doubles = npt.NDArray[np.float64]
THETA = torch.tensor([[0.9137, 0.2113, -0.1327, -0.1713, 1.1219, 0.0731], [0.5371, -0.4127, 0.3119, 0.6173, 0.7127, -0.3713]])


def layer(fields: str = "") -> str:
    return f'layer {{ name: "l" type: "SpatialTransformer" bottom: "x" bottom: "theta" top: "y" st_param {{ {fields} }} }}'


def expected(image: Doubles, theta: Doubles, size: tuple[int, int]) -> Doubles:
    """By a loop over the points of the top."""
    count, channels, height, width = image.shape
    out = np.zeros((count, channels, *size))
    for i, s, t in np.ndindex(count, *size):
        place = theta[i].reshape(2, 3) @ (2 * s / size[0] - 1, 2 * t / size[1] - 1, 1)
        h, w = (place[0] + 1) / 2 * height, (place[1] + 1) / 2 * width
        for m in (math.floor(h), math.floor(h) + 1):
            for n in (math.floor(w), math.floor(w) + 1):
                if 0 <= m < height and 0 <= n < width:
                    out[i, :, s, t] += (1 - abs(h - m)) * (1 - abs(w - n)) * image[i, :, m, n]
    return out


@pytest.mark.parametrize(("fields", "size"), [("", (4, 5)), ("output_H: 3 output_W: 7", (3, 7)), ("output_W: 1", (4, 1))])
def test_layer(fields: str, size: tuple[int, int]) -> None:
    it = check_layer(layer(fields), x=(2, 3, 4, 5), theta=THETA)
    image, theta = (x.double().numpy() for x in it.bottoms())
    np.testing.assert_allclose(it.forward()[0].numpy(), expected(image, theta, size), rtol=1e-4, atol=1e-5)


def test_theta_that_is_given() -> None:
    x = torch.randn(2, 3, 4, 5, generator=torch.Generator().manual_seed(1))
    (whole,) = tops(layer(), x=x, theta=THETA * torch.tensor([1, 0, 1, 0, 1, 1]))
    it = check_layer(layer("theta_1_2: 0 theta_2_1: 0"), x=x, theta=THETA[:, [0, 2, 4, 5]])
    torch.testing.assert_close(it.forward()[0], whole)


def test_identity_and_places_outside() -> None:
    x = torch.arange(1.0, 21).reshape(1, 1, 4, 5)
    (y,) = tops(layer(), x=x, theta=torch.tensor([[1.0, 0, 0, 0, 1, 0]]))
    torch.testing.assert_close(y, x)
    (y,) = tops(layer(), x=x, theta=torch.tensor([[1.0, 0, 0.5, 0, 1, 0]]))  # a row lower, of four
    torch.testing.assert_close(y[0, 0], torch.cat((x[0, 0, 1:], torch.zeros(1, 5))))
    (y,) = tops(layer(), x=x, theta=torch.tensor([[1e30, 0, 1e30, 0, float("nan"), 0]]))
    assert not y.any()


def test_the_image_may_get_no_gradient() -> None:
    of_image, of_theta = gradients(layer("to_compute_dU: false"), x=(2, 3, 4, 5), theta=THETA)
    assert not of_image.any()
    torch.testing.assert_close(of_theta, gradients(layer(), x=(2, 3, 4, 5), theta=THETA)[1])


def test_refusals() -> None:
    assert "transform_type is 'tps'; needed: 'affine'" in refusal(layer('transform_type: "tps"'), x=(1, 1, 3, 3), theta=(1, 6))
    assert "sampler_type is 'nearest'; needed: 'bilinear'" in refusal(layer('sampler_type: "nearest"'), x=(1, 1, 3, 3), theta=(1, 6))
    assert "bottom 0 is (1, 9); needed: 4 axes" in refusal(layer(), x=(1, 9), theta=(1, 6))
    assert "bottom 1 is (2, 6); needed: 6 numbers of theta for each of the 1 items" in refusal(layer(), x=(1, 1, 3, 3), theta=(2, 6))
    assert "bottom 1 is (1, 6); needed: 5 numbers" in refusal(layer("theta_1_1: 1"), x=(1, 1, 3, 3), theta=(1, 6))
    assert "output_H and output_W are 0 and 3; needed: at least 1" in refusal(layer("output_H: 0"), x=(1, 1, 3, 3), theta=(1, 6))
