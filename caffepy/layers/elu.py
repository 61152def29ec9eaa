"""Exponential linear units."""

from __future__ import annotations

from collections.abc import Sequence

import torch.nn.functional as F
from torch import Tensor

from caffepy.layers.base import Run
from caffepy.layers.neuron import NeuronLayer
from caffepy.layers.registry import register_layer


@register_layer("ELU")
class ELULayer(NeuronLayer):
    """x above 0, alpha * (exp(x) - 1) below.  Caffe type ``ELU``.

    Bottom: (...) float.
    Top:    (...) float; may be the bottom.
    Params: none
    Proto:  elu_param { alpha }
    Differs from torch: nothing.
    Source: BVLC Caffe, elu_layer; Clevert et al. 2015
    """

    keeps_top = True

    def forward(self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run) -> tuple[Tensor, ...]:
        """In place where that is asked for and the top tells the sign of the bottom."""
        alpha = float(self.param.elu_param.alpha)
        return (F.elu(bottoms[0], alpha, inplace=run.inplace and alpha >= 0),)
