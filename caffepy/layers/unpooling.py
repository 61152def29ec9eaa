"""Max pooling undone."""

# N batch, C channels, H W, OH OW output

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from caffepy.layers.base import Layer, Run, Shape, between
from caffepy.layers.registry import register_layer
from caffepy.layers.upsample import unpooled


@register_layer("Unpooling")
class UnpoolingLayer(Layer):
    """Each value at the place that a pooling's mask gives, or at its window's first.  Caffe type ``Unpooling``.

    Bottom: (N, C, H, W) float; [1] (N, C, H, W) float, index in the top's plane, the second top of a MAX pooling.
    Top:    (N, C, OH, OW) float, 0 but for the values; OH = unpool_size or unpool_h (DeconvNet), output_h or H * scale (FuseNet),
            else (H - 1) * stride + kernel - 2 * pad (CEDN).
    Params: none
    Proto:  unpooling_param { unpool: MAX, kernel_size | kernel_h/w, stride, pad, unpool_size | unpool_h/w }
            or { output_h, output_w | scale } (FuseNet)
    Differs from torch: max_unpool2d computes the same where there is a mask.
    Source: DeconvNet, CEDN and FuseNet, unpooling_layer; Noh et al. 2015
    """

    fork_fields = frozenset({"LayerParameter.unpooling_param"}) | {
        f"UnpoolingParameter.{name}" for name in ("output_h", "output_w", "scale")
    }
    bottoms = between(1, 2)

    def setup(self, bottoms: Sequence[Shape]) -> None:
        """Find the field that gives the size."""
        p = self.param.unpooling_param
        self.kernel = self._pair("kernel_size", "kernel_h", "kernel_w")
        self.stride, self.pad = self._pair("stride", "stride_h", "stride_w"), self._pair("pad", "pad_h", "pad_w")
        sizes = [self._pair("unpool_size", "unpool_h", "unpool_w"), self._pair(None, "output_h", "output_w")]
        given = [size for size in sizes if any(size)] + [None] * p.HasField("scale")
        if len(given) > 1 or not (given or all(self.kernel)):
            raise self.fail("needed: one of unpool_size, output_h with output_w, scale, or a kernel_size, which tells the size as well")
        if given and any(self.pad):
            raise self.fail(f"pad is {self.pad}; needed: pad 0 where the size is given")
        self.given = given[0] if given else None
        if not all(self.stride):
            raise self.fail(f"stride is {self.stride}; needed: at least 1 in each axis")

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        """The planes' new size."""
        shape = bottoms[0]
        if len(shape) != 4:
            raise self.fail(f"bottom has {len(shape)} axes; needed: 4 (number, channels, height, width)")
        if any(other != shape for other in bottoms[1:]):
            raise self.fail(f"bottom 0 is {shape} and the mask {bottoms[1]}; needed: equal shapes")
        self.size = self.given or self._spread(shape[2:])
        if min(self.size) < 1:
            raise self.fail(f"the top's planes are {self.size}; needed: at least 1 in each axis")
        if len(bottoms) == 1 and any((n - 1) * s >= room for n, s, room in zip(shape[2:], self.stride, self.size)):
            raise self.fail(f"the top's planes are {self.size}; needed: room for {shape[2]} x {shape[3]} windows with stride {self.stride}")
        return ((*shape[:2], *self.size),)

    def starts(self, size: Sequence[int]) -> list[int]:
        """Where in the top's plane each of ``size`` windows begins."""
        (high, wide), (down, right) = size, self.stride
        return [row * down * self.size[1] + column * right for row in range(high) for column in range(wide)]

    def _pair(self, name: str | None, high: str, wide: str) -> Shape:
        """The value of a field for both axes, or those of its pair."""
        p = self.param.unpooling_param
        given = [p.HasField(field) for field in (high, wide)]
        if any(given) != all(given) or (any(given) and name and p.HasField(name)):
            raise self.fail(f"needed: {name}, or {high} and {wide}" if name else f"needed: both {high} and {wide}")
        return (int(getattr(p, high)), int(getattr(p, wide))) if all(given) else (int(getattr(p, name)) if name else 0,) * 2

    def _spread(self, size: Shape) -> Shape:
        """What the windows of a pooling cover, or so many times the bottom."""
        if self.param.unpooling_param.HasField("scale"):
            return tuple(n * int(self.param.unpooling_param.scale) for n in size)
        return tuple((n - 1) * s + k - 2 * p for n, s, k, p in zip(size, self.stride, self.kernel, self.pad))

    def forward(self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run) -> tuple[Tensor, ...]:
        """Scatter."""
        x = bottoms[0]
        if len(bottoms) > 1:
            index = bottoms[1].detach().flatten(2).long()
        else:
            index = torch.tensor(self.starts(x.shape[2:]), device=x.device).expand(*x.shape[:2], -1)
        return (unpooled(self, x, index, self.size),)
