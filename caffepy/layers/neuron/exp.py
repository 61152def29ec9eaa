"""Powers of a base."""

from __future__ import annotations

import math
from collections.abc import Sequence

from torch import Tensor

from caffepy.layers.common.neuron import NeuronLayer
from caffepy.layers.core.base import Layer, Run, Shape
from caffepy.layers.core.registry import register_layer
from caffepy.layers.core.traits import Memory


def log_of_base(layer: Layer, base: float) -> float:
    """log(base), or 1 for -1, which stands for e. LayerError unless it is positive and finite."""
    if base == -1:
        return 1.0
    if not 0 < base < math.inf:
        raise layer.fail(f"base is {base:g}; needed: more than 0 and finite, or -1 for e")
    return math.log(base)


@register_layer("Exp")
class ExpLayer(NeuronLayer):
    """base ^ (shift + scale * x).  Caffe type ``Exp``.

    Bottom: (...) float.
    Top:    (...) float; may be the bottom.
    Params: none
    Proto:  exp_param { base (-1: e), scale, shift }
    Differs from torch: nothing.
    Source: BVLC Caffe, exp_layer
    """

    memory = Memory(saves_top=True)

    def setup(self, bottoms: Sequence[Shape]) -> None:
        """Compute the factors inside and outside of the exponential function."""
        p = self.param.exp_param
        log_base = log_of_base(self, p.base)
        outer = log_base * p.shift
        self.inner = log_base * p.scale
        self.outer = math.exp(outer) if outer < 700 else math.inf

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        """The result may overwrite the bottom."""
        x = bottoms[0]
        if self.inner != 1:
            x = x.mul_(self.inner) if run.inplace else x * self.inner
        y = x.exp_() if run.inplace or self.inner != 1 else x.exp()
        return (y if self.outer == 1 else y * self.outer,)
