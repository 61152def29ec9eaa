"""Rectified linear units with a learned slope below 0."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from caffepy.layers.common.neuron import NeuronLayer, plain_zeros
from caffepy.layers.core.base import BlobSpec, Run, Shape, is_readable, largest
from caffepy.layers.core.registry import register_layer
from caffepy.layers.core.traits import Batches


@register_layer("PReLU")
class PReLULayer(NeuronLayer):
    """max(x, 0) + slope * min(x, 0).  Caffe type ``PReLU``.

    Bottom: (N, C, H, W) float, or (N, C, H), (N, C); more axes in nets of C3D and Intel
            (`caffepy.net.forks.volumes`).
    Top:    (N, C, H, W) float; may be the bottom.
    Params: slope (C,), or () with channel_shared; 0.25 unless a filler is given
    Proto:  prelu_param { filler, channel_shared }
    Differs from torch: the top is a new tensor even in place, since the gradient of the slope needs
            the bottom (Caffe keeps a copy of it). With a slope of 0 or less some zeros of torch are
            -0; here they are 0.
    Source: BVLC Caffe, prelu_layer; He et al. 2015
    """

    batches = Batches(traceable=True)

    def setup(self, bottoms: Sequence[Shape]) -> None:
        p = self.param.prelu_param
        self._check_axes(bottoms[0])
        shape = () if p.channel_shared else (bottoms[0][1],)
        self.blobs = (BlobSpec(shape, p.filler if p.HasField("filler") else None, constant=0.25),)

    def _check_axes(self, bottom: Shape) -> None:
        if len(bottom) < 2 or (len(bottom) > 4 and not self.param.any_axes):
            raise self.fail(
                f"bottom has {len(bottom)} axes; needed: 2 to 4 (number, channels, height, width)"
            )

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        """The top has the bottom's shape."""
        self._check_axes(bottoms[0])
        slopes = self.blobs[0].shape
        if slopes and bottoms[0][1] != slopes[0]:
            raise self.fail(
                f"bottom has {bottoms[0][1]} channels; needed: {slopes[0]},"
                " which the slopes were made for"
            )
        return (bottoms[0],)

    def growth(self, blobs: Sequence[Tensor]) -> float:
        return max(1.0, largest(blobs[0]))

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        slopes = blobs[0].reshape(-1)
        y = torch.prelu(bottoms[0], slopes)
        if run.recorded is not None:
            return (y,)
        return (
            plain_zeros(y, run.only_summed or (is_readable(slopes) and bool((slopes > 0).all()))),
        )
