"""Planes of another size from places that are not NaN."""

# N batch, C channels, H W, OH OW output

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from caffepy.layers.core.base import Run, Shape, contiguous_copy
from caffepy.layers.core.registry import register_layer
from caffepy.layers.sampling.resample import ResizingLayer, Taps, triangle


@register_layer("Downsample")
class DownsampleLayer(ResizingLayer):
    """Planes of another size, corners on corners, without NaN.  Caffe type ``Downsample``.

    Bottom: (N, C, H, W) float; [1] (..., OH, OW) of the size that is wanted.
    Top:    (N, C, OH, OW) float: the mean of what is less than a pixel of the top away, by nearness
            in both axes; NaN where the weight of the NaN is more than half of that of the others.
            The bottom where it has this size. No gradient.
    Params: none
    Proto:  downsample_param { top_height, top_width }
    Differs from torch: interpolate by antialias puts edges on edges, and a NaN makes all around it
            NaN.
    Source: FlowNet2, downsample_layer
    """

    fork_fields = frozenset({"LayerParameter.downsample_param"})
    size_fields = ("downsample_param", "top_height", "top_width")

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        """The size asked for."""
        tops = super().reshape(bottoms)
        if self.size != tuple(bottoms[0][2:]) and min(self.size) < 2:
            raise self.fail(
                f"{bottoms[0][2:]} becomes {self.size}; needed: at least 2 in each axis,"
                " for the corners"
            )
        return tops

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        """Sums of values, of weights and of the weights of NaN."""
        x = bottoms[0].detach()
        if self.size == tuple(x.shape[2:]):
            return (contiguous_copy(x),)
        taps = [self._taps(old, new) for old, new in zip(x.shape[2:], self.size)]
        missing = x.isnan()
        value, weight, lost = (
            taps[1].sum(taps[0].sum(part, 2, run), 3, run)
            for part in (torch.where(missing, 0, x), (~missing).to(x.dtype), missing.to(x.dtype))
        )
        return (torch.where(lost / weight > 0.5, torch.nan, value / weight),)

    @staticmethod
    def _taps(old: int, new: int) -> Taps:
        centers = np.arange(new, dtype=np.float32) / np.float32(new - 1) * np.float32(old - 1)
        step = np.float32(old - 1) / np.float32(new - 1)
        # all are the one pixel, whose weight is 1 - 0 / 0, which CUDA's max takes for 0
        if step == 0:
            return Taps(np.zeros((new, 1), np.int64), np.zeros((new, 1), np.float32))
        return Taps.around(centers, int(np.ceil(step)), old, lambda left: triangle(left / step))
