"""Batch normalisation."""

# N batch, C channels, I... the other axes; m = N * I...

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from caffepy.layers.base import TEST, BlobSpec, Layer, Run, Shape, Together, count
from caffepy.layers.neuron import ChannelLayer
from caffepy.layers.registry import register_layer

FORK_BLOBS = 5
LEAST_EPS = 1e-5
"""Where scale and bias are learned; cuDNN's least."""
SCALES = ("scale_bias", "scale_filler", "bias_filler")
"""NVIDIA's fields, any of which asks for a learned scale and bias."""


@register_layer("BatchNorm")
class BatchNormLayer(ChannelLayer):
    """(x - mean) / sqrt(variance + eps) in each channel, scaled and shifted if asked for.  Caffe type ``BatchNorm``.

    Bottom: (N, C, I...) float.
    Top:    (N, C, I...) float; may be the bottom.
    Params: mean (C,), variance (C,), factor (1,): sums over the passes, to be divided by the factor; not learned (lr_mult 0).
            A pass with its own statistics: factor = factor * f + 1, mean = mean * f + batch mean, variance = variance * f +
            m/(m-1) * batch variance (m = 1: no correction), f = moving_average_fraction.
            With scale_bias, scale_filler or bias_filler (NVIDIA) scale (C,) and bias (C,) too, learned with lr_mult and decay_mult 1.
            The factor is 1 then: mean = mean * f + batch mean * (1 - f), the first batch's as it is; variance likewise.
    Proto:  batch_norm_param { use_global_stats (default: in TEST), moving_average_fraction, eps; scale_bias, scale_filler, bias_filler;
            filler (Intel: that of the Scale behind it, and so constant 1) }
    Differs from torch: the stored sums above in place of running averages; factor 0 means mean 0 and variance 0; no learned scale
            and shift by default (that is Scale); with use_global_stats false TEST counts passes too; one value a channel is allowed. With
            eps 0 torch makes 0 of a channel of equal values, where Caffe divides by 0.
    Source: BVLC Caffe and NVIDIA Caffe, batch_norm_layer; Ioffe and Szegedy 2015
    """

    fork_fields = frozenset(f"BatchNormParameter.{name}" for name in (*SCALES, "filler"))
    adds_up = True
    any_precision = True
    unasked = (0,)

    @classmethod
    def remembers(cls, param: Any) -> bool:
        """With statistics of its own it counts each batch into its blobs."""
        return not _uses_global_stats(param.batch_norm_param, TEST)

    def setup(self, bottoms: Sequence[Shape]) -> None:
        """Blobs, and their ParamSpecs with lr_mult 0."""
        p = self.param.batch_norm_param
        self.fraction, self.eps = float(p.moving_average_fraction), float(p.eps)
        self.use_global_stats = _uses_global_stats(p, self.phase)
        super().setup(bottoms)
        intel = p.HasField("filler")
        if intel and (p.filler.type != "constant" or p.filler.value != 1 or p.bias_filler.value != 0):
            raise self.fail(
                "filler is not constant 1, or bias_filler not 0, which Intel's BatchNorm hands to a Scale; needed: fillers of a Scale"
            )
        self.scales = bool(p.scale_bias) or p.HasField("scale_filler") or (p.HasField("bias_filler") and not intel)
        each = (self.channels,)
        self.blobs = (BlobSpec(each), BlobSpec(each), BlobSpec((1,)))
        if self.scales:
            scale = BlobSpec(each, p.scale_filler if p.HasField("scale_filler") else None, constant=1)
            self.blobs = (*self.blobs, scale, BlobSpec(each, p.bias_filler))
            self.eps = max(self.eps, LEAST_EPS)
            while len(self.param.param) < len(self.blobs):
                self.param.param.add()
            for spec, mult in zip(self.param.param, (0, 0, 0, 1, 1)):
                spec.lr_mult = spec.decay_mult = mult
        for i, spec in enumerate(self.param.param[:3]):
            if spec.lr_mult != 0:
                raise self.fail(f"param {i} has lr_mult {spec.lr_mult:g}; needed: 0, since statistics are not learned (or no param at all)")
        for _ in range(len(self.param.param), 3):
            self.param.param.add(lr_mult=0)

    def doubt(self, trained: Sequence[Any]) -> str:
        """Statistics that were never counted, and blobs that a fork's BatchNorm has beside them."""
        if len(trained) == FORK_BLOBS and not self.scales:
            return "NVCaffe and Intel Caffe keep scale and bias in BatchNorm: scale_bias: true in batch_norm_param takes them"
        if self.use_global_stats and len(trained) == len(self.blobs) and not trained[2].any():
            return "the moving-average factor is 0, so mean and variance count as 0"
        return ""

    def forward(self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run) -> tuple[Tensor, ...]:
        """Normalise; count this pass into the blobs unless they are what it uses."""
        scale, bias = blobs[3:] if self.scales else (None, None)
        return self._forward(bottoms[0], blobs[:3], scale, bias)

    def absorb(self, followers: Sequence[Layer], *, rounded: Sequence[bool] = ()) -> Together | None:
        """A learned scale and bias of each channel cost nothing inside torch's kernel."""
        if self.scales or not (followers and followers[0].channel_affine):
            return None
        return Together(1, lambda bottoms, blobs, run: self._forward(bottoms[0], blobs[:3], blobs[3], blobs[4] if len(blobs) > 4 else None))

    @property
    def statistics(self) -> tuple[int, ...]:
        """All."""
        return () if self.use_global_stats else (0, 1, 2)

    @property
    def fixed_affine(self) -> bool:
        """With its stored statistics."""
        return self.use_global_stats

    def affine(self, blobs: Sequence[Tensor]) -> tuple[Tensor, Tensor]:
        """1 / sqrt(variance + eps) and -mean / sqrt(variance + eps), of the stored statistics, and what is learned."""
        mean, variance = _statistics(blobs[:3])
        scale = (variance + self.eps).rsqrt()
        if not self.scales:
            return scale, -mean * scale
        learned, bias = (blob.detach() for blob in blobs[3:])
        return scale * learned, bias - mean * scale * learned

    def _forward(self, x: Tensor, blobs: Sequence[Tensor], scale: Tensor | None, bias: Tensor | None) -> tuple[Tensor, ...]:
        if self.use_global_stats:
            return (_normalised(x, scale, bias, *_statistics(blobs), self.eps, train=False),)
        total_mean, total_variance, factor = (blob.detach() for blob in blobs)
        # With momentum 1 torch leaves this batch's mean and unbiased variance in the running buffers.
        mean, variance = torch.zeros_like(total_mean), torch.zeros_like(total_variance)
        alone = count(x.shape) == self.channels  # one value a channel is its own mean, and 0 without a rounding error
        y = _normalised(x - x.detach() if alone else x, scale, bias, mean, variance, self.eps, train=True)
        if alone:
            mean, variance = x.detach().flatten(), torch.zeros_like(variance)  # torch's backward still needs the others as they are
        if self.scales:
            part = torch.where(factor == 0, torch.ones_like(factor), torch.full_like(factor, 1 - self.fraction))
            kept = torch.where(factor == 0, torch.zeros_like(factor), (1 - part) / factor)
            total_mean.mul_(kept).add_(mean * part)
            total_variance.mul_(kept).add_(variance * part)
            factor.fill_(1)
            return (y,)
        factor.mul_(self.fraction).add_(1)
        total_mean.mul_(self.fraction).add_(mean)
        total_variance.mul_(self.fraction).add_(variance)
        return (y,)


def _uses_global_stats(p: Any, phase: int) -> bool:
    """The field, or what it is by default."""
    return bool(p.use_global_stats) if p.HasField("use_global_stats") else phase == TEST


def _statistics(blobs: Sequence[Tensor]) -> tuple[Tensor, Tensor]:
    """Mean and variance that the blobs stand for."""
    total_mean, total_variance, factor = (blob.detach() for blob in blobs)
    inverse = torch.where(factor == 0, torch.zeros_like(factor), factor.reciprocal())
    return total_mean * inverse, total_variance * inverse


def _normalised(x: Tensor, scale: Tensor | None, bias: Tensor | None, mean: Tensor, variance: Tensor, eps: float, *, train: bool) -> Tensor:
    return torch.batch_norm(x, scale, bias, mean, variance, train, 1.0, eps, torch.backends.cudnn.enabled)
