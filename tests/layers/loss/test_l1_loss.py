"""L1Loss."""

from __future__ import annotations

from tests.layers.check import check_layer, gradients, refusal, tops

LAYER = 'layer { name: "l" type: "L1Loss" bottom: "a" bottom: "b" top: "y" }'


def test_layer() -> None:
    check_layer(LAYER, a=(4, 3), b=(4, 3))


def test_only_items_and_their_sizes_have_to_agree() -> None:
    check_layer(LAYER, a=(4, 6), b=(4, 2, 3))


def test_absolute_differences_of_an_item() -> None:
    a, b = [[1.0, 2, 3], [4, 5, 6]], [[1.0, 2, 5], [0, 5, 6]]
    assert tops(LAYER, a=a, b=b)[0] == (2 + 4) / 2
    assert [g.tolist() for g in gradients(LAYER, a=a, b=b)] == [[[0, 0, -0.5], [0.5, 0, 0]], [[0, 0, 0.5], [-0.5, 0, 0]]]


def test_refusals() -> None:
    assert "an item of bottom 0 has 3 elements, one of bottom 1 2" in refusal(LAYER, a=(4, 3), b=(4, 2))
    of_synopsys = LAYER.replace("top:", "l1_loss_param { l2_per_location: true } top:")
    assert "'LayerParameter.l1_loss_param' is not BVLC Caffe's" in refusal(of_synopsys, a=(4, 3), b=(4, 3))
