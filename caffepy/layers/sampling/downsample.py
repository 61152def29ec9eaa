"""Resizes planes and leaves NaN out."""

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
    """Planes resized with aligned corners; NaN are left out.  Caffe type ``Downsample``.

    Bottom: (N, C, H, W) float; [1] (..., OH, OW) of the size that is wanted.
    Top:    (N, C, OH, OW) float: the mean of the pixels that are less than one pixel of the top
            away, weighted by nearness in both axes; NaN where the NaN have more than half the
            weight of the others. If the bottom has this size it is copied. No gradient.
    Params: none
    Proto:  downsample_param { top_height, top_width }
    Differs from torch: interpolate with antialias does not align corners, and a NaN makes all
            pixels around it NaN.
    Source: FlowNet2, downsample_layer
    """

    fork_fields = frozenset({"LayerParameter.downsample_param"})
    size_fields = ("downsample_param", "top_height", "top_width")

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        """The top has the size that the fields or bottom 1 ask for."""
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
        """Sum values, their weights and the weights of NaN."""
        x = bottoms[0].detach()
        if self.size == tuple(x.shape[2:]):
            return (contiguous_copy(x),)
        taps = [self._taps(old, new) for old, new in zip(x.shape[2:], self.size)]
        missing = x.isnan()

        def resized(plane: Tensor) -> Tensor:
            return taps[1].sum(taps[0].sum(plane, 2, run), 3, run)

        value = resized(torch.where(missing, 0, x))
        weight = resized((~missing).to(x.dtype))
        lost = resized(missing.to(x.dtype))
        return (torch.where(lost / weight > 0.5, torch.nan, value / weight),)

    @staticmethod
    def _taps(old: int, new: int) -> Taps:
        centers = np.arange(new, dtype=np.float32) / np.float32(new - 1) * np.float32(old - 1)
        step = np.float32(old - 1) / np.float32(new - 1)
        # There is one pixel, whose weight 1 - 0 / 0 is NaN; CUDA's max makes it 0.
        if step == 0:
            return Taps(np.zeros((new, 1), np.int64), np.zeros((new, 1), np.float32))
        return Taps.around(centers, int(np.ceil(step)), old, lambda left: triangle(left / step))
