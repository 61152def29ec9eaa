"""Product with a blob that is broadcast over the other axes, and optionally a bias."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import torch
from torch import Tensor

from caffepy.layers.common.neuron import NeuronLayer
from caffepy.layers.core.base import BlobSpec, Run, Shape, between, largest
from caffepy.layers.core.registry import log_creation, register_layer
from caffepy.layers.core.traits import Precision
from caffepy.layers.linear.bias import broadcast, broadcast_axis, learned_shape


@register_layer("Scale")
class ScaleLayer(NeuronLayer):
    """Product with a smaller blob, learned or a second bottom, plus a bias.  Caffe type ``Scale``.

    Bottom: (...) float; [1] (optional) the scale, equal to some of the first's axes from ``axis``
            on.
    Top:    (...) float; may be the first bottom.
    Params: with one bottom: scale, num_axes axes of the bottom from ``axis`` on (num_axes 0: a
            scalar, -1: all), filled with 1 unless a filler is given; with bias_term: bias, last, of
            the scale's shape. Where the axes before ``axis`` are 1 (one item), the scale's gradient
            is that of the last pass alone (iter_size), and of the first of layers that share it, as
            in Caffe.
    Proto:  scale_param { axis, num_axes, filler, bias_term, bias_filler }
    Differs from torch: axes are matched from ``axis`` on, not from the last. A new tensor even in
            place, since the gradient of the scale needs the bottom (Caffe keeps a copy of it).
    Source: BVLC Caffe, scale_layer
    """

    bottoms = between(1, 2)
    precision = Precision(sums_bottoms=True)

    def setup(self, bottoms: Sequence[Shape]) -> None:
        """The scale's blob, unless it is a bottom, and the bias's."""
        p = self.param.scale_param
        shape = (
            bottoms[1] if len(bottoms) > 1 else learned_shape(self, bottoms[0], p.axis, p.num_axes)
        )
        filler = p.filler if p.HasField("filler") else None
        scale = () if len(bottoms) > 1 else (BlobSpec(shape, filler, constant=1.0),)
        if p.bias_term:
            log_creation(self.param)  # the Bias inside
        self.blobs = (*scale, BlobSpec(shape, p.bias_filler)) if p.bias_term else scale

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        """The top has the first bottom's shape."""
        small = bottoms[1] if len(bottoms) > 1 else self.blobs[0].shape
        if self.blobs and small != self.blobs[-1].shape:
            raise self.fail(
                f"bottom 1 is {small} and the bias {self.blobs[-1].shape}; needed: equal shapes"
            )
        self.axis = broadcast_axis(self, bottoms[0], small, self.param.scale_param.axis)
        inner = math.prod(bottoms[0][self.axis + len(small) :])
        # Where the axes before ``axis`` are 1, Caffe writes a scale's gradient over its diff.
        alone = math.prod(bottoms[0][: self.axis]) == 1 and (math.prod(small) > 1 or inner == 1)
        self.quirks = replace(
            self.quirks, overwritten_diffs=(0,) if len(bottoms) == 1 and alone else ()
        )
        self.batches = replace(
            self.batches, item_by_item=self.channel_affine, traceable=len(bottoms) == 1
        )
        return (bottoms[0],)

    def growth(self, blobs: Sequence[Tensor]) -> float:
        return sum(map(largest, blobs))

    @property
    def channel_affine(self) -> bool:
        """One learned number, or two, for each channel."""
        return len(self.param.bottom) == 1 and self.axis == 1 and len(self.blobs[0].shape) == 1

    def affine(self, blobs: Sequence[Tensor]) -> tuple[Tensor, Tensor]:
        """The blobs; no bias is 0."""
        return blobs[0], blobs[1] if len(blobs) > 1 else torch.zeros_like(blobs[0])

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        """The product; the bias is added to it in place."""
        x = bottoms[0]
        scale = broadcast(bottoms[1] if len(bottoms) > 1 else blobs[0], self.axis, x.dim())
        y = x * scale
        if self.param.scale_param.bias_term:
            y.add_(broadcast(blobs[-1], self.axis, x.dim()))
        return (y,)
