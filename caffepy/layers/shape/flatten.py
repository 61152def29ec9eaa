"""Several axes made one."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor

from caffepy.layers.core.base import Layer, Run, Shape, canonical_axis, count
from caffepy.layers.core.registry import register_layer
from caffepy.layers.core.traits import Batches, Memory, Precision, Quirks


@register_layer("Flatten")
class FlattenLayer(Layer):
    """Axes ``axis`` to ``end_axis`` made one.  Caffe type ``Flatten``.

    Bottom: (...) float.
    Top:    the same elements with one axis in place of those from ``axis`` to ``end_axis``, both
            included.
    Params: none
    Proto:  flatten_param { axis, end_axis }
    Differs from torch: nothing.
    Source: BVLC Caffe, flatten_layer
    """

    memory = Memory(refuses_inplace=True, aliases_bottom=True)
    precision = Precision(keeps_small=True, takes_16_bits=True)
    batches = Batches(traceable=True)
    quirks = Quirks(shares_memory=True)

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        """The flattened axis has the product of their dims."""
        p = self.param.flatten_param
        axes = len(bottoms[0])
        start = canonical_axis(self, p.axis, axes)
        end = canonical_axis(self, p.end_axis, axes, "end_axis")
        if end < start - 1:
            raise self.fail(
                f"end_axis is {end} and axis {start}; needed: an end_axis not before axis"
            )
        self.shape = (
            *bottoms[0][:start],
            count(bottoms[0], start, end + 1),
            *bottoms[0][end + 1 :],
        )
        return (self.shape,)

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        """A view where the memory layout allows it."""
        return (bottoms[0].reshape(self.shape),)
