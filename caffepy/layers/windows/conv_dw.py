"""Convolution with one kernel for each channel."""

from __future__ import annotations

from collections.abc import Sequence

from caffepy.layers.core.base import Shape, exactly
from caffepy.layers.core.registry import register_layer
from caffepy.layers.windows.convolution import ConvolutionLayer


@register_layer("ConvolutionDepthwise")
class ConvolutionDepthwiseLayer(ConvolutionLayer):
    """Correlation of each channel with its own kernel.  Caffe type ``ConvolutionDepthwise``.

    Bottom: (N, C, H, W) float.
    Top:    (N, C, OH, OW) float; OH as for Convolution.
    Params: weight (C, 1, KH, KW), bias (C,) unless bias_term is false
    Proto:  convolution_param { as for Convolution; num_output and group are ignored }
    Differs from torch: a kernel too large by less than one stride gives one window. A stride or pad
            that is left out is 1 or 0 (the fork reads beyond an empty list).
    Source: farmingyard/caffe-mobilenet, conv_dw_layer; Howard et al. 2017
    """

    bottoms = exactly(1)
    tops = exactly(1)

    def setup(self, bottoms: Sequence[Shape]) -> None:
        """As many outputs and groups as channels."""
        if len(bottoms[0]) != 4:
            raise self.fail(
                f"bottom has {len(bottoms[0])} axes; needed: 4 (number, channels, height, width)"
            )
        p = self.param.convolution_param
        p.num_output = p.group = bottoms[0][1]
        super().setup(bottoms)
