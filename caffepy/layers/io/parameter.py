"""A parameter as a blob of the net."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor

from caffepy.layers.core.base import BlobSpec, Layer, Run, Shape, exactly
from caffepy.layers.core.registry import register_layer
from caffepy.layers.core.traits import Quirks


@register_layer("Parameter")
class ParameterLayer(Layer):
    """A learned blob that other layers read.  Caffe type ``Parameter``.

    Bottom: none.
    Top:    of the shape given.
    Params: one blob of that shape, 0 at first
    Proto:  parameter_param { shape }
    Differs from torch: no counterpart.
    Source: BVLC Caffe, parameter_layer
    """

    bottoms = exactly(0)
    # In Caffe the parameter shares the top's diff, which every backward pass overwrites.
    quirks = Quirks(overwritten_diffs=(0,))

    def setup(self, bottoms: Sequence[Shape]) -> None:
        shape = tuple(self.param.parameter_param.shape.dim)
        if any(n < 0 for n in shape):
            raise self.fail(f"shape has the negative dim {min(shape)}; needed: 0 or more")
        self.blobs = (BlobSpec(shape),)

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        return (self.blobs[0].shape,)

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        """A copy, so that no layer can overwrite the parameter."""
        return (blobs[0].clone(),)
