"""The windows of a convolution as channels."""

# N batch, C channels, I... spatial input, O... windows, K... kernel

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor

from caffepy.layers.common.base_conv import HOLE_FIELDS, Windows
from caffepy.layers.core.base import Layer, Run, Shape, canonical_axis, contiguous_copy, count
from caffepy.layers.core.registry import register_layer
from caffepy.layers.core.traits import Quirks


@register_layer("Im2col")
class Im2colLayer(Layer):
    """Each window laid out along the channel axis.  Caffe type ``Im2col``.

    Bottom: (N, C, I...) float.
    Top:    (N, C * count(K), O...) float; O as for Convolution.
    Params: none
    Proto:  convolution_param { kernel_size | kernel_h/w, pad, stride, dilation | hole, axis,
            force_nd_im2col }
    Differs from torch: unfold has one axis for all windows, and 2 spatial axes only.
    Source: BVLC Caffe, im2col_layer
    """

    fork_fields = HOLE_FIELDS
    quirks = Quirks(always_written=(0,))

    def setup(self, bottoms: Sequence[Shape]) -> None:
        p = self.param.convolution_param
        self.axis = canonical_axis(self, p.axis, len(bottoms[0]))
        if self.axis == len(bottoms[0]) - 1:
            raise self.fail(
                f"bottom has no axis behind axis {self.axis}, that of the channels;"
                " needed: at least 1"
            )
        self.windows = Windows.from_proto(self, p, spatial=len(bottoms[0]) - self.axis - 1)

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        """More channels, as many places as there are windows."""
        shape = bottoms[0]
        axis = self.axis
        if len(shape) - axis - 1 != len(self.windows.kernel):
            raise self.fail(
                f"bottom has {len(shape)} axes; needed: {axis + 1 + len(self.windows.kernel)},"
                " as at the start"
            )
        places = self.windows.outputs(self, shape[axis + 1 :])
        return ((*shape[:axis], shape[axis] * count(self.windows.kernel), *places),)

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        """One copy, also where windows are as large as a pixel."""
        x = bottoms[0]
        axes = len(self.windows.kernel)
        leading = x.shape[: self.axis]
        patches = self.windows.patches(
            self.windows.lengthened(x.reshape(count(leading), *x.shape[self.axis :]))
        )
        columns = contiguous_copy(
            patches.permute(0, 1, *range(2 + axes, 2 + 2 * axes), *range(2, 2 + axes))
        )
        return (
            columns.view(
                *leading, count(columns.shape[1 : 2 + axes]), *patches.shape[2 : 2 + axes]
            ),
        )
