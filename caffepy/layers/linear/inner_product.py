"""Fully connected layers."""

# M = count of the axes before ``axis``, K of the others, N num_output

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import torch
import torch.nn.functional as F
from torch import Tensor

from caffepy.layers.core.base import (
    BlobSpec,
    Forward,
    Layer,
    Run,
    Shape,
    between,
    canonical_axis,
    count,
    largest,
)
from caffepy.layers.core.products import is_large, large_linear, linear
from caffepy.layers.core.registry import register_layer
from caffepy.layers.core.traits import Precision

FEW_WEIGHTS = 2**16
"""Up to so many, a call of oneDNN for one row takes longer than the product."""


def unit_length(rows: Tensor) -> Tensor:
    """What each row is divided by, (num_output, 1)."""
    return rows.square().sum(1, keepdim=True).add_(1e-6).sqrt_()


@register_layer("InnerProduct")
class InnerProductLayer(Layer):
    """Product with a matrix, plus a bias.  Caffe type ``InnerProduct``.

    Bottom: (..., K...) float; the axes from ``axis`` on are flattened to K; [1] (happynear)
            (num_output, K...) float, the weight.
    Top:    (..., num_output) float.
    Params: weight (num_output, K), or (K, num_output) with transpose; bias (num_output,) unless
            bias_term is false; none with bottom 1, which asks for bias_term: false and says what
            num_output is. With normalize each pass first divides every K numbers of the weight in a
            row, as they lie in memory, by sqrt(sum of squares + 1e-6), where it is stored; without
            transpose these are its rows. No effect with bottom 1.
    Proto:  inner_product_param { num_output, bias_term, weight_filler, bias_filler, axis,
            transpose; happynear's normalize }
    Differs from torch: flattens the bottom itself. With normalize the gradient of the weight is
            that of a plain product.
    Source: BVLC Caffe, inner_product_layer; happynear/caffe-windows, inner_product_layer
    """

    fork_fields = frozenset({"InnerProductParameter.normalize"})
    bottoms = between(1, 2)
    precision = Precision(sums_products=True, sums_bottoms=True)

    def setup(self, bottoms: Sequence[Shape]) -> None:
        """Blobs: weight and, with bias_term, bias."""
        p = self.param.inner_product_param
        given = len(bottoms) > 1
        self.num_output = bottoms[1][0] if given and bottoms[1] else int(p.num_output)
        self.transpose = bool(p.transpose)
        self.normalize = bool(p.normalize) and not given
        self.inputs = count(bottoms[0], canonical_axis(self, p.axis, len(bottoms[0])))
        if self.num_output < 1:
            raise self.fail("num_output is 0; needed: at least 1")
        if given and p.bias_term:
            raise self.fail(
                "bottom 1 is the weight and bias_term is true; needed: bias_term: false,"
                " or one bottom"
            )
        if self.normalize:  # it would get a copy of the weight
            self.precision = replace(self.precision, sums_products=False)
        shape = (self.inputs, self.num_output) if self.transpose else (self.num_output, self.inputs)
        weight = BlobSpec(shape, p.weight_filler)
        self.blobs = (weight, BlobSpec((self.num_output,), p.bias_filler))[
            : 0 if given else 1 + bool(p.bias_term)
        ]

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        """Axes before ``axis``, then num_output."""
        self.axis = canonical_axis(self, self.param.inner_product_param.axis, len(bottoms[0]))
        inputs = count(bottoms[0], self.axis)
        if inputs != self.inputs:
            raise self.fail(
                f"bottom {bottoms[0]} has {inputs} inputs from axis {self.axis} on;"
                f" needed: {self.inputs}, as in the weights"
            )
        if len(bottoms) > 1:
            self.num_output = bottoms[1][0] if bottoms[1] else 0
            if count(bottoms[1]) != self.num_output * self.inputs or not self.num_output:
                raise self.fail(
                    f"bottom 1 is {bottoms[1]}; needed: (num_output, {self.inputs}),"
                    " a weight for each input of bottom 0"
                )
        plain = len(bottoms) == 1 and not self.normalize
        # A graph of operators would have a copy of a large weight.
        # torch.export wants no size of a batch looked at.
        traceable = (
            plain
            and not torch.compiler.is_compiling()
            and not is_large(count(bottoms[0]) * self.num_output)
        )
        self.batches = replace(self.batches, traceable=traceable)
        return ((*bottoms[0][: self.axis], self.num_output),)

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        """One matrix product; the gradient of the weights is one too, without a copy."""
        x = bottoms[0]
        if self.normalize:
            own = blobs[0].data.view(self.num_output, self.inputs)
            own.div_(unit_length(own))
        rows = x.reshape(-1, self.inputs)
        shape = (self.inputs, self.num_output) if self.transpose else (self.num_output, self.inputs)
        weight = bottoms[1].reshape(shape) if len(bottoms) > 1 else blobs[0]
        y = linear(
            rows, weight.t() if self.transpose else weight, blobs[1] if len(blobs) > 1 else None
        )
        return (y if self.axis == 1 else y.view(*x.shape[: self.axis], self.num_output),)

    def prepared(self, bottoms: Sequence[Shape]) -> Forward:
        """Without transpose and normalize, and rows in the first axis: straight to torch."""
        if self.transpose or self.normalize or self.axis != 1 or len(self.blobs) < 2:
            return self.forward
        if bottoms[0][0] == 1 and self.num_output * self.inputs <= FEW_WEIGHTS:
            return self._one_row
        multiply = large_linear if is_large(count(bottoms[0]) * self.num_output) else F.linear
        if len(bottoms[0]) == 2:
            return lambda x, blobs, run: (multiply(x[0], blobs[0], blobs[1]),)
        return lambda x, blobs, run: (multiply(x[0].flatten(1), blobs[0], blobs[1]),)

    def _one_row(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        x = bottoms[0].flatten(1)
        if run.recorded is None:
            return (F.linear(x, blobs[0], blobs[1]),)
        return (torch.addmv(blobs[1], blobs[0], x[0]).unsqueeze(0),)

    def growth(self, blobs: Sequence[Tensor]) -> float:
        sums = blobs[0].detach().abs().sum(0 if self.transpose else 1)
        return largest(sums) + sum(map(largest, blobs[1:]))

    def flops(self, bottoms: Sequence[Shape], tops: Sequence[Shape]) -> int:
        """Two for each weight and row."""
        return 2 * count(tops[0]) * self.inputs
