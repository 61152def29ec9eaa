"""Binomial normal log likelihood."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import torch
import torch.nn.functional as F
from torch import Tensor

from caffepy.layers.common.neuron import NeuronLayer
from caffepy.layers.core.autograd import Context, apply
from caffepy.layers.core.base import Run, Shape
from caffepy.layers.core.registry import register_layer


class _BNLL(torch.autograd.Function):
    """Saves the bottom for the gradient. In place it saves the top instead, as in Caffe."""

    @staticmethod
    def forward(ctx: Context, x: Tensor, in_place: bool) -> Tensor:
        y = F.relu(x).add_(x.abs().neg_().exp_().log1p_())
        ctx.save_for_backward(y if in_place else x)
        return y

    @staticmethod
    def backward(ctx: Context, dy: Tensor) -> tuple[Tensor, None]:
        (x,) = ctx.saved_tensors
        return dy * x.sigmoid(), None


@register_layer("BNLL")
class BNLLLayer(NeuronLayer):
    """log(1 + exp(x)).  Caffe type ``BNLL``.

    Bottom: (...) float.
    Top:    (...) float; may be the bottom, but then the gradient is that at the top's values, as in
            Caffe.
    Params: none
    Proto:  none
    Differs from torch: softplus switches to x above a threshold; here the formula holds everywhere.
    Source: BVLC Caffe, bnll_layer
    """

    def setup(self, bottoms: Sequence[Shape]) -> None:
        """In place the gradient is computed from the top, which must not be overwritten."""
        self.memory = replace(self.memory, saves_top=self.in_place)

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        return (apply(_BNLL, bottoms[0], self.in_place),)
