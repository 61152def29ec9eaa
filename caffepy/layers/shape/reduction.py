"""Sums and means over the last axes."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor

from caffepy.layers.core.base import Layer, Run, Shape, canonical_axis, count
from caffepy.layers.core.registry import register_layer
from caffepy.proto import caffe_pb2

SUM = caffe_pb2.ReductionParameter.SUM
ASUM = caffe_pb2.ReductionParameter.ASUM
SUMSQ = caffe_pb2.ReductionParameter.SUMSQ
MEAN = caffe_pb2.ReductionParameter.MEAN


@register_layer("Reduction")
class ReductionLayer(Layer):
    """The sum or mean over all axes from ``axis`` on.  Caffe type ``Reduction``.

    Bottom: (...) float.
    Top:    the axes before ``axis``; coeff * the sum (SUM), sum of |x| (ASUM), of x^2 (SUMSQ), or
            the mean (MEAN).
    Params: none
    Proto:  reduction_param { operation, axis, coeff }
    Differs from torch: nothing.
    Source: BVLC Caffe, reduction_layer
    """

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        p = self.param.reduction_param
        self.axis = canonical_axis(self, p.axis, len(bottoms[0])) if bottoms[0] else 0
        self.factor = (
            p.coeff / max(1, count(bottoms[0], self.axis)) if p.operation == MEAN else p.coeff
        )
        return (bottoms[0][: self.axis],)

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        """Sum, then multiply by coeff."""
        x = bottoms[0]
        operation = self.param.reduction_param.operation
        if operation == ASUM:
            x = x.abs()
        elif operation == SUMSQ:
            x = x.square()
        y = x.flatten(self.axis).sum(-1)
        return (y if self.factor == 1 else y * self.factor,)
