"""How alike the places of two feature maps are, as optical flow is found from."""

# N batch, C channels, H W, OH OW output

from __future__ import annotations

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor

from caffepy.layers.core.base import Layer, Run, Shape, exactly
from caffepy.layers.core.registry import register_layer
from caffepy.proto import caffe_pb2

SUBTRACT = caffe_pb2.CorrelationParameter.SUBTRACT


@register_layer("Correlation")
class CorrelationLayer(Layer):
    """Mean products of patches of one map with those of another.  Caffe type ``Correlation``.

    Bottom: (N, C, H, W) float, twice. Gradients go to both.
    Top:    (N, D * D, OH, OW) float: D = 2 * (max_displacement / stride_2) + 1 shifts down, and for
            each as many to the right, of the second map by multiples of stride_2; the mean is over
            C and the kernel. From H: (H + 2 * pad - 2 * max_displacement - kernel_size) / stride_1
            + 1, W alike. SUBTRACT: the mean of |a - b|.
    Params: none
    Proto:  correlation_param { pad, kernel_size, max_displacement, stride_1, stride_2,
            correlation_type, do_abs (does nothing) }
    Differs from torch: no counterpart. SUBTRACT's gradient has for each difference the sign of
            another one, as in FlowNet: for the first map that at the place in the second, for the
            second that at the place in the first.
    Source: FlowNet2, correlation_layer; Dosovitskiy et al. 2015
    """

    fork_fields = frozenset({"LayerParameter.correlation_param"})
    bottoms = exactly(2)

    def setup(self, bottoms: Sequence[Shape]) -> None:
        p = self.param.correlation_param
        for name in ("kernel_size", "max_displacement"):
            if not p.HasField(name):
                raise self.fail(f"{name} is not given; needed: a number")
        if p.kernel_size % 2 == 0:
            raise self.fail(f"kernel_size is {p.kernel_size}; needed: an odd number")
        for name in ("stride_1", "stride_2"):
            if getattr(p, name) < 1:
                raise self.fail(f"{name} is 0; needed: at least 1")
        radius = p.max_displacement // p.stride_2
        self.shifts = [shift * p.stride_2 for shift in range(-radius, radius + 1)]

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        """A channel for each shift."""
        p = self.param.correlation_param
        shape = bottoms[0]
        if len(shape) != 4:
            raise self.fail(
                f"bottom has {len(shape)} axes; needed: 4 (number, channels, height, width)"
            )
        self.check_equal(bottoms)
        rooms = [n + 2 * p.pad - 2 * p.max_displacement - p.kernel_size for n in shape[2:]]
        if min(rooms) < 0:
            raise self.fail(
                f"{shape[2:]} with pad {p.pad} is too small for kernel_size {p.kernel_size} and"
                f" max_displacement {p.max_displacement}"
            )
        return ((shape[0], len(self.shifts) ** 2, *(n // p.stride_1 + 1 for n in rooms)),)

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        """One shift after another."""
        p = self.param.correlation_param
        a, b = (F.pad(x, (p.pad,) * 4) for x in bottoms)
        compare = self._differences if p.correlation_type == SUBTRACT else self._products
        means = torch.cat(
            [compare(a, b, down, right) for down in self.shifts for right in self.shifts], 1
        )
        if p.kernel_size == 1:
            return (means[:, :, :: p.stride_1, :: p.stride_1].contiguous(),)
        return (F.avg_pool2d(means, p.kernel_size, p.stride_1),)

    def _products(self, a: Tensor, b: Tensor, down: int, right: int) -> Tensor:
        return (self._inner(a) * self._inner(b, down, right)).mean(1, keepdim=True)

    def _differences(self, a: Tensor, b: Tensor, down: int, right: int) -> Tensor:
        here = self._inner(a)
        there = self._inner(b, down, right)
        larger = (a >= b).detach()
        signs = [
            torch.where(self._inner(larger, *shift), 1.0, -1.0).to(a.dtype)
            for shift in ((down, right), (0, 0))
        ]
        slope = (here - here.detach()) * signs[0] - (there - there.detach()) * signs[1]
        return ((here - there).detach().abs() + slope).mean(1, keepdim=True)

    def _inner(self, x: Tensor, down: int = 0, right: int = 0) -> Tensor:
        """Without a border as wide as the largest shift, shifted."""
        edge = self.param.correlation_param.max_displacement
        height, width = (n - 2 * edge for n in x.shape[2:])
        return x[:, :, edge + down : edge + down + height, edge + right : edge + right + width]

    def flops(self, bottoms: Sequence[Shape], tops: Sequence[Shape]) -> int:
        """Two for each product of a patch."""
        n, places, height, width = tops[0]
        return (
            2
            * n
            * places
            * height
            * width
            * bottoms[0][1]
            * int(self.param.correlation_param.kernel_size) ** 2
        )
