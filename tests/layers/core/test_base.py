"""What all layers share."""

from __future__ import annotations

import pytest

from caffepy.errors import LayerError
from caffepy.layers.core.base import Layer, at_least, between, canonical_axis, count, exactly
from caffepy.proto import caffe_pb2


def test_counts() -> None:
    assert exactly(2).refusal(2) is None
    assert exactly(2).refusal(3) == "2"
    assert at_least(1).refusal(9) is None
    assert at_least(1).refusal(0) == "at least 1"
    assert between(1, 3).refusal(3) is None
    assert between(1, 3).refusal(4) == "1 to 3"


def test_axes_are_counted_from_either_end() -> None:
    layer = Layer(caffe_pb2.LayerParameter(), 0)
    assert [canonical_axis(layer, axis, 3) for axis in (-3, -1, 0, 2)] == [0, 2, 0, 2]
    for axis in (-4, 3):
        with pytest.raises(LayerError, match=f"end_axis is {axis} for a 3-axis blob; needed: -3 to 2"):
            canonical_axis(layer, axis, 3, "end_axis")


def test_count() -> None:
    assert count((2, 3, 4)) == 24
    assert count((2, 3, 4), 1) == 12
    assert count((2, 3, 4), 0, 1) == 2
    assert count(()) == 1
    assert count((2, 0, 4)) == 0


@pytest.mark.parametrize(
    ("bottom", "top", "in_place"), [(["x"], ["x"], True), (["x"], ["y"], False), ([], ["y"], False), (["x"], [], False)]
)
def test_in_place(bottom: list[str], top: list[str], in_place: bool) -> None:
    assert Layer(caffe_pb2.LayerParameter(bottom=bottom, top=top), 0).in_place is in_place
