"""The logistic function of each element."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor

from caffepy.layers.common.neuron import NeuronLayer, check_engine
from caffepy.layers.core.base import Run, Shape
from caffepy.layers.core.registry import register_layer
from caffepy.layers.core.traits import Memory


@register_layer("Sigmoid")
class SigmoidLayer(NeuronLayer):
    """1 / (1 + exp(-x)).  Caffe type ``Sigmoid``.

    Bottom: (...) float.
    Top:    (...) float; may be the bottom.
    Params: none
    Proto:  sigmoid_param { engine }
    Differs from torch: nothing.
    Source: BVLC Caffe, sigmoid_layer
    """

    memory = Memory(saves_top=True)

    def setup(self, bottoms: Sequence[Shape]) -> None:
        check_engine(self, self.param.sigmoid_param)

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        """The result may overwrite the bottom."""
        return (bottoms[0].sigmoid_() if run.inplace else bottoms[0].sigmoid(),)
