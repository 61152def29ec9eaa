"""Convolution of volumes, under the name and with the fields of C3D."""

# N batch, C channels, L frames, H W

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from torch import Tensor

from caffepy.layers.core.base import Forward, Run, Shape, exactly
from caffepy.layers.core.registry import register_layer
from caffepy.layers.windows.convolution import ConvolutionLayer


@register_layer("Convolution3D")
class Convolution3DLayer(ConvolutionLayer):
    """Correlation of a volume with learned kernels.  Caffe type ``Convolution3D``.

    Bottom: (N, C, L, H, W) float.
    Top:    (N, num_output, OL, OH, OW) float; each as for Convolution.
    Params: weight (num_output, C, kernel_depth, kernel_size, kernel_size), bias (1, 1, 1, 1,
            num_output) unless bias_term is false
    Proto:  convolution3d_param { num_output, bias_term, kernel_size, kernel_depth, stride,
            temporal_stride, pad, temporal_pad, weight_filler, bias_filler, filter_group };
            filter_group divides the work, not the channels, and group does nothing
    Differs from torch: conv3d computes the same.
    Source: C3D, convolution3d_layer; Tran et al. 2015. Nets and weights of its v1.0 too, whose
            CONVOLUTION3D becomes this when upgraded
    """

    fork_fields = frozenset({"LayerParameter.convolution3d_param"})
    bottoms = tops = exactly(1)

    def setup(self, bottoms: Sequence[Shape]) -> None:
        """As a Convolution with a size for each axis, and a bias of 5 axes."""
        p, own = self.param.convolution_param, self.param.convolution3d_param
        if len(bottoms[0]) != 5:
            raise self.fail(
                f"bottom has {len(bottoms[0])} axes; needed: 5 (number, channels, frames, height,"
                " width)"
            )
        p.Clear()
        p.num_output = own.num_output
        p.bias_term = own.bias_term
        p.kernel_size[:] = [own.kernel_depth, own.kernel_size, own.kernel_size]
        p.stride[:] = [own.temporal_stride, own.stride, own.stride]
        p.pad[:] = [own.temporal_pad, own.pad, own.pad]
        p.weight_filler.CopyFrom(own.weight_filler)
        p.bias_filler.CopyFrom(own.bias_filler)
        if own.filter_group < 1 or own.num_output % own.filter_group:
            raise self.fail(
                f"filter_group is {own.filter_group} and num_output {own.num_output};"
                " needed: a filter_group that divides it"
            )
        super().setup(bottoms)
        weight, *bias = self.blobs
        self.blobs = (
            weight,
            *(replace(spec, shape=(1, 1, 1, 1, self.num_output)) for spec in bias),
        )

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        return super().forward(bottoms, [blobs[0], *(bias.flatten() for bias in blobs[1:])], run)

    def prepared(self, bottoms: Sequence[Shape]) -> Forward:
        """As `forward`, which flattens the bias."""
        return self.forward
