"""Batch normalisation with a learned scale and shift, in the forms of two forks."""

# N batch, C channels, I... the other axes

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import torch
from torch import Tensor

from caffepy.layers.common.neuron import ChannelLayer
from caffepy.layers.common.normalising import batch_norm
from caffepy.layers.core.autograd import Context, apply
from caffepy.layers.core.base import TEST, BlobSpec, Run, Shape, between
from caffepy.layers.core.registry import register_layer
from caffepy.proto import caffe_pb2

INFERENCE = caffe_pb2.BNParameter.INFERENCE
SEGNET_FIELDS = ("bn_mode", "scale_filler", "shift_filler")
SEGNET_EPS = 1e-9


class _Affine(torch.autograd.Function):
    """x * scale + shift.

    Where the top overwrites the bottom, the scale's gradient takes the top for the bottom, as in
    SegNet.
    """

    @staticmethod
    def forward(ctx: Context, x: Tensor, scale: Tensor, shift: Tensor, in_place: bool) -> Tensor:
        y = torch.addcmul(shift, x, scale)
        ctx.save_for_backward(y if in_place else x, scale)
        return y

    @staticmethod
    def backward(ctx: Context, dy: Tensor) -> tuple[Tensor | None, ...]:
        x, scale = ctx.saved_tensors
        return dy * scale, (dy * x).sum_to_size(scale.shape), dy.sum_to_size(scale.shape), None


class _RunningNormalised(torch.autograd.Function):
    """By running statistics, with the gradient of batch statistics, as in PSPNet's TEST phase."""

    @staticmethod
    def forward(
        ctx: Context,
        x: Tensor,
        scale: Tensor,
        shift: Tensor,
        mean: Tensor,
        variance: Tensor,
        eps: float,
    ) -> Tensor:
        inverse = (variance + eps).rsqrt_()
        direction = (x - mean).mul_(inverse)
        ctx.save_for_backward(direction, inverse, scale)
        return torch.addcmul(shift, direction, scale)

    @staticmethod
    def backward(ctx: Context, dy: Tensor) -> tuple[Tensor | None, ...]:
        direction, inverse, scale = ctx.saved_tensors
        dscale = (dy * direction).sum_to_size(scale.shape)
        dshift = dy.sum_to_size(scale.shape)
        items = dy.numel() / scale.numel()
        dx = (dy - dshift / items - direction * (dscale / items)).mul_(scale * inverse)
        return dx, dscale, dshift, None, None, None


@register_layer("BN")
class BNLayer(ChannelLayer):
    """(x - mean) / sqrt(variance + eps) in each channel, scaled and shifted.  Caffe type ``BN``.

    Bottom: (N, C, I...) float.
    Top:    (N, C, I...) float; may be the bottom. [1], [2] (SegNet, optional) the batch's mean and
            variance, (1, C, 1, 1), no gradient.
    Params: PSPNet: slope, bias, mean, variance, each (1, C, 1, 1); a TRAIN pass: mean = momentum *
            mean + (1 - momentum) * batch mean, variance alike (biased). In TEST and with ``frozen``
            these are used; frozen, slope and bias do not learn either. SegNet, that is with
            bn_mode, scale_filler, shift_filler or tops beyond the first: scale, shift, whose
            gradients are those of the last pass alone. The batch's statistics in both phases, eps
            1e-9; with bn_mode INFERENCE none at all: scale * x + shift.
    Proto:  bn_param { slope_filler, bias_filler, momentum, eps, frozen, engine } or { bn_mode,
            scale_filler, shift_filler }
    Differs from torch: running averages take the biased variance; momentum is the part that stays.
            PSPNet's gradient in TEST is that of batch statistics; SegNet's INFERENCE in place takes
            the scale's gradient at the top's values.
    Source: PSPNet and SegNet, bn_layer
    """

    fork_fields = frozenset(
        {"LayerParameter.bn_param", *(f"BNParameter.{name}" for name in SEGNET_FIELDS)}
    ) | {f"BNParameter.BNMode.{name}" for name in ("LEARN", "INFERENCE")}
    tops = between(1, 3)

    def setup(self, bottoms: Sequence[Shape]) -> None:
        p = self.param.bn_param
        super().setup(bottoms)
        self.segnet = any(p.HasField(name) for name in SEGNET_FIELDS) or self.top_count > 1
        one = (1, self.channels, 1, 1)
        if self.segnet:
            self.blobs = (BlobSpec(one, p.scale_filler), BlobSpec(one, p.shift_filler))
            self.quirks = replace(self.quirks, overwritten_diffs=(0, 1))
            # in place INFERENCE has nothing else to save
            self.memory = replace(self.memory, saves_top=p.bn_mode == INFERENCE and self.in_place)
            return
        self.batches = replace(self.batches, statistics=() if p.frozen else (2, 3))
        self.blobs = (
            BlobSpec(one, p.slope_filler),
            BlobSpec(one, p.bias_filler),
            BlobSpec(one),
            BlobSpec(one, constant=float(p.frozen)),
        )
        for _ in range(len(self.param.param), 2):
            self.param.param.add()
        for _ in range(len(self.param.param), 4):
            self.param.param.add(lr_mult=0, decay_mult=0)

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        """The bottom's shape, and (1, C, 1, 1) for statistics."""
        return (*super().reshape(bottoms), *((1, self.channels, 1, 1),) * (self.top_count - 1))

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        x = bottoms[0]
        p = self.param.bn_param
        shape = (1, -1, *(1,) * (x.dim() - 2))
        scale, shift, *statistics = (blob.view(shape) for blob in blobs)
        if self.segnet:
            extra = self._statistics(x)[: self.top_count - 1] if self.top_count > 1 else []
            if p.bn_mode == INFERENCE:
                return (apply(_Affine, x, scale, shift, self.in_place), *extra)
            return (_batch_normalised(x, scale, shift, SEGNET_EPS), *extra)
        mean, variance = (blob.detach() for blob in statistics)
        if p.frozen:
            inverse = scale.detach() * (variance + p.eps).rsqrt()
            return (torch.addcmul(shift.detach() - mean * inverse, x, inverse),)
        if self.phase == TEST:
            return (apply(_RunningNormalised, x, scale, shift, mean, variance, p.eps),)
        y = _batch_normalised(x, scale, shift, p.eps)
        for blob, statistic in zip(blobs[2:], self._statistics(x)):
            blob.detach().mul_(p.momentum).add_(statistic, alpha=1 - p.momentum)
        return (y,)

    def _statistics(self, x: Tensor) -> list[Tensor]:
        """Mean and biased variance of the batch."""
        variance, mean = torch.var_mean(x.detach(), [0, *range(2, x.dim())], correction=0)
        return [mean.view(1, -1, 1, 1), variance.view(1, -1, 1, 1)]


def _batch_normalised(x: Tensor, scale: Tensor, shift: Tensor, eps: float) -> Tensor:
    return batch_norm(
        x, scale.flatten(), shift.flatten(), None, None, train=True, momentum=0.0, eps=eps
    )
