"""SphereFace's scores of classes by angles, of which that of the label is made harder."""

# M batch, K elements of an item, N classes

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from caffepy.layers.common.loss import label_indices
from caffepy.layers.core.autograd import Context, apply
from caffepy.layers.core.base import (
    BlobSpec,
    Layer,
    Run,
    Shape,
    between,
    canonical_axis,
    count,
    exactly,
)
from caffepy.layers.core.registry import register_layer
from caffepy.layers.core.state import COUNT, passes_before
from caffepy.layers.core.traits import Gradients
from caffepy.proto import caffe_pb2

SINGLE = caffe_pb2.MarginInnerProductParameter.SINGLE
DOUBLE = caffe_pb2.MarginInnerProductParameter.DOUBLE
TRIPLE = caffe_pb2.MarginInnerProductParameter.TRIPLE
QUADRUPLE = caffe_pb2.MarginInnerProductParameter.QUADRUPLE


def _angle(kind: int, c: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """What takes the place of cosines ``c``, and two factors of the gradient.

    By how much the item goes to the weights, and away from itself, for its length.
    """
    if kind == DOUBLE:
        sign = c.sign()
        return 2 * sign * c**2 - 1, 4 * sign * c, 2 * sign * c**2 + 1
    if kind == TRIPLE:
        sign = (c.abs() - 0.5).sign()
        step = c.sign() * (1 + sign) - 2
        return sign * (4 * c**3 - 3 * c) + step, sign * (12 * c**2 - 3), 8 * sign * c**3 - step
    sign = c.sign() * (2 * c**2 - 1).sign()
    step = 2 * c.sign() + sign - 3
    return (
        sign * (8 * c**4 - 8 * c**2 + 1) + step,
        sign * (32 * c**3 - 16 * c),
        sign * (24 * c**4 - 8 * c**2 - 1) - step,
    )


class _MarginInnerProduct(torch.autograd.Function):
    """The weights' gradient is that of a plain product.

    The item's by its label's score is scaled to the length of 1 first.
    """

    @staticmethod
    def forward(
        ctx: Context, x: Tensor, weight: Tensor, index: Tensor, kind: int, plain_part: Tensor
    ) -> Tensor:
        y = x @ weight.t()
        ctx.kind = kind
        ctx.plain_part = plain_part
        if kind == SINGLE:
            ctx.save_for_backward(x, weight, index)
            return y
        rows = torch.arange(len(x), device=x.device)
        length = x.square().sum(1).sqrt()
        own, toward, away = _angle(kind, y[rows, index] / length)
        away = -away / length
        size = (toward.square() + away.square()).sqrt()
        ctx.save_for_backward(x, weight, index, toward / size, away / size)
        plain = y * plain_part
        y[rows, index] = length * own
        return (y + plain) / (1 + plain_part)

    @staticmethod
    def backward(ctx: Context, dy: Tensor) -> tuple[Tensor, Tensor, None, None, None]:
        x, weight, index, *ways = ctx.saved_tensors
        dweight = dy.t() @ x
        if ctx.kind == SINGLE:
            return dy @ weight, dweight, None, None, None
        toward, away = ways
        rows = torch.arange(len(x), device=x.device)
        others = dy.clone()
        others[rows, index] = 0
        own = dy[rows, index].unsqueeze(1) * (
            toward.unsqueeze(1) * weight[index] + away.unsqueeze(1) * x
        )
        return (
            (others @ weight + own + ctx.plain_part * (dy @ weight)) / (1 + ctx.plain_part),
            dweight,
            None,
            None,
            None,
        )


@register_layer("MarginInnerProduct")
class MarginInnerProductLayer(Layer):
    """Product with unit weights, with a margin for the label.  Caffe type ``MarginInnerProduct``.

    Bottom: (M, K...) float, the axes from ``axis`` on are flattened to K; [1] M labels, truncated
            to integers.
    Top:    (M, num_output) float: x . w; for the label (|x| * psi(angle) + lambda * x . w) / (1 +
            lambda), where psi goes on falling as cos(m * angle) does at first, m = 1 (SINGLE) to 4
            (QUADRUPLE)
            [1] (1,) lambda = max(lambda_min, base * (1 + gamma * pass) ^ -power), pass = iteration
            + 1 in the first pass
    Params: weight (num_output, K), its rows brought to the length 1 by each pass
    Proto:  margin_inner_product_param { num_output, type, weight_filler, axis, base, gamma, power,
            iteration, lambda_min }
    Differs from torch: no counterpart. The gradient by the weights is that of a plain product, and
            the way that an item goes for the score of its label has the length 1, as in SphereFace.
    Source: SphereFace, margin_inner_product_layer; Liu et al. 2017
    """

    fork_fields = frozenset({"LayerParameter.margin_inner_product_param"})
    bottoms = exactly(2)
    tops = between(1, 2)
    gradients = Gradients(refused=(1,), unforced=(1,))

    @classmethod
    def remembers(cls, param: caffe_pb2.LayerParameter) -> bool:
        """Lambda falls from pass to pass."""
        return True

    def setup(self, bottoms: Sequence[Shape]) -> None:
        p = self.param.margin_inner_product_param
        self.axis = canonical_axis(self, p.axis, len(bottoms[0]))
        if p.num_output < 1:
            raise self.fail("num_output is 0; needed: the number of classes")
        self.blobs = (BlobSpec((int(p.num_output), count(bottoms[0], self.axis)), p.weight_filler),)

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        """Axes before ``axis``, then num_output; lambda."""
        classes, inputs = self.blobs[0].shape
        if count(bottoms[0], self.axis) != inputs:
            raise self.fail(
                f"bottom {bottoms[0]} has {count(bottoms[0], self.axis)} elements an item;"
                f" needed: {inputs}, as in the weights"
            )
        items = count(bottoms[0], 0, self.axis)
        if count(bottoms[1]) != items:
            raise self.fail(
                f"bottom 1 is {bottoms[1]}; needed: {items} labels, one for each item of bottom 0,"
                f" {bottoms[0]}"
            )
        return ((*bottoms[0][: self.axis], classes), (1,))[: len(self.param.top)]

    def state_shapes(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        """The number of passes."""
        return COUNT

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        """Bring the weights to length 1, count the pass, and multiply."""
        p = self.param.margin_inner_product_param
        weight = blobs[0]
        own = weight.detach()
        own.div_(own.square().sum(1, keepdim=True).sqrt())
        falling = 1 + p.gamma * (p.iteration + 1 + passes_before(run, weight.device))
        plain_part = (p.base * falling**-p.power).clamp(min=p.lambda_min)
        index, _ = label_indices(self, bottoms[1].flatten(), len(weight), None, run)
        y = apply(
            _MarginInnerProduct,
            bottoms[0].reshape(len(index), -1),
            weight,
            index,
            p.type,
            plain_part,
        )
        return (
            y.view(*bottoms[0].shape[: self.axis], -1),
            plain_part.to(y.dtype, copy=True).view(1),
        )[: len(self.param.top)]
