"""Each element times its logistic function."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from caffepy.layers.common.neuron import NeuronLayer
from caffepy.layers.core.autograd import Context, apply
from caffepy.layers.core.base import Run
from caffepy.layers.core.registry import register_layer
from caffepy.layers.core.traits import Memory


class _Swish(torch.autograd.Function):
    """Saves the top and the gate for the gradient, as Caffe does, so the bottom can be freed."""

    @staticmethod
    def forward(ctx: Context, x: Tensor, beta: float) -> Tensor:
        gate = (x * beta).sigmoid_()
        y = x * gate
        ctx.save_for_backward(y, gate)
        ctx.beta = beta
        return y

    @staticmethod
    def backward(ctx: Context, dy: Tensor) -> tuple[Tensor, None]:
        y, gate = ctx.saved_tensors
        return (y * ctx.beta + gate * (1 - y * ctx.beta)).mul_(dy), None


@register_layer("Swish")
class SwishLayer(NeuronLayer):
    """x / (1 + exp(-beta * x)).  Caffe type ``Swish``.

    Bottom: (...) float.
    Top:    (...) float; may be the bottom.
    Params: none
    Proto:  swish_param { beta }
    Differs from torch: silu has no beta.
    Source: BVLC Caffe, swish_layer; Ramachandran et al. 2017
    """

    memory = Memory(saves_top=True)

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        return (apply(_Swish, bottoms[0], float(self.param.swish_param.beta)),)
