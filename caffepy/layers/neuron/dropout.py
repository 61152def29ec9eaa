"""Dropout of single elements."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import torch
from torch import Tensor

from caffepy.layers.common.neuron import NeuronLayer
from caffepy.layers.core.autograd import Context, apply
from caffepy.layers.core.base import TRAIN, Run, Shape, count
from caffepy.layers.core.registry import register_layer
from caffepy.layers.core.traits import Precision, Quirks


class _Masked(torch.autograd.Function):
    """x * mask * scale. It saves only the mask for the gradient, one byte an element."""

    @staticmethod
    def forward(ctx: Context, x: Tensor, mask: Tensor, scale: float) -> Tensor:
        ctx.save_for_backward(mask)
        ctx.scale = scale
        return (x * mask).mul_(scale)

    @staticmethod
    def backward(ctx: Context, dy: Tensor) -> tuple[Tensor, None, None]:
        (mask,) = ctx.saved_tensors
        return (dy * mask).mul_(ctx.scale), None, None


@register_layer("Dropout")
class DropoutLayer(NeuronLayer):
    """Zero at random, the rest scaled up; the identity in TEST.  Caffe type ``Dropout``.

    Bottom: (...) float.
    Top:    (...) float; x * mask / (1 - dropout_ratio), mask 1 with probability 1 - dropout_ratio.
            May be the bottom. With scale_train false it is x * mask in TRAIN, and x * (1 -
            dropout_ratio) in TEST. With sample_weights_test TEST is as TRAIN.
    Params: none
    Proto:  dropout_param { dropout_ratio, scale_train (Fast R-CNN), sample_weights_test (SegNet) }
    Differs from torch: on the CPU the mask comes from Caffe's random stream, so a seed gives the
            same mask as in Caffe; on a GPU it comes from torch's generator. The top is a new tensor
            even in place, as the gradient of a ReLU before needs that layer's top.
    Source: BVLC Caffe, dropout_layer; Srivastava et al. 2014
    """

    fork_fields = frozenset(
        {"DropoutParameter.scale_train", "DropoutParameter.sample_weights_test"}
    )
    precision = Precision(keeps_small=True, takes_16_bits=True)
    quirks = Quirks(copies_tops=True)

    def setup(self, bottoms: Sequence[Shape]) -> None:
        p = self.param.dropout_param
        self._take(
            float(p.dropout_ratio),
            scales=bool(p.scale_train),
            draws=self.phase == TRAIN or bool(p.sample_weights_test),
        )

    def _take(self, ratio: float, *, scales: bool, draws: bool) -> None:
        self.ratio = ratio
        self.scales = scales
        self.draws = draws
        self.memory = replace(self.memory, aliases_bottom=not draws and scales)  # the identity
        # The mask is drawn for the whole batch at once.
        self.batches = replace(self.batches, item_by_item=not draws, traceable=not draws)
        if not 0 <= self.ratio <= 1:
            raise self.fail(f"dropout_ratio is {self.ratio:g}; needed: 0 to 1")

    def mask_shape(self, bottom: Shape) -> Shape:
        """The mask has a number for each element."""
        return bottom

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        """Apply a new mask, or in TEST the identity or a factor."""
        x = bottoms[0]
        if not self.draws:
            return (x if self.scales else x * (1 - self.ratio),)
        shape = self.mask_shape(tuple(x.shape))
        if x.device.type == "cpu":
            drawn = run.random.bernoulli(count(shape), 1 - self.ratio)
            mask = torch.from_numpy(drawn).to(torch.uint8).view(shape)
        else:
            like = x[tuple(map(slice, shape))]  # of the memory format of x
            mask = torch.empty_like(like, dtype=torch.uint8).bernoulli_(1 - self.ratio)
        scale = (1 / (1 - self.ratio) if self.ratio < 1 else math.inf) if self.scales else 1.0
        return (apply(_Masked, x, mask, scale),)
