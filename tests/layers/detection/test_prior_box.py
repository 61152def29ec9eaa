"""PriorBox."""

from __future__ import annotations

import math

import pytest
import torch

from tests.layers.check import check_layer, refusal, tops


def layer(fields: str = "min_size: 20") -> str:
    return f'layer {{ name: "l" type: "PriorBox" bottom: "f" bottom: "p" top: "y" prior_box_param {{ {fields} }} }}'


def priors(fields: str, rows: int = 1, columns: int = 1, picture: int = 100) -> torch.Tensor:
    """Boxes (priors, 4) in pixels."""
    (y,) = tops(layer(fields), f=(1, 1, rows, columns), p=torch.zeros(1, 3, picture, picture))
    return (y[0, 0] * picture).reshape(-1, 4)


@pytest.mark.parametrize(
    "fields",
    [
        "min_size: 20",
        "min_size: 20 max_size: 45 aspect_ratio: 2 clip: true step: 8 variance: 0.3",
        "min_size: 10 min_size: 20 aspect_ratio: 3",
    ],
)
def test_layer(fields: str) -> None:
    check_layer(layer(fields), no_gradcheck="no gradient goes to a bottom", f=(2, 3, 2, 4), p=(2, 3, 30, 50))


def test_order_of_the_boxes_of_a_cell() -> None:
    boxes = priors("min_size: 20 max_size: 45 aspect_ratio: 4")
    sizes = (boxes[:, 2:] - boxes[:, :2]).tolist()
    root = math.sqrt(20 * 45)
    assert [pytest.approx(size, rel=1e-5) for size in ([20, 20], [root, root], [40, 10], [10, 40])] == sizes
    torch.testing.assert_close(boxes[:, :2] + boxes[:, 2:], torch.full((4, 2), 100.0))


def test_sizes_are_cut_to_integers() -> None:
    boxes = priors("min_size: 16.5 max_size: 51.9")
    assert (boxes[:, 2] - boxes[:, 0]).tolist() == pytest.approx([16, math.sqrt(16 * 51)])


def test_ratios_given_twice_count_once() -> None:
    assert len(priors("min_size: 20 aspect_ratio: 1 aspect_ratio: 2 aspect_ratio: 0.5 aspect_ratio: 2")) == 3
    assert len(priors("min_size: 20 aspect_ratio: 2 flip: false")) == 2


def test_centers() -> None:
    boxes = priors("min_size: 20", rows=2, columns=2)
    assert ((boxes[:, :2] + boxes[:, 2:]) / 2).tolist() == [[25, 25], [75, 25], [25, 75], [75, 75]]
    boxes = priors("min_size: 20 step: 8 offset: 0.25", rows=1, columns=2)
    torch.testing.assert_close((boxes[:, :2] + boxes[:, 2:]) / 2, torch.tensor([[2.0, 2], [10, 2]]))


def test_sizes_may_differ_by_less_than_a_pixel() -> None:
    assert len(priors("min_size: 20.2 max_size: 20.7")) == 2


def test_clip_takes_the_boxes_only() -> None:
    (y,) = tops(layer("min_size: 90 variance: 2 clip: true"), f=(1, 1, 1, 2), p=torch.zeros(1, 1, 100, 100))
    assert y[0, 0].min() == 0
    assert y[0, 1].tolist() == [2] * 8


def test_variances() -> None:
    (y,) = tops(layer("min_size: 20 variance: 0.1 variance: 0.1 variance: 0.2 variance: 0.2"), f=(1, 1, 1, 2), p=torch.zeros(1, 1, 9, 9))
    assert y[0, 1].tolist() == pytest.approx([0.1, 0.1, 0.2, 0.2] * 2)


def test_refusals() -> None:
    bottoms = {"f": (1, 1, 1, 1), "p": (1, 1, 9, 9)}
    assert "min_size is []" in refusal(layer("max_size: 3"), **bottoms)
    assert "max_size is 20 for min_size 20; needed: a larger one" in refusal(layer("min_size: 20 max_size: 20"), **bottoms)
    assert "max_size is given 1 times" in refusal(layer("min_size: 20 min_size: 30 max_size: 40"), **bottoms)
    assert "variance is [1.0, 1.0]" in refusal(layer("min_size: 20 variance: 1 variance: 1"), **bottoms)
    for field in ("aspect_ratio", "step", "variance", "max_size"):
        assert f"{field} is " in refusal(layer(f"min_size: 20 {field}: nan"), **bottoms)
    assert "img_size and img_h are given" in refusal(layer("min_size: 20 img_size: 3 img_h: 3"), **bottoms)
    assert "img_size is 0; needed: above 0" in refusal(layer("min_size: 20 img_size: 0"), **bottoms)
    assert "step is 0; needed: above 0" in refusal(layer("min_size: 20 step: 0"), **bottoms)
    assert "img_h is 30 and img_w is 0; needed: above 0" in refusal(layer("min_size: 20 img_h: 30"), **bottoms)
    assert "step and step_h and step_w are given" in refusal(layer("min_size: 20 step: 3 step_h: 3 step_w: 3"), **bottoms)
