"""The absolute value of each element."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor

from caffepy.layers.common.neuron import NeuronLayer
from caffepy.layers.core.base import Run
from caffepy.layers.core.registry import register_layer
from caffepy.layers.core.traits import Memory


@register_layer("AbsVal")
class AbsValLayer(NeuronLayer):
    """|x|.  Caffe type ``AbsVal``.

    Bottom: (...) float.
    Top:    (...) float; not the bottom. The gradient at 0 is 0.
    Params: none
    Proto:  none
    Differs from torch: nothing.
    Source: BVLC Caffe, absval_layer
    """

    memory = Memory(refuses_inplace=True)

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        return (bottoms[0].abs(),)
