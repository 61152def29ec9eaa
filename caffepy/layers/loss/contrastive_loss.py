"""A loss for pairs: it draws like ones together and unlike ones apart."""

# N pairs, C features

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from caffepy.layers.common.loss import LossLayer
from caffepy.layers.core.autograd import Context, apply
from caffepy.layers.core.base import Run, Shape, as_rows, count, exactly
from caffepy.layers.core.registry import register_layer
from caffepy.layers.core.traits import Gradients


class _ContrastiveLoss(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Context, a: Tensor, b: Tensor, alike: Tensor, margin: float, legacy: bool
    ) -> Tensor:
        difference = a - b
        squared = difference.square().sum(1, keepdim=True)
        distance = squared if legacy else squared.sqrt()
        room = (margin - distance).clamp(min=0)
        ctx.save_for_backward(difference, distance, room, alike)
        ctx.legacy = legacy
        return torch.where(alike, squared, room if legacy else room.square()).sum() / (2 * len(a))

    @staticmethod
    def backward(ctx: Context, dloss: Tensor) -> tuple[Tensor | None, ...]:
        difference, distance, room, alike = ctx.saved_tensors
        # Caffe adds 1e-4 to the distance that it divides by.
        push = (room > 0).to(room.dtype) if ctx.legacy else room / (distance + 1e-4)
        factor = torch.where(alike, torch.ones_like(push), -push)
        da = difference * factor * (dloss / len(difference))
        da = da.where(alike | (room > 0), 0)
        return da, -da, None, None, None


@register_layer("ContrastiveLoss")
class ContrastiveLossLayer(LossLayer):
    """Squared distances of like pairs and margins of unlike ones.  Caffe type ``ContrastiveLoss``.

    Bottom: (N, C[, 1, 1]) float, twice; [2] (N[, 1, 1, 1]) float, truncated to integers: not 0
            where the pair is alike; values after the N-th do not matter.
    Top:    () float; 1/(2N) * sum over the pairs of d^2 (alike) or max(margin - d, 0)^2 (not alike;
            with legacy_version max(margin - d^2, 0)), where d is the distance of the pair.
    Params: none
    Proto:  contrastive_loss_param { margin, legacy_version }
    Differs from torch: the gradient of an unlike pair is divided by d + 1e-4, so it is 0 at
            distance 0. It is also 0 where d is NaN.
    Source: BVLC Caffe, contrastive_loss_layer; Hadsell et al. 2006
    """

    bottoms = exactly(3)
    gradients = Gradients(unforced=(2,))

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        tops = super().reshape(bottoms)
        for i, shape in enumerate(bottoms):
            if len(shape) > 4 or count(shape, 1 if i == 2 else 2) != 1:
                raise self.fail(
                    f"bottom {i} is {shape}; needed: {'(N, 1, 1, 1)' if i == 2 else '(N, C, 1, 1)'}"
                    " or fewer axes"
                )
        if count(bottoms[0]) != count(bottoms[1]) or count(bottoms[2]) < bottoms[0][0]:
            raise self.fail(
                f"the bottoms are {', '.join(map(str, bottoms))}; needed: (N, C) twice and (N,)"
            )
        return tops

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        """The loss of the pairs."""
        p = self.param.contrastive_loss_param
        a, b = (as_rows(x) for x in bottoms[:2])
        alike = bottoms[2].detach().reshape(-1, 1)[: len(a)].to(torch.int64) != 0
        return (apply(_ContrastiveLoss, a, b, alike, float(p.margin), bool(p.legacy_version)),)
