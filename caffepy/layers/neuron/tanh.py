"""The hyperbolic tangent of each element."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor

from caffepy.layers.common.neuron import NeuronLayer, check_engine
from caffepy.layers.core.base import Run, Shape
from caffepy.layers.core.registry import register_layer
from caffepy.layers.core.traits import Memory


@register_layer("TanH")
class TanHLayer(NeuronLayer):
    """tanh(x).  Caffe type ``TanH``.

    Bottom: (...) float.
    Top:    (...) float; may be the bottom.
    Params: none
    Proto:  tanh_param { engine }
    Differs from torch: nothing.
    Source: BVLC Caffe, tanh_layer
    """

    memory = Memory(saves_top=True)

    def setup(self, bottoms: Sequence[Shape]) -> None:
        check_engine(self, self.param.tanh_param)

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        """The result may overwrite the bottom."""
        return (bottoms[0].tanh_() if run.inplace else bottoms[0].tanh(),)
