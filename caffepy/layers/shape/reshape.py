"""Other dims for the same elements."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor

from caffepy.layers.core.base import Layer, Run, Shape, count
from caffepy.layers.core.registry import register_layer
from caffepy.layers.core.traits import Memory, Precision, Quirks


@register_layer("Reshape")
class ReshapeLayer(Layer):
    """Some axes replaced by others of the same count.  Caffe type ``Reshape``.

    Bottom: (...) float.
    Top:    the bottom with ``num_axes`` axes from ``axis`` on (-1: all) replaced by ``shape``. In
            ``shape`` a 0 copies the bottom's dim at that place, and one dim may be -1, which is
            computed from the others. A negative ``axis`` counts from behind the last axis, so -1
            appends.
    Params: none
    Proto:  reshape_param { shape, axis, num_axes }
    Differs from torch: reshape has no 0 that copies, and no axis.
    Source: BVLC Caffe, reshape_layer
    """

    memory = Memory(refuses_inplace=True, aliases_bottom=True)
    precision = Precision(takes_16_bits=True)
    quirks = Quirks(shares_memory=True)

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        """Copy the dims that are 0, and compute the one that is -1."""
        p = self.param.reshape_param
        bottom = bottoms[0]
        axes = len(bottom)
        dims = list(p.shape.dim)
        start = p.axis if p.axis >= 0 else axes + p.axis + 1
        if not 0 <= start <= axes:
            raise self.fail(
                f"axis is {p.axis} for a {axes}-axis blob; needed: {-axes - 1} to {axes}"
            )
        end = axes if p.num_axes == -1 else start + p.num_axes
        if p.num_axes < -1 or end > axes:
            raise self.fail(
                f"num_axes is {p.num_axes} from axis {start} on; needed: -1 (all),"
                f" or 0 to {axes - start}"
            )
        if dims.count(-1) > 1 or any(n < -1 for n in dims):
            raise self.fail(f"shape is {dims}; needed: dims of 0 or more, and -1 at most once")
        for i, n in enumerate(dims):
            if n == 0:
                if start + i >= axes:
                    raise self.fail(
                        f"dim {i} of shape is 0, which copies axis {start + i} of a {axes}-axis"
                        " blob; needed: a number"
                    )
                dims[i] = bottom[start + i]
        if -1 in dims:
            known = (
                count(bottom[:start]) * count([n for n in dims if n != -1]) * count(bottom[end:])
            )
            if known == 0 or count(bottom) % known:
                raise self.fail(
                    f"bottom has {count(bottom)} elements, which {known},"
                    " the product of the other dims, does not divide"
                )
            dims[dims.index(-1)] = count(bottom) // known
        self.shape = (*bottom[:start], *dims, *bottom[end:])
        if count(self.shape) != count(bottom):
            raise self.fail(
                f"top {self.shape} has {count(self.shape)} elements and bottom {bottom}"
                f" {count(bottom)}; needed: as many"
            )
        return (self.shape,)

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        """A view where the memory layout allows it."""
        return (bottoms[0].reshape(self.shape),)
