"""Values held between two bounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import torch
from torch import Tensor

from caffepy.layers.common.neuron import NeuronLayer
from caffepy.layers.core.autograd import Context, apply
from caffepy.layers.core.base import Run, Shape
from caffepy.layers.core.registry import register_layer


class _Clip(torch.autograd.Function):
    """Saves the bottom for the gradient. In place it saves the top instead, as in Caffe."""

    @staticmethod
    def forward(ctx: Context, x: Tensor, low: float, high: float, in_place: bool) -> Tensor:
        y = x.clamp(max=high)
        y = torch.where(y > low, y, torch.full_like(y, low))
        ctx.save_for_backward(y if in_place else x)
        ctx.low = low
        ctx.high = high
        return y

    @staticmethod
    def backward(ctx: Context, dy: Tensor) -> tuple[Tensor | None, ...]:
        (x,) = ctx.saved_tensors
        return dy * ((x >= ctx.low) & (x <= ctx.high)), None, None, None


@register_layer("Clip")
class ClipLayer(NeuronLayer):
    """max(min, min(x, max)).  Caffe type ``Clip``.

    Bottom: (...) float.
    Top:    (...) float; may be the bottom, but then the gradient passes everywhere, as in Caffe,
            which looks at the clipped values. Otherwise it passes between the bounds and at them.
    Params: none
    Proto:  clip_param { min, max }; without it both are 0, as in Caffe
    Differs from torch: min > max gives min (torch.clamp gives max); NaN gives min.
    Source: BVLC Caffe, clip_layer
    """

    def setup(self, bottoms: Sequence[Shape]) -> None:
        """In place the gradient is computed from the top, which must not be overwritten."""
        self.memory = replace(self.memory, saves_top=self.in_place)

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        p = self.param.clip_param
        return (apply(_Clip, bottoms[0], float(p.min), float(p.max), self.in_place),)
