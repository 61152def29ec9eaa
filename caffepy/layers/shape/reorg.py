"""Moves pixels to channels, in darknet's order."""

# N batch, C channels, H W, S stride

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor

from caffepy.layers.core.base import Layer, Run, Shape, contiguous_copy
from caffepy.layers.core.registry import register_layer
from caffepy.layers.core.traits import Memory


@register_layer("Reorg")
class ReorgLayer(Layer):
    """Pixels of S * S blocks as channels, in darknet's order.  Caffe type ``Reorg``.

    Bottom: (N, C, H, W) float; C a multiple of S * S, H and W of S. With reverse: (N, C * S * S, H,
            W).
    Top:    (N, C * S * S, H / S, W / S) float. The elements are in the order in which darknet reads
            the bottom's memory, which is not that of space to depth. With reverse: (N, C, H * S, W
            * S).
    Params: none
    Proto:  reorg_param { stride, reverse }
    Differs from torch: pixel_unshuffle keeps the pixels of a channel together. The gradient moves
            back to where the elements came from (MobileNet-YOLO's on the CPU reads a buffer that
            nothing has filled).
    Source: MobileNet-YOLO, reorg_layer; Redmon and Farhadi 2017
    """

    fork_fields = frozenset({"LayerParameter.reorg_param"})
    memory = Memory(refuses_inplace=True)

    def setup(self, bottoms: Sequence[Shape]) -> None:
        p = self.param.reorg_param
        self.stride = int(p.stride)
        self.backwards = bool(p.reverse)
        if self.stride < 1:
            raise self.fail(
                f"stride is {self.stride if p.HasField('stride') else 'not given'};"
                " needed: at least 1"
            )

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        """The top has more channels and smaller planes, or with reverse the other way round."""
        s = self.stride
        shape = bottoms[0]
        if len(shape) != 4:
            raise self.fail(
                f"bottom has {len(shape)} axes; needed: 4 (number, channels, height, width)"
            )
        n, c, h, w = shape
        if c % (s * s) or (not self.backwards and (h % s or w % s)):
            raise self.fail(
                f"bottom is {shape}; needed: channels that are a multiple of {s * s},"
                f" and height and width of {s}"
            )
        return (
            ((n, c // (s * s), h * s, w * s),)
            if self.backwards
            else ((n, c * s * s, h // s, w // s),)
        )

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        """Move the elements. The top is a copy even with a stride of 1."""
        x = bottoms[0]
        s = self.stride
        n, c, h, w = x.shape
        if self.backwards:
            # (N, S, S, C / S^2, H, W) becomes (N, C / S^2, H, S, W, S).
            blocks = x.reshape(n, s, s, c // (s * s), h, w).permute(0, 3, 4, 1, 5, 2)
            return (contiguous_copy(blocks).view(n, c // (s * s), h * s, w * s),)
        # darknet takes the bottom's memory for (N, C / S^2, H * S, W * S).
        blocks = x.reshape(n, c // (s * s), h, s, w, s).permute(0, 3, 5, 1, 2, 4)
        return (contiguous_copy(blocks).view(n, c * s * s, h // s, w // s),)
