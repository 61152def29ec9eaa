"""L1Loss."""

from __future__ import annotations

from math import nan, sqrt

import pytest
import torch

from tests.layers.check import check_layer, gradients, refusal, tops

LAYER = 'layer { name: "l" type: "L1Loss" bottom: "a" bottom: "b" top: "y" }'
ONE = 'layer { name: "l" type: "L1Loss" bottom: "a" top: "y" }'


def flow(fields: str, layer: str = LAYER) -> str:
    """FlowNet2's, with fields of l1_loss_param."""
    return layer.replace("top:", f"l1_loss_param {{ {fields} }} top:")


def test_layer() -> None:
    check_layer(LAYER, a=(4, 3), b=(4, 3))


def test_only_items_and_their_sizes_have_to_agree() -> None:
    check_layer(LAYER, a=(4, 6), b=(4, 2, 3))


def test_absolute_differences_of_an_item() -> None:
    a, b = [[1.0, 2, 3], [4, 5, 6]], [[1.0, 2, 5], [0, 5, 6]]
    assert tops(LAYER, a=a, b=b)[0] == (2 + 4) / 2
    assert [g.tolist() for g in gradients(LAYER, a=a, b=b)] == [[[0, 0, -0.5], [0.5, 0, 0]], [[0, 0, 0.5], [-0.5, 0, 0]]]


@pytest.mark.parametrize(
    "fields",
    [
        "",
        "l2_per_location: true",
        "l2_per_location: true l2_prescale_by_channels: true epsilon: 0.5",
        "normalize_by_num_entries: true",
        "plateau: 0.4",
    ],
)
def test_layer_of_flownet(fields: str) -> None:
    check_layer(flow(fields), a=(2, 3, 4, 5), b=(2, 3, 4, 5))


def test_single_bottom_is_the_difference() -> None:
    check_layer(ONE, a=(4, 3))
    assert tops(ONE, a=[[1.0, -2], [0, 4]])[0] == 7 / 2
    check_layer(flow("l2_per_location: true", ONE), a=(2, 3, 4, 5))


def test_difference_of_nothing_counts_as_below() -> None:
    a = [[1.0, 2, 3]]
    assert gradients(flow(""), a=a, b=[[1.0, 0, 5]])[0].tolist() == [[-1, 1, -1]]


def flows(*vectors: tuple[float, float]) -> torch.Tensor:
    """(1, 2, 1, W): a vector at each place."""
    return torch.tensor(vectors).t().reshape(1, 2, 1, -1)


def test_lengths_at_each_place() -> None:
    a, b = flows((3, 4), (1, 1), (0, 0)), flows((0, 0), (1, 1), (nan, 2))
    layer = flow("l2_per_location: true epsilon: 0.04")
    # what is missing in a component leaves the other
    assert tops(layer, a=a, b=b)[0] == pytest.approx(sqrt(25.04) + 0.2 + sqrt(4.04))
    slopes = gradients(layer, a=a, b=b)[0].flatten().tolist()
    assert slopes == pytest.approx([3 / sqrt(25.04), 0, 0, 4 / sqrt(25.04), 0, -2 / sqrt(4.04)])
    layer = flow("l2_per_location: true epsilon: 0.04 l2_prescale_by_channels: true")
    assert tops(layer, a=a, b=b)[0] == pytest.approx(sqrt(12.54) + 0.2 + sqrt(2.04))
    layer = flow("l2_per_location: true epsilon: 0.04 normalize_by_num_entries: true")
    assert tops(layer, a=a, b=b)[0] == pytest.approx((sqrt(25.04) + 0.2 + sqrt(4.04)) * 2 / 5)


def test_plateau() -> None:
    layer = flow("l2_per_location: true epsilon: 0.04 plateau: 2.5")
    a, b = flows((3, 4), (2, 1)), flows((0, 0), (0, 0))
    assert tops(layer, a=a, b=b)[0] == pytest.approx(sqrt(25.04) + 0.2)
    assert gradients(layer, a=a, b=b)[0].flatten().tolist() == pytest.approx([3 / sqrt(25.04), 0, 4 / sqrt(25.04), 0])
    assert tops(flow("plateau: 2.5"), a=a, b=b)[0] == 3 + 4


def test_nan_are_left_out() -> None:
    a, b = [[1.0, 2, 3]], [[nan, 1, 5]]
    assert tops(flow(""), a=a, b=b)[0] == 3
    assert gradients(flow(""), a=a, b=b)[0].tolist() == [[0, 1, -1]]
    assert tops(flow("normalize_by_num_entries: true"), a=a, b=b)[0] == pytest.approx(3 * 3 / 2)


def test_refusals() -> None:
    assert "an item of bottom 0 has 3 elements, one of bottom 1 2" in refusal(LAYER, a=(4, 3), b=(4, 2))
    assert "needed: equal shapes" in refusal(flow(""), a=(4, 6), b=(4, 2, 3))
    assert "needed for l2_per_location: 4 (number, channels" in refusal(flow("l2_per_location: true"), a=(4, 6), b=(4, 6))
