"""Convolution with a kernel for each channel, under the name that one fork gave it."""

from __future__ import annotations

from caffepy.layers.core.registry import register_layer
from caffepy.layers.windows.convolution import ConvolutionLayer


@register_layer("DepthwiseConvolution")
class DepthwiseConvolutionLayer(ConvolutionLayer):
    """A grouped convolution by another name.  Caffe type ``DepthwiseConvolution``.

    Bottom: one or more of one shape, (N, C, I...) float.
    Top:    as many, (N, num_output, O...) float; O as for Convolution.
    Params: weight (num_output, C/group, K...), bias (num_output,) unless bias_term is false
    Proto:  convolution_param { as for Convolution }; group is the number of channels in every net
            that uses it
    Differs from torch: as Convolution. Without ``group`` it is a full convolution, as on the fork's
            CPU.
    Source: yonghenglh6/DepthwiseConvolution, depthwise_conv_layer
    """
