"""Sum, product or maximum of equal blobs, element by element."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

import torch
from torch import Tensor

from caffepy.layers.base import Layer, Run, Shape, at_least
from caffepy.layers.registry import register_layer
from caffepy.proto import caffe_pb2

PROD, SUM, MAX = (caffe_pb2.EltwiseParameter.EltwiseOp.Value(name) for name in ("PROD", "SUM", "MAX"))


class _UnstableProduct(torch.autograd.Function):
    """The product whose gradient divides the top by the bottom: NaN at 0."""

    @staticmethod
    def forward(ctx: Any, *factors: Tensor) -> Tensor:
        y = reduce(torch.mul, factors)
        ctx.save_for_backward(y, *factors)
        return y

    @staticmethod
    def backward(ctx: Any, dy: Tensor) -> tuple[Tensor, ...]:
        y, *factors = ctx.saved_tensors
        return tuple(y / x * dy for x in factors)


@register_layer("Eltwise")
class EltwiseLayer(Layer):
    """One element from the same element of each bottom.  Caffe type ``Eltwise``.

    Bottom: two or more of one shape.
    Top:    of that shape; may be the first bottom. SUM: sum of coeff * bottom; PROD; MAX.
    Params: none
    Proto:  eltwise_param { operation, coeff (SUM: one a bottom), stable_prod_grad }
    Differs from torch: MAX gives the gradient to one bottom: of the first two to the second unless the first is larger, to a later
            one only if it is larger still. With stable_prod_grad false the gradient of PROD is NaN where a factor is 0.
    Source: BVLC Caffe, eltwise_layer
    """

    bottoms = at_least(2)

    def setup(self, bottoms: Sequence[Shape]) -> None:
        """Read operation and coefficients."""
        p = self.param.eltwise_param
        self.operation, coeff = int(p.operation), [float(c) for c in p.coeff]
        if coeff and self.operation == PROD:
            raise self.fail("coeff is given with operation PROD; needed: no coeff, they are for SUM")
        if coeff and len(coeff) != len(bottoms):
            raise self.fail(f"coeff is given {len(coeff)} times for {len(bottoms)} bottoms; needed: once for each, or never")
        self.coeff = coeff or [1.0] * len(bottoms)

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        """All shapes are equal."""
        for i, shape in enumerate(bottoms):
            if shape != bottoms[0]:
                raise self.fail(f"bottom {i} is {shape} and bottom 0 {bottoms[0]}; needed: equal shapes")
        return (bottoms[0],)

    def forward(self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run) -> tuple[Tensor, ...]:
        """A sum works in place where that is asked for."""
        if self.operation == SUM:
            return (self._sum(bottoms, inplace=run.inplace),)
        if self.operation == MAX:
            best = torch.where(bottoms[0] > bottoms[1], bottoms[0], bottoms[1])
            return (reduce(lambda top, x: torch.where(x > top, x, top), bottoms[2:], best),)
        if self.param.eltwise_param.stable_prod_grad:
            return (reduce(torch.mul, bottoms),)
        return (_UnstableProduct.apply(*bottoms),)

    def _sum(self, bottoms: Sequence[Tensor], *, inplace: bool) -> Tensor:
        first, second, *others = bottoms
        a, b, *rest = self.coeff
        y = first if a == 1 else (first.mul_(a) if inplace else first * a)
        y = y.add_(second, alpha=b) if inplace or a != 1 else torch.add(y, second, alpha=b)
        for x, c in zip(others, rest):
            y.add_(x, alpha=c)
        return y
