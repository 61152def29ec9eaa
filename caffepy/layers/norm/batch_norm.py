"""Batch normalisation."""

# N batch, C channels, I... the other axes; m = N * I...

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from caffepy.layers.common.neuron import ChannelLayer
from caffepy.layers.common.normalising import batch_norm
from caffepy.layers.core.base import TEST, BlobSpec, Run, Shape, count, largest
from caffepy.layers.core.registry import register_layer
from caffepy.layers.core.traits import Precision, Quirks
from caffepy.proto import caffe_pb2

FORK_BLOBS = 5
LEAST_EPS = 1e-5
"""Where scale and bias are learned; cuDNN's least."""
SCALES = ("scale_bias", "scale_filler", "bias_filler")
"""NVIDIA's fields, any of which asks for a learned scale and bias."""


@register_layer("BatchNorm")
class BatchNormLayer(ChannelLayer):
    """(x - mean) / sqrt(variance + eps) in each channel.  Caffe type ``BatchNorm``.

    Bottom: (N, C, I...) float.
    Top:    (N, C, I...) float; may be the bottom.
    Params: mean (C,), variance (C,), factor (1,): sums over the passes, to be divided by the
            factor; not learned (lr_mult 0). A pass with its own statistics: factor = factor * f +
            1, mean = mean * f + batch mean, variance = variance * f + m/(m-1) * batch variance (m =
            1: no correction), f = moving_average_fraction. With stats_batch_size S > 0 (Intel)
            every S items are a batch of their own, one pass after the other. With scale_bias,
            scale_filler or bias_filler (NVIDIA) scale (C,) and bias (C,) too, learned with lr_mult
            and decay_mult 1. Mean and variance are running averages then, which TEST always uses
            and TRAIN never: mean = mean * f + batch mean * (1 - f); variance likewise. On a CPU its
            own code: the variance is batch variance + eps, and the first two batches' are taken as
            they are. On a GPU cuDNN: m/(m-1) * batch variance, and the first batch's as it is. The
            factor tells of those first batches alone: 0 (none yet), 0.5, 1.
    Proto:  batch_norm_param { use_global_stats (default: in TEST; no effect with NVIDIA's fields),
            moving_average_fraction, eps; scale_bias, scale_filler, bias_filler; stats_batch_size,
            filler (Intel: that of the Scale behind it, and so constant 1), use_weight_bias (Intel;
            false: no scale, as there is none here unless NVIDIA's fields ask for it) }
    Differs from torch: the stored sums above in place of running averages; factor 0 means mean 0
            and variance 0; no learned scale and shift by default (that is Scale); with
            use_global_stats false TEST counts passes too; one value a channel is allowed. With eps
            0 torch makes 0 of a channel of equal values, where Caffe divides by 0.
    Source: BVLC Caffe and NVIDIA Caffe, batch_norm_layer, cudnn_batch_norm_layer; Intel Caffe's
            stats_batch_size; Ioffe and Szegedy 2015
    """

    fork_fields = frozenset(
        f"BatchNormParameter.{name}"
        for name in (*SCALES, "filler", "stats_batch_size", "use_weight_bias")
    )
    precision = Precision(sums_bottoms=True, takes_16_bits=True)
    quirks = Quirks(always_written=(0,))

    @classmethod
    def remembers(cls, param: caffe_pb2.LayerParameter) -> bool:
        """With statistics of its own it counts each batch into its blobs."""
        return not _uses_global_stats(param.batch_norm_param, TEST)

    def setup(self, bottoms: Sequence[Shape]) -> None:
        """Blobs, and their ParamSpecs with lr_mult 0."""
        p = self.param.batch_norm_param
        self.fraction = float(p.moving_average_fraction)
        self.eps = float(p.eps)
        self.use_global_stats = _uses_global_stats(p, self.phase)
        self.stats_batch_size = int(p.stats_batch_size)
        stored = self.use_global_stats
        self.batches = replace(
            self.batches,
            item_by_item=stored,
            traceable=stored,
            statistics=() if stored else (0, 1, 2),
        )
        super().setup(bottoms)
        if not p.use_weight_bias and _scales(p):
            raise self.fail(
                "use_weight_bias is false (Intel) beside scale_bias or scale_filler (NVIDIA);"
                " needed: one or the other"
            )
        if (
            p.use_weight_bias
            and p.HasField("filler")
            and (p.filler.type != "constant" or p.filler.value != 1 or p.bias_filler.value != 0)
        ):
            raise self.fail(
                "filler is not constant 1, or bias_filler not 0,"
                " which Intel's BatchNorm hands to a Scale; needed: fillers of a Scale"
            )
        self.scales = _scales(p)
        each = (self.channels,)
        self.blobs = (BlobSpec(each), BlobSpec(each), BlobSpec((1,)))
        if self.scales:
            scale = BlobSpec(
                each, p.scale_filler if p.HasField("scale_filler") else None, constant=1
            )
            self.blobs = (*self.blobs, scale, BlobSpec(each, p.bias_filler))
            self.eps = max(self.eps, LEAST_EPS)
            while len(self.param.param) < len(self.blobs):
                self.param.param.add()
            for spec, mult in zip(self.param.param, (0, 0, 0, 1, 1)):
                spec.lr_mult = spec.decay_mult = mult
        for i, spec in enumerate(self.param.param[:3]):
            if spec.lr_mult != 0:
                raise self.fail(
                    f"param {i} has lr_mult {spec.lr_mult:g}; needed: 0,"
                    " since statistics are not learned (or no param at all)"
                )
        for _ in range(len(self.param.param), 3):
            self.param.param.add(lr_mult=0)

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        """The top has the bottom's shape."""
        tops = super().reshape(bottoms)
        if (
            self.stats_batch_size
            and not self.use_global_stats
            and bottoms[0][0] % self.stats_batch_size
        ):
            sizes = f"stats_batch_size is {self.stats_batch_size} and the batch {bottoms[0][0]}"
            raise self.fail(f"{sizes}; needed: one that divides the batch")
        return tops

    def weights_warning(self, trained: Sequence[Any]) -> str:
        """Statistics that were never counted, and blobs that a fork's BatchNorm has beside them."""
        if len(trained) == FORK_BLOBS and not self.scales:
            return (
                "NVCaffe and Intel Caffe keep scale and bias in BatchNorm: scale_bias: true in"
                " batch_norm_param takes them"
            )
        if (
            self.use_global_stats
            and not self.scales
            and len(trained) == len(self.blobs)
            and not trained[2].any()
        ):
            return "the moving-average factor is 0, so mean and variance count as 0"
        return ""

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        """Normalise; count this pass into the blobs unless they are what it uses."""
        scale, bias = blobs[3:] if self.scales else (None, None)
        return (self.normalise(bottoms[0], blobs[:3], scale, bias, run),)

    def normalise(
        self,
        x: Tensor,
        blobs: Sequence[Tensor],
        scale: Tensor | None,
        bias: Tensor | None,
        run: Run,
    ) -> Tensor:
        """``x`` normalised, then scaled and shifted. ``blobs``: mean, variance and factor."""
        if self.use_global_stats:
            return _normalised(x, scale, bias, *self._stored(blobs), self.eps, train=False)
        if not 0 < self.stats_batch_size < x.shape[0]:
            return self._counted(x, blobs, scale, bias, run)
        return torch.cat(
            [
                self._counted(part, blobs, scale, bias, run)
                for part in x.split(self.stats_batch_size)
            ]
        )

    def affine(self, blobs: Sequence[Tensor]) -> tuple[Tensor, Tensor]:
        """Scale and shift by the stored statistics and what is learned.

        Without that 1 / sqrt(variance + eps) and -mean / sqrt(variance + eps).
        """
        mean, variance = self._stored(blobs)
        scale = (variance + self.eps).rsqrt()
        if not self.scales:
            return scale, -mean * scale
        learned, bias = (blob.detach() for blob in blobs[3:])
        return scale * learned, bias - mean * scale * learned

    def growth(self, blobs: Sequence[Tensor]) -> float:
        return sum(map(largest, self.affine(blobs)))

    def _stored(self, blobs: Sequence[Tensor]) -> tuple[Tensor, Tensor]:
        """Mean and variance that the blobs stand for."""
        total_mean, total_variance, factor = (blob.detach() for blob in blobs[:3])
        if self.scales:
            return total_mean, total_variance
        inverse = torch.where(factor == 0, torch.zeros_like(factor), factor.reciprocal())
        return total_mean * inverse, total_variance * inverse

    def _counted(
        self,
        x: Tensor,
        blobs: Sequence[Tensor],
        scale: Tensor | None,
        bias: Tensor | None,
        run: Run,
    ) -> Tensor:
        """Normalised by its own statistics, which are counted into the blobs."""
        total_mean, total_variance, factor = (blob.detach() for blob in blobs)
        # With momentum 1 torch leaves this batch's mean and unbiased variance in the buffers.
        mean, variance = total_mean.new_zeros(2, self.channels).unbind()
        # one value a channel is its own mean, and 0 without a rounding error
        alone = count(x.shape) == self.channels
        y = _normalised(
            x - x.detach() if alone else x, scale, bias, mean, variance, self.eps, train=True
        )
        if alone:
            # torch's backward still needs the others as they are
            mean = x.detach().flatten()
            variance = torch.zeros_like(variance)
        if self.scales:
            average(blobs, mean, variance, self, values=count(x.shape) // self.channels)
            return y
        totals = [total_mean, total_variance, factor]
        torch._foreach_mul_(totals, self.fraction)
        torch._foreach_add_(
            totals, [mean, variance, run.constant("one", factor, lambda: torch.ones(1))]
        )
        return y


def average(
    blobs: Sequence[Tensor], mean: Tensor, variance: Tensor, layer: BatchNormLayer, *, values: int
) -> None:
    """Count a batch's mean and unbiased variance into NVIDIA's running averages.

    ``values``: how many there are of a channel.
    """
    own_mean, own_variance, factor = (blob.detach() for blob in blobs)
    if own_mean.device.type == "cuda":
        passes = 1
    else:
        passes = 2
        variance = variance * ((values - 1) / values) + layer.eps
    for own, batch in ((own_mean, mean), (own_variance, variance)):
        own.copy_(
            torch.where(factor < 1, batch, own * layer.fraction + batch * (1 - layer.fraction))
        )
    factor.add_(1 / passes).clamp_(max=1)


def _scales(p: caffe_pb2.BatchNormParameter) -> bool:
    """Whether NVIDIA's fields ask for a scale and a bias.

    Intel has a bias_filler too, beside its filler or unused.
    """
    own = p.HasField("bias_filler") and not p.HasField("filler") and p.use_weight_bias
    return bool(p.scale_bias) or p.HasField("scale_filler") or own


def _uses_global_stats(p: caffe_pb2.BatchNormParameter, phase: int) -> bool:
    """The field, or what it is by default and for NVIDIA."""
    return (
        bool(p.use_global_stats)
        if p.HasField("use_global_stats") and not _scales(p)
        else phase == TEST
    )


def _normalised(
    x: Tensor,
    scale: Tensor | None,
    bias: Tensor | None,
    mean: Tensor,
    variance: Tensor,
    eps: float,
    *,
    train: bool,
) -> Tensor:
    return batch_norm(x, scale, bias, mean, variance, train=train, momentum=1.0, eps=eps)
