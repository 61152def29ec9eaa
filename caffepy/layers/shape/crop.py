"""Cuts a blob to the size of another one."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor

from caffepy.layers.core.base import Layer, Run, Shape, canonical_axis, exactly
from caffepy.layers.core.registry import register_layer
from caffepy.layers.core.traits import Memory, Precision, Quirks


@register_layer("Crop")
class CropLayer(Layer):
    """The first bottom cut to the size of the second.  Caffe type ``Crop``.

    Bottom: (...) float; [1] (...) of the size that is wanted from ``axis`` on; its values, and its
            dims before ``axis``, do not matter.
    Top:    the elements of bottom 0 from ``offset`` on; its dims before ``axis``, and those of
            bottom 1 from ``axis`` on.
    Params: none
    Proto:  crop_param { axis, offset (none: 0; one for all axes; or one for each from axis on) }
    Differs from torch: no counterpart.
    Source: BVLC Caffe, crop_layer
    """

    bottoms = exactly(2)
    memory = Memory(aliases_bottom=True)
    precision = Precision(takes_16_bits=True)
    quirks = Quirks(copies_tops=True)

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        """Check that the part lies inside."""
        p = self.param.crop_param
        shape, wanted = bottoms
        start = canonical_axis(self, p.axis, len(shape))
        offset = list(p.offset)
        if len(offset) > 1 and len(offset) != len(shape) - start:
            raise self.fail(
                f"offset is given {len(offset)} times; needed: once,"
                f" or once for each of the {len(shape) - start} axes from {start} on"
            )
        if len(wanted) < len(shape):
            raise self.fail(
                f"bottom 1 has {len(wanted)} axes; needed: {len(shape)}, as many as bottom 0"
            )
        self.parts = []
        for axis in range(start, len(shape)):
            first = offset[axis - start if len(offset) > 1 else 0] if offset else 0
            if first + wanted[axis] > shape[axis]:
                raise self.fail(
                    f"axis {axis} of bottom 0 has {shape[axis]} elements,"
                    f" of which {wanted[axis]} from offset {first} on are asked for;"
                    f" needed: at least {first + wanted[axis]}"
                )
            self.parts.append((axis, first, wanted[axis]))
        return ((*shape[:start], *wanted[start : len(shape)]),)

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        x = bottoms[0]
        for axis, first, length in self.parts:
            x = x.narrow(axis, first, length)
        return (x,)
