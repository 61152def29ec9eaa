"""Reads blobs that no other layer reads."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor

from caffepy.layers.core.base import Layer, Run, Shape, at_least, exactly
from caffepy.layers.core.registry import register_layer
from caffepy.layers.core.traits import Precision


@register_layer("Silence")
class SilenceLayer(Layer):
    """Reads bottoms so that they are not outputs of the net.  Caffe type ``Silence``.

    Bottom: one or more.
    Top:    none.
    Params: none
    Proto:  none
    Differs from torch: no counterpart.
    Source: BVLC Caffe, silence_layer
    """

    bottoms = at_least(1)
    tops = exactly(0)
    precision = Precision(takes_16_bits=True)

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        return ()

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        return ()
