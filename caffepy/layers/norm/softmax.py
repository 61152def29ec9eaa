"""Softmax."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from caffepy.layers.common.neuron import NeuronLayer, check_engine
from caffepy.layers.core.base import Run, Shape, canonical_axis
from caffepy.layers.core.registry import register_layer
from caffepy.layers.core.traits import Batches, Memory, Quirks


@register_layer("Softmax")
class SoftmaxLayer(NeuronLayer):
    """exp(x) / sum of exp over an axis.  Caffe type ``Softmax``.

    Bottom: (...) float.
    Top:    (...) float; may be the bottom.
    Params: none
    Proto:  softmax_param { axis, engine }
    Differs from torch: nothing.
    Source: BVLC Caffe, softmax_layer
    """

    memory = Memory(saves_top=True)
    batches = Batches(traceable=True)
    quirks = Quirks(always_written=(0,))

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        """The top has the bottom's shape."""
        check_engine(self, self.param.softmax_param)
        self.axis = canonical_axis(self, self.param.softmax_param.axis, len(bottoms[0]))
        return (bottoms[0],)

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        return (torch.softmax(bottoms[0], self.axis),)
