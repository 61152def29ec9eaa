"""ContinuationIndicator."""

from __future__ import annotations

from tests.layers.check import check_layer, refusal, tops


def layer(fields: str, bottom: str = "") -> str:
    return f'layer {{ name: "l" type: "ContinuationIndicator" {bottom} top: "y" continuation_indicator_param {{ {fields} }} }}'


BOTTOM = 'bottom: "x"'


def test_layer() -> None:
    check_layer(layer("time_step: 3 batch_size: 2"))
    check_layer(layer("time_step: 3", BOTTOM), x=(2, 3, 4))


def test_a_zero_for_each_sequence_and_then_ones() -> None:
    wanted = [[0, 0], [1, 1], [1, 1]]
    assert tops(layer("time_step: 3 batch_size: 2"))[0].tolist() == wanted
    assert tops(layer("time_step: 3", BOTTOM), x=(2, 5))[0].tolist() == wanted
    assert tops(layer("time_step: 3 axis: 1 batch_size: 2", BOTTOM), x=(5, 2))[0].tolist() == wanted
    assert tops(layer("time_step: 1 axis: -1", BOTTOM), x=(5, 3))[0].tolist() == [[0, 0, 0]]


def test_refusals() -> None:
    assert "time_step is 0; needed: at least 1" in refusal(layer("batch_size: 2"))
    assert "batch_size is 0; needed: the number of sequences, or a bottom" in refusal(layer("time_step: 2"))
    assert "batch_size is 3; needed: 5, as axis 0 of bottom 0 (5, 2) says" in refusal(layer("time_step: 2 batch_size: 3", BOTTOM), x=(5, 2))
    assert "axis is 2 for a 2-axis blob" in refusal(layer("time_step: 2 axis: 2", BOTTOM), x=(5, 2))
