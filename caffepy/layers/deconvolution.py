"""Transposed convolution."""

from __future__ import annotations

from collections.abc import Sequence

import torch.nn.functional as F
from torch import Tensor

from caffepy.layers.base import Run, Shape
from caffepy.layers.base_conv import BaseConvolutionLayer
from caffepy.layers.registry import register_layer

DECONVOLVE = {1: F.conv_transpose1d, 2: F.conv_transpose2d, 3: F.conv_transpose3d}


@register_layer("Deconvolution")
class DeconvolutionLayer(BaseConvolutionLayer):
    """The gradient of a convolution as a layer: kernels spread over the top.  Caffe type ``Deconvolution``.

    Bottom: one or more of one shape, (N, C, I...) float; the same weights for each.
    Top:    as many, (N, num_output, O...) float; O = stride * (I - 1) + dilation*(kernel - 1) + 1 - 2*pad.
    Params: weight (C, num_output/group, K...), bias (num_output,) unless bias_term is false
    Proto:  convolution_param { as for Convolution }
    Differs from torch: no output padding; no spatial axis (a 1x1 kernel) is allowed.
    Source: BVLC Caffe, deconv_layer
    """

    transposed = True

    def setup(self, bottoms: Sequence[Shape]) -> None:
        """As for a convolution, up to 3 spatial axes."""
        super().setup(bottoms)
        if len(self.windows.kernel) > 3:
            raise self.fail(f"bottom has {len(self.windows.kernel)} spatial axes; needed: at most 3")

    def forward(self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run) -> tuple[Tensor, ...]:
        """One transposed convolution for each bottom."""
        return tuple(self._spread(x, blobs[0], blobs[1] if len(blobs) > 1 else None) for x in bottoms)

    def _spread(self, bottom: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        w, x = self.windows, self.batched(bottom)
        if w.kernel:
            y = DECONVOLVE[len(w.kernel)](x, weight, bias, w.stride, w.pad, 0, self.group, w.dilation)
        else:
            y = F.conv_transpose1d(x, weight.unsqueeze(-1), bias, groups=self.group)
        return self.unbatched(y, bottom)
