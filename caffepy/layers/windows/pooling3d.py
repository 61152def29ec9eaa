"""Pooling of volumes, under the name and with the fields of C3D."""

# N batch, C channels, L frames, H W, P... pooled

from __future__ import annotations

import itertools
from collections.abc import Sequence

import torch
from torch import Tensor

from caffepy.layers.core.autograd import Context, apply
from caffepy.layers.core.base import Layer, Run, Shape, exactly
from caffepy.layers.core.registry import register_layer
from caffepy.layers.windows.pooling import AVE, MAX, PoolingSpec, pool
from caffepy.proto import caffe_pb2

OWN = frozenset(["pool", "pad", "kernel_size", "stride", "kernel_depth", "temporal_stride"])
METHODS = {caffe_pb2.Pooling3DParameter.MAX: MAX, caffe_pb2.Pooling3DParameter.AVE: AVE}


class _Maxima(torch.autograd.Function):
    """Given maxima; the gradient goes to all that equal the maximum of their window."""

    @staticmethod
    def forward(ctx: Context, x: Tensor, y: Tensor, spec: PoolingSpec) -> Tensor:
        ctx.save_for_backward(x, y)
        ctx.spec = spec
        return y.clone()

    @staticmethod
    def backward(ctx: Context, dy: Tensor) -> tuple[Tensor, None, None]:
        x, y = ctx.saved_tensors
        dx = torch.zeros_like(x)
        for place in itertools.product(*map(range, ctx.spec.kernel)):
            frames, rows, columns = (
                slice(first, None, stride) for first, stride in zip(place, ctx.spec.stride)
            )
            there, spread = x[..., frames, rows, columns], dx[..., frames, rows, columns]
            frames, rows, columns = (
                slice(0, min(n, windows)) for n, windows in zip(there.shape[2:], y.shape[2:])
            )
            there, spread, top, gradient = (
                part[..., frames, rows, columns] for part in (there, spread, y, dy)
            )
            spread += gradient * (there == top)
        return dx, None, None


@register_layer("Pooling3D")
class Pooling3DLayer(Layer):
    """Maximum or average of each window of a volume.  Caffe type ``Pooling3D``.

    Bottom: (N, C, L, H, W) float.
    Top:    (N, C, PL, PH, PW) float; PL = ceil((L - kernel_depth) / temporal_stride) + 1,
            PH = ceil((H + 2*pad - kernel_size) / stride) + 1.
    Params: none
    Proto:  pooling3d_param { pool: MAX | AVE, kernel_size, kernel_depth, stride, temporal_stride,
            pad (AVE) }
    Differs from torch: rounds up, and keeps windows that begin behind a padded plane; the gradient
            of a maximum goes to all of its equals in the window.
    Source: C3D, pool3d_layer; Tran et al. 2015. Nets of its v1.0 too, whose POOLING3D becomes this
            when upgraded
    """

    fork_fields = frozenset(
        [
            "LayerParameter.pooling3d_param",
            *(f"Pooling3DParameter.{name}" for name in ("kernel_depth", "temporal_stride")),
        ]
    )
    bottoms = tops = exactly(1)

    def setup(self, bottoms: Sequence[Shape]) -> None:
        p = self.param.pooling3d_param
        others = [field.name for field, _ in p.ListFields() if field.name not in OWN]
        if others or p.pool not in METHODS:
            raise self.fail(
                f"{others[0] if others else 'pool AVE_EXC_PAD'} is not C3D's;"
                " needed: fields of C3D's Pooling3D"
            )
        kernel = (p.kernel_depth, p.kernel_size, p.kernel_size)
        stride = (p.temporal_stride, p.stride, p.stride)
        for what, values in (
            ("kernel_depth and kernel_size", kernel),
            ("temporal_stride and stride", stride),
        ):
            if min(values) < 1:
                raise self.fail(f"{what} are {values[0]} and {values[1]}; needed: at least 1")
        if p.pad and p.pool == p.MAX:
            raise self.fail(f"pad is {p.pad}; needed: pool AVE, or no pad")
        self.spec = PoolingSpec(
            METHODS[p.pool],
            tuple(kernel),
            tuple(stride),
            (0, p.pad, p.pad),
            ceil=True,
            inside=False,
        )

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        if len(bottoms[0]) != 5:
            raise self.fail(
                f"bottom has {len(bottoms[0])} axes; needed: 5 (number, channels, frames, height,"
                " width)"
            )
        pooled = self.spec.pooled(bottoms[0][2:])
        if min(pooled) < 1:
            raise self.fail(
                f"kernel size {self.spec.kernel} finds no window in a bottom of {bottoms[0][2:]};"
                " needed: a smaller kernel"
            )
        return ((*bottoms[0][:2], *pooled),)

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        """As Pooling, but for the gradient of equal maxima."""
        x = bottoms[0]
        if self.spec.method == AVE:
            return pool(self, self.spec, x)
        return (apply(_Maxima, x, pool(self, self.spec, x.detach())[0], self.spec),)
