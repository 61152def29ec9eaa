"""A blob cut into several along an axis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from torch import Tensor

from caffepy.layers.core.base import Layer, Run, Shape, at_least
from caffepy.layers.core.registry import register_layer
from caffepy.layers.core.traits import Memory, Precision
from caffepy.layers.shape.concat import axis_of


@register_layer("Slice")
class SliceLayer(Layer):
    """The reverse of Concat.  Caffe type ``Slice``.

    Bottom: (...) float.
    Top:    one or more, cut at slice_point, or into equal parts.
    Params: none
    Proto:  slice_param { axis | slice_dim, slice_point (one less than there are tops) }
    Differs from torch: nothing.
    Source: BVLC Caffe, slice_layer
    """

    tops = at_least(1)
    memory = Memory(aliases_bottom=True)
    precision = Precision(takes_16_bits=True)

    def setup(self, bottoms: Sequence[Shape]) -> None:
        """A single top shares its memory with the bottom; several are copies."""
        alone = self.top_count == 1
        self.quirks = replace(self.quirks, shares_memory=alone, copies_tops=not alone)

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        """The tops have the lengths between the points."""
        p = self.param.slice_param
        shape = bottoms[0]
        tops = self.top_count
        self.axis = axis_of(self, p, "slice_dim", len(shape))
        length = shape[self.axis]
        points = list(p.slice_point)
        if points and len(points) != tops - 1:
            raise self.fail(
                f"slice_point is given {len(points)} times for {tops} tops;"
                f" needed: {tops - 1} times, or never"
            )
        if not points:
            if length % tops:
                raise self.fail(
                    f"axis {self.axis} has {length} elements for {tops} tops; needed: a multiple,"
                    " or slice_point"
                )
            points = [length // tops * i for i in range(1, tops)]
        elif any(b <= a for a, b in zip([0, *points], [*points, length])):
            raise self.fail(
                f"slice_point is {points}; needed: rising numbers above 0 and below {length},"
                f" the length of axis {self.axis}"
            )
        self.parts = [(a, b - a) for a, b in zip([0, *points], [*points, length])]
        return tuple((*shape[: self.axis], part, *shape[self.axis + 1 :]) for _, part in self.parts)

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        return tuple(bottoms[0].narrow(self.axis, start, length) for start, length in self.parts)
