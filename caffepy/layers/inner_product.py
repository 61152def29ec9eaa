"""Fully connected layers."""

# M = count of the axes before ``axis``, K of the others, N num_output

from __future__ import annotations

from collections.abc import Sequence

import torch.nn.functional as F
from torch import Tensor

from caffepy.layers.base import BlobSpec, Forward, Layer, Run, Shape, canonical_axis, count
from caffepy.layers.products import is_large, large_linear, linear
from caffepy.layers.registry import register_layer


@register_layer("InnerProduct")
class InnerProductLayer(Layer):
    """Product with a matrix, plus a bias.  Caffe type ``InnerProduct``.

    Bottom: (..., K...) float; the axes from ``axis`` on are flattened to K.
    Top:    (..., num_output) float.
    Params: weight (num_output, K), or (K, num_output) with transpose; bias (num_output,) unless bias_term is false
    Proto:  inner_product_param { num_output, bias_term, weight_filler, bias_filler, axis, transpose }
    Differs from torch: flattens the bottom itself.
    Source: BVLC Caffe, inner_product_layer
    """

    sums_products = True
    adds_up = True

    def setup(self, bottoms: Sequence[Shape]) -> None:
        """Blobs: weight and, with bias_term, bias."""
        p = self.param.inner_product_param
        self.num_output, self.transpose = int(p.num_output), bool(p.transpose)
        self.inputs = count(bottoms[0], canonical_axis(self, p.axis, len(bottoms[0])))
        if self.num_output < 1:
            raise self.fail("num_output is 0; needed: at least 1")
        shape = (self.inputs, self.num_output) if self.transpose else (self.num_output, self.inputs)
        weight = BlobSpec(shape, p.weight_filler)
        self.blobs = (weight, BlobSpec((self.num_output,), p.bias_filler)) if p.bias_term else (weight,)

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        """Axes before ``axis``, then num_output."""
        self.axis = canonical_axis(self, self.param.inner_product_param.axis, len(bottoms[0]))
        found = count(bottoms[0], self.axis)
        if found != self.inputs:
            raise self.fail(f"bottom {bottoms[0]} has {found} inputs from axis {self.axis} on; needed: {self.inputs}, as in the weights")
        return ((*bottoms[0][: self.axis], self.num_output),)

    def forward(self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run) -> tuple[Tensor, ...]:
        """One matrix product; the gradient of the weights is one too, without a copy."""
        x = bottoms[0]
        rows = x.reshape(-1, self.inputs)
        bias = blobs[1] if len(blobs) > 1 else None
        y = linear(rows, blobs[0].t() if self.transpose else blobs[0], bias)
        return (y if self.axis == 1 else y.view(*x.shape[: self.axis], self.num_output),)

    def prepared(self, bottoms: Sequence[Shape]) -> Forward:
        """Without transpose, and rows in the first axis: straight to torch."""
        if self.transpose or self.axis != 1 or len(self.blobs) == 1:
            return self.forward
        multiply = large_linear if is_large(count(bottoms[0]) * self.num_output) else F.linear
        if len(bottoms[0]) == 2:
            return lambda x, blobs, run: (multiply(x[0], blobs[0], blobs[1]),)
        return lambda x, blobs, run: (multiply(x[0].flatten(1), blobs[0], blobs[1]),)

    def flops(self, bottoms: Sequence[Shape], tops: Sequence[Shape]) -> int:
        """Two for each weight and row."""
        return 2 * count(tops[0]) * self.inputs
