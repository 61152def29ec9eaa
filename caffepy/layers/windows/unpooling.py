"""Max pooling undone."""

# N batch, C channels, H W, OH OW output

from __future__ import annotations

import itertools
from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor

from caffepy.layers.core.autograd import Context, apply
from caffepy.layers.core.base import Layer, Run, Shape, between
from caffepy.layers.core.registry import register_layer
from caffepy.layers.windows.upsample import unpooled
from caffepy.proto import caffe_pb2

MAX = caffe_pb2.UnpoolingParameter.MAX
AVE = caffe_pb2.UnpoolingParameter.AVE


class _Averaged(torch.autograd.Function):
    """What it is given; the gradient is divided."""

    @staticmethod
    def forward(ctx: Context, x: Tensor, divisor: Tensor) -> Tensor:
        ctx.save_for_backward(divisor)
        return x.view_as(x)

    @staticmethod
    def backward(ctx: Context, dy: Tensor) -> tuple[Tensor, None]:
        (divisor,) = ctx.saved_tensors
        return dy / divisor, None


@register_layer("Unpooling")
class UnpoolingLayer(Layer):
    """Each value at its place in a pooling's window, or all over it.  Caffe type ``Unpooling``.

    Bottom: (N, C, H, W) float; [1] (N, C, H, W) float, index in the top's plane, the second top of
            a MAX pooling.
    Top:    (N, C, OH, OW) float, 0 but for the values (of several at one place the last). AVE: each
            value, by the number of its window's pixels, and TILE: each as it is, in all pixels of
            its window, where those of several add up. Windows are cut at the top's edge; MAX puts
            values of windows beyond it at its last row and column. OH = unpool_size or unpool_h
            (DeconvNet), output_h or H * scale (FuseNet), else (H - 1) * stride + kernel - 2 * pad
            (CEDN).
    Params: none
    Proto:  unpooling_param { unpool: MAX | AVE | TILE, kernel_size | kernel_h/w, stride, pad,
            unpool_size | unpool_h/w } or { output_h, output_w | scale } (FuseNet)
    Differs from torch: max_unpool2d computes the same where there is a mask. The gradient of TILE
            is the mean over the window, that of AVE, as in DeconvNet. There AVE and TILE add to
            what the last pass left; here each begins with 0.
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
        self.stride = self._pair("stride", "stride_h", "stride_w")
        self.pad = self._pair("pad", "pad_h", "pad_w")
        sizes = [
            self._pair("unpool_size", "unpool_h", "unpool_w"),
            self._pair(None, "output_h", "output_w"),
        ]
        given = [size for size in sizes if any(size)] + [None] * p.HasField("scale")
        if len(given) > 1 or not (given or all(self.kernel)):
            raise self.fail(
                "needed: one of unpool_size, output_h with output_w, scale, or a kernel_size,"
                " which tells the size as well"
            )
        if any(sizes[0]) and not all(self.kernel):
            raise self.fail(
                f"kernel_size is {self.kernel}; needed: at least 1 in each axis beside unpool_size,"
                " as in DeconvNet"
            )
        if given and any(self.pad):
            raise self.fail(f"pad is {self.pad}; needed: pad 0 where the size is given")
        self.given = given[0] if given else None
        self.spreads = p.unpool != MAX
        self.averages = p.unpool == AVE
        if self.spreads and not all(self.kernel):
            raise self.fail(
                f"kernel_size is {self.kernel}; needed: at least 1 in each axis, for AVE and TILE"
            )
        if not all(self.stride):
            raise self.fail(f"stride is {self.stride}; needed: at least 1 in each axis")

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        """The planes' new size."""
        shape = bottoms[0]
        if len(shape) != 4:
            raise self.fail(
                f"bottom has {len(shape)} axes; needed: 4 (number, channels, height, width)"
            )
        if any(other != shape for other in bottoms[1:]):
            raise self.fail(f"bottom 0 is {shape} and the mask {bottoms[1]}; needed: equal shapes")
        self.size = self.given or self._spread(shape[2:])
        if min(self.size) < 1:
            raise self.fail(f"the top's planes are {self.size}; needed: at least 1 in each axis")
        return ((*shape[:2], *self.size),)

    def starts(self, size: Sequence[int]) -> list[int]:
        """Where in the top's plane each of ``size`` windows begins, or its last row or column."""
        rows, columns = (
            [min(i * stride, room - 1) for i in range(n)]
            for n, stride, room in zip(size, self.stride, self.size)
        )
        return [row * self.size[1] + column for row in rows for column in columns]

    def _pair(self, name: str | None, high: str, wide: str) -> Shape:
        """The value of a field for both axes, or those of its pair."""
        p = self.param.unpooling_param
        given = [p.HasField(field) for field in (high, wide)]
        if any(given) != all(given) or (any(given) and name and p.HasField(name)):
            raise self.fail(
                f"needed: {name}, or {high} and {wide}"
                if name
                else f"needed: both {high} and {wide}"
            )
        return (
            (int(getattr(p, high)), int(getattr(p, wide)))
            if all(given)
            else (int(getattr(p, name)) if name else 0,) * 2
        )

    def _spread(self, size: Shape) -> Shape:
        """What the windows of a pooling cover, or so many times the bottom."""
        if self.param.unpooling_param.HasField("scale"):
            return tuple(n * int(self.param.unpooling_param.scale) for n in size)
        return tuple(
            (n - 1) * s + k - 2 * p for n, s, k, p in zip(size, self.stride, self.kernel, self.pad)
        )

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        x = bottoms[0]
        if self.spreads:
            return (self._spread_over_windows(x, run),)
        if len(bottoms) > 1:
            index = bottoms[1].detach().flatten(2).long()
        else:
            starts = run.constant(
                f"starts {tuple(x.shape[2:])}", x, lambda: torch.tensor(self.starts(x.shape[2:]))
            )
            index = starts.long().expand(*x.shape[:2], -1)
        return (unpooled(self, x, index, self.size, run),)

    def pixels(self, size: Sequence[int]) -> list[list[int]]:
        """How many pixels of the top each of ``size`` windows covers, at least 1."""
        rows, columns = (
            [max(1, min(kernel, room - i * stride)) for i in range(n)]
            for n, kernel, stride, room in zip(size, self.kernel, self.stride, self.size)
        )
        return [[row * column for column in columns] for row in rows]

    def _spread_over_windows(self, x: Tensor, run: Run) -> Tensor:
        pixels = run.constant(
            f"pixels {tuple(x.shape[2:])}", x, lambda: torch.tensor(self.pixels(x.shape[2:]))
        )
        values = x / pixels if self.averages else apply(_Averaged, x, pixels)
        whole = [
            (n - 1) * stride + kernel
            for n, stride, kernel in zip(x.shape[2:], self.stride, self.kernel)
        ]
        y = x.new_zeros(*x.shape[:2], *whole)
        for place in itertools.product(*map(range, self.kernel)):
            rows, columns = (
                slice(i, i + (n - 1) * stride + 1, stride)
                for i, n, stride in zip(place, x.shape[2:], self.stride)
            )
            y[:, :, rows, columns] += values
        return F.pad(y, (0, self.size[1] - whole[1], 0, self.size[0] - whole[0]))
