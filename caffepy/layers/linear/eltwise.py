"""Sum, product or maximum of equal blobs, element by element."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import reduce

import torch
from torch import Tensor

from caffepy.layers.common.neuron import plain_zeros
from caffepy.layers.core.autograd import Context, apply
from caffepy.layers.core.base import Layer, Run, Shape, at_least
from caffepy.layers.core.half import least
from caffepy.layers.core.registry import register_layer
from caffepy.layers.core.traits import Batches, Precision
from caffepy.proto import caffe_pb2

PROD = caffe_pb2.EltwiseParameter.PROD
SUM = caffe_pb2.EltwiseParameter.SUM
MAX = caffe_pb2.EltwiseParameter.MAX


class _UnstableProduct(torch.autograd.Function):
    """The product whose gradient divides the top by the bottom: NaN at 0."""

    @staticmethod
    def forward(ctx: Context, *factors: Tensor) -> Tensor:
        y = reduce(torch.mul, factors)
        ctx.save_for_backward(y, *factors)
        return y

    @staticmethod
    def backward(ctx: Context, dy: Tensor) -> tuple[Tensor, ...]:
        y, *factors = ctx.saved_tensors
        return tuple(y / x * dy for x in factors)


class _InPlace(torch.autograd.Function):
    """What Caffe computes when the top overwrites bottom 0, whose diff is then the top's.

    Each pass over a bottom sees what the earlier ones left.

    A sum begins by clearing the top and a maximum by filling it with -FLT_MAX, so both lose bottom
    0. In backward bottom 0 comes first, if it gets a gradient: what is written to its diff is the
    top's diff from then on, for a product also in the product with itself.
    """

    @staticmethod
    def forward(ctx: Context, layer: EltwiseLayer, *bottoms: Tensor) -> Tensor:
        first, *others = bottoms
        ctx.layer = layer
        if layer.operation == SUM:
            y = torch.zeros_like(first)
            for x, c in zip(others, layer.coeff[1:]):
                _add_(y, x, c)
        elif layer.operation == MAX:
            y, chosen = _chosen((torch.full_like(first, least(first.dtype)), *others))
            ctx.save_for_backward(chosen)
        else:
            y = reduce(torch.mul, bottoms)
            ctx.save_for_backward(y, *others)
        return y

    @staticmethod
    def backward(ctx: Context, dy: Tensor) -> tuple[Tensor | None, ...]:
        layer = ctx.layer
        overwritten = ctx.needs_input_grad[1]
        if layer.operation == SUM:
            left = dy * layer.coeff[0] if overwritten else dy
            return None, left, *(left * c for c in layer.coeff[1:])
        if layer.operation == MAX:
            (chosen,) = ctx.saved_tensors
            left = dy.where(chosen == 0, 0) if overwritten else dy
            return None, left, *(left.where(chosen == i, 0) for i in range(1, len(layer.coeff)))
        y, *others = ctx.saved_tensors
        if not layer.stable:
            left = (y / y).square() if overwritten else dy
            return None, left, *(y / x * left for x in others)
        left = reduce(torch.mul, others).square() if overwritten else dy
        return (
            None,
            left,
            *(
                reduce(torch.mul, others[:i] + others[i + 1 :], y) * left
                for i in range(len(others))
            ),
        )


def _holds(x: Tensor, c: float) -> bool:
    """Whether torch takes ``c`` as a factor beside numbers like ``x``.

    Numbers of 16 bits hold none beyond 65504.
    """
    return not math.isfinite(c) or abs(c) <= torch.finfo(x.dtype).max


def _add_(y: Tensor, x: Tensor, c: float) -> None:
    """y += c * x."""
    if _holds(y, c):
        y.add_(x, alpha=c)
    else:
        y.add_(x * c)


def _maximum(bottoms: Sequence[Tensor]) -> Tensor:
    """Of the first two the second unless the first is larger.

    A later one only if it is larger still.
    """
    best = torch.where(bottoms[0] > bottoms[1], bottoms[0], bottoms[1])
    return reduce(lambda top, x: torch.where(x > top, x, top), bottoms[2:], best)


def _chosen(bottoms: Sequence[Tensor]) -> tuple[Tensor, Tensor]:
    """`_maximum`, and for each element the bottom that it comes from."""
    index = (~(bottoms[0] > bottoms[1])).to(torch.int32)
    best = torch.where(index == 0, bottoms[0], bottoms[1])
    for i, x in enumerate(bottoms[2:], 2):
        index, best = torch.where(x > best, i, index), torch.where(x > best, x, best)
    return best, index


@register_layer("Eltwise")
class EltwiseLayer(Layer):
    """One element from the same element of each bottom.  Caffe type ``Eltwise``.

    Bottom: two or more of one shape; a single one with SUM and coeff, as in FlowNet2.
    Top:    of that shape. SUM: sum of coeff * bottom; PROD; MAX. If it is the first bottom, SUM and
            MAX leave that one out and gradients are off, as in Caffe (see _InPlace).
    Params: none
    Proto:  eltwise_param { operation, coeff (SUM: one a bottom), stable_prod_grad }
    Differs from torch: MAX gives the gradient to one bottom: of the first two to the second unless
            the first is larger, to a later one only if it is larger still. With stable_prod_grad
            false the gradient of PROD is NaN where a factor is 0.
    Source: BVLC Caffe, eltwise_layer; FlowNet2's for a single bottom
    """

    bottoms = at_least(1)
    precision = Precision(keeps_small=True, takes_16_bits=True)
    batches = Batches(item_by_item=True)

    def setup(self, bottoms: Sequence[Shape]) -> None:
        """Read operation and coefficients."""
        p = self.param.eltwise_param
        self.operation = int(p.operation)
        self.stable = bool(p.stable_prod_grad)
        # some gradients of products divide the top, or see what passes over the bottoms have left
        self.memory = replace(
            self.memory, saves_top=self.operation == PROD and (self.in_place or not self.stable)
        )
        coeff = [float(c) for c in p.coeff]
        if coeff and self.operation == PROD:
            raise self.fail(
                "coeff is given with operation PROD; needed: no coeff, they are for SUM"
            )
        if len(bottoms) == 1 and not (coeff and self.operation == SUM):
            raise self.fail(
                "takes at least 2 bottom blob(s), 1 given; one is enough for SUM with coeff"
            )
        if coeff and len(coeff) != len(bottoms):
            raise self.fail(
                f"coeff is given {len(coeff)} times for {len(bottoms)} bottoms;"
                " needed: once for each, or never"
            )
        self.coeff = coeff or [1.0] * len(bottoms)
        self.batches = replace(self.batches, traceable=self.operation != PROD and not self.in_place)

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        """All shapes are equal."""
        self.check_equal(bottoms)
        return (bottoms[0],)

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        """A new tensor, or that of a bottom which nothing else reads."""
        if self.in_place:
            return (apply(_InPlace, self, *bottoms),)
        if self.operation == SUM:
            as_it_is = run.only_summed or run.recorded is not None
            if len(bottoms) == 2 and self.coeff == [1, 1] and (run.inplace or run.second_free):
                left, right = bottoms if run.inplace else reversed(bottoms)
                return (plain_zeros(left.add_(right), as_it_is),)
            return (plain_zeros(self._sum(bottoms), as_it_is),)
        if self.operation == MAX:
            return (_maximum(bottoms),)
        return (reduce(torch.mul, bottoms) if self.stable else apply(_UnstableProduct, *bottoms),)

    def growth(self, blobs: Sequence[Tensor]) -> float:
        return sum(map(abs, self.coeff))

    def _sum(self, bottoms: Sequence[Tensor]) -> Tensor:
        if len(bottoms) == 1:
            return bottoms[0] * self.coeff[0]
        first, second, *others = bottoms
        first = first if self.coeff[0] == 1 else first * self.coeff[0]
        y = (
            torch.add(first, second, alpha=self.coeff[1])
            if _holds(first, self.coeff[1])
            else first + second * self.coeff[1]
        )
        for x, c in zip(others, self.coeff[2:]):
            _add_(y, x, c)
        return y
