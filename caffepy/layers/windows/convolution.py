"""Convolution over any number of spatial axes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
import torch.nn.functional as F
from torch import Tensor

from caffepy.layers.common.base_conv import BaseConvolutionLayer
from caffepy.layers.common.large_maps import convolve_maps, learns_by_maps
from caffepy.layers.common.normalising import usual_order
from caffepy.layers.core.base import Forward, Run, Shape
from caffepy.layers.core.registry import register_layer

CONVOLVE = {1: F.conv1d, 2: F.conv2d, 3: F.conv3d}
LANES = 16
"""float32 numbers in the longest register of a CPU."""


@register_layer("Convolution")
class ConvolutionLayer(BaseConvolutionLayer):
    """Correlation of the bottom with learned kernels.  Caffe type ``Convolution``.

    Bottom: one or more of one shape, (N, C, I...) float; the same weights for each.
    Top:    as many, (N, num_output, O...) float; O = trunc((I + 2*pad - (dilation*(kernel - 1) +
            1)) / stride) + 1.
    Params: weight (num_output, C/group, K...), bias (num_output,) unless bias_term is false
    Proto:  convolution_param { num_output, bias_term, kernel_size | kernel_h/w, pad, stride,
            dilation | hole (DeepLab), group, axis, weight_filler, bias_filler, engine,
            force_nd_im2col }; axis is that of the channels, all before it are batch
    Differs from torch: no spatial axis (a 1x1 kernel) and more than 3 are allowed; a kernel too
            large by less than one stride gives one window, with zeros where it reaches beyond the
            padding.
    Source: BVLC Caffe, conv_layer
    """

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        """One convolution for each bottom."""
        return tuple(
            self._convolve(x, blobs[0], blobs[1] if len(blobs) > 1 else None) for x in bottoms
        )

    def prepared(self, bottoms: Sequence[Shape]) -> Forward:
        """One bottom with 1 to 3 spatial axes goes straight to torch."""
        w = self.windows
        if (
            len(bottoms) != 1
            or self.axis != 1
            or len(w.kernel) not in CONVOLVE
            or self.elementary
            or any(w.overhang(bottoms[0][2:]))
            or self.picks_first
        ):
            return self.forward
        if self.grouped_elements and 1 in bottoms[0]:
            return self.forward
        convolve: Callable[..., Tensor] = CONVOLVE[len(w.kernel)]
        if learns_by_maps(bottoms[0], w.kernel, self.group):
            convolve = convolve_maps
        stride = w.stride
        pad = w.pad
        dilation = w.dilation
        group = self.group
        if len(self.blobs) == 1:
            return lambda x, blobs, run: (
                convolve(x[0], blobs[0], None, stride, pad, dilation, group),
            )
        return lambda x, blobs, run: (
            convolve(x[0], blobs[0], blobs[1], stride, pad, dilation, group),
        )

    @property
    def picks_first(self) -> bool:
        """The elements under strided 1x1 kernels are copied before the convolution.

        oneDNN (of torch 2.6 to 2.14 at least) does so itself where it computes the gradient of such
        kernels on channels-last memory, into a buffer that is too small for fewer channels than a
        register takes, and writes on behind it.
        """
        return self.windows.picks and self.channels // self.group < LANES

    @property
    def grouped_elements(self) -> bool:
        """1x1 kernels in groups.

        On a CPU, torch's gradient of these on channels-last memory needs a bottom in `usual_order`.
        """
        return self.group > 1 and set(self.windows.kernel) == {1}

    def _convolve(self, bottom: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        w = self.windows
        x = w.lengthened(self.batched(bottom))
        if self.elementary:
            y = self._by_patches(x, weight, bias)
        elif w.kernel:
            x, stride = (w.picked(x), 1) if self.picks_first else (x, w.stride)
            x = usual_order(x) if self.grouped_elements else x
            y = CONVOLVE[len(w.kernel)](x, weight, bias, stride, w.pad, w.dilation, self.group)
        else:
            y = F.conv1d(x, weight.unsqueeze(-1), bias, groups=self.group)
        return self.unbatched(y, bottom)

    def _by_patches(self, x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        """Any number of spatial axes: windows times kernels, group by group."""
        axes = len(self.windows.kernel)
        over = [1, *range(2 + axes, 2 + 2 * axes)]
        parts = [
            torch.tensordot(patches, kernels, (over, list(range(1, axes + 2)))).movedim(-1, 1)
            for patches, kernels in zip(
                self.windows.patches(x).chunk(self.group, 1), weight.chunk(self.group)
            )
        ]
        y = torch.cat(parts, 1)
        return y if bias is None else y + bias.view(-1, *(1,) * axes)
