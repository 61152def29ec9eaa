"""Reverses a blob along axes."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor

from caffepy.layers.core.base import Layer, Run, Shape, canonical_axis
from caffepy.layers.core.registry import register_layer
from caffepy.layers.core.traits import Memory


@register_layer("Reverse")
class ReverseLayer(Layer):
    """The bottom reversed along one or more axes.  Caffe type ``Reverse``.

    Bottom: (...) float.
    Top:    (...) float.
    Params: none
    Proto:  reverse_param { axis (0 unless given) }
    Differs from torch: nothing.
    Source: the CTC change to BVLC Caffe, reverse_layer
    """

    fork_fields = frozenset({"LayerParameter.reverse_param"})
    memory = Memory(refuses_inplace=True)

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        """The top has the bottom's shape."""
        self.axes = [
            canonical_axis(self, axis, len(bottoms[0]))
            for axis in self.param.reverse_param.axis or [0]
        ]
        return (bottoms[0],)

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        return (bottoms[0].flip(self.axes),)
