"""Transposed convolution."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import torch
import torch.nn.functional as F
from torch import Tensor

from caffepy.layers.common.base_conv import BaseConvolutionLayer
from caffepy.layers.core.base import Run
from caffepy.layers.core.registry import register_layer

DECONVOLVE = {1: F.conv_transpose1d, 2: F.conv_transpose2d, 3: F.conv_transpose3d}
FIRST = (slice(None), slice(None))
"""All of the first two axes."""


@register_layer("Deconvolution")
class DeconvolutionLayer(BaseConvolutionLayer):
    """The gradient of a convolution: kernels spread over the top.  Caffe type ``Deconvolution``.

    Bottom: one or more of one shape, (N, C, I...) float; the same weights for each.
    Top:    as many, (N, num_output, O...) float; O = stride * (I - 1) + dilation*(kernel - 1) + 1 -
            2*pad.
    Params: weight (C, num_output/group, K...), bias (num_output,) unless bias_term is false
    Proto:  convolution_param { as for Convolution }
    Differs from torch: no output padding; no spatial axis (a 1x1 kernel) and more than 3 are
            allowed.
    Source: BVLC Caffe, deconv_layer
    """

    transposed = True

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        """One transposed convolution for each bottom."""
        return tuple(
            self._spread(x, blobs[0], blobs[1] if len(blobs) > 1 else None) for x in bottoms
        )

    def _spread(self, bottom: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        w = self.windows
        x = self.batched(bottom)
        if self.elementary:
            y = self._by_taps(x, weight, bias)
        elif w.kernel:
            y = DECONVOLVE[len(w.kernel)](
                x, weight, bias, w.stride, w.pad, 0, self.group, w.dilation
            )
        else:
            y = F.conv_transpose1d(x, weight.unsqueeze(-1), bias, groups=self.group)
        return self.unbatched(y, bottom)

    def _by_taps(self, x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        """Any number of spatial axes.

        Each element of the kernels, times the bottom, is added to every stride-th place.
        """
        w = self.windows
        size = x.shape[2:]
        wide = [s * (n - 1) + e for n, s, e in zip(size, w.stride, w.extent)]
        y = x.new_zeros((len(x), self.num_output, *wide))
        parts = list(zip(x.chunk(self.group, 1), weight.flatten(2).chunk(self.group)))
        for number, tap in enumerate(product(*map(range, w.kernel))):
            places = [
                slice(t * d, t * d + s * (n - 1) + 1, s)
                for t, d, s, n in zip(tap, w.dilation, w.stride, size)
            ]
            made = [
                torch.tensordot(part, kernels[:, :, number], ([1], [0])).movedim(-1, 1)
                for part, kernels in parts
            ]
            y[(*FIRST, *places)] += torch.cat(made, 1)
        y = y[(*FIRST, *(slice(p, n - p) for p, n in zip(w.pad, wide)))]
        return y if bias is None else y + bias.view(-1, *(1,) * len(size))
