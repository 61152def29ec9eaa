"""Fully connected layers."""

# M = count of the axes before ``axis``, K of the others, N num_output

from __future__ import annotations

from collections.abc import Sequence

import torch.nn.functional as F
from torch import Tensor

from caffepy.layers.base import BlobSpec, Forward, Layer, Run, Shape, canonical_axis, count
from caffepy.layers.products import is_large, large_linear, linear
from caffepy.layers.registry import register_layer


def unit_length(weight: Tensor) -> Tensor:
    """What each row is divided by, (num_output, 1)."""
    return weight.square().sum(1, keepdim=True).add_(1e-6).sqrt_()


@register_layer("InnerProduct")
class InnerProductLayer(Layer):
    """Product with a matrix, plus a bias.  Caffe type ``InnerProduct``.

    Bottom: (..., K...) float; the axes from ``axis`` on are flattened to K.
    Top:    (..., num_output) float.
    Params: weight (num_output, K), or (K, num_output) with transpose; bias (num_output,) unless bias_term is false.
            With normalize each pass first divides each row of the weight by sqrt(sum of squares + 1e-6), where it is stored.
    Proto:  inner_product_param { num_output, bias_term, weight_filler, bias_filler, axis, transpose; happynear's normalize }
    Differs from torch: flattens the bottom itself. With normalize the gradient of the weight is that of a plain product.
    Source: BVLC Caffe, inner_product_layer; happynear/caffe-windows, inner_product_layer
    """

    fork_fields = frozenset({"InnerProductParameter.normalize"})
    sums_products = True
    adds_up = True

    def setup(self, bottoms: Sequence[Shape]) -> None:
        """Blobs: weight and, with bias_term, bias."""
        p = self.param.inner_product_param
        self.num_output, self.transpose, self.normalize = int(p.num_output), bool(p.transpose), bool(p.normalize)
        self.inputs = count(bottoms[0], canonical_axis(self, p.axis, len(bottoms[0])))
        if self.num_output < 1:
            raise self.fail("num_output is 0; needed: at least 1")
        if self.normalize and self.transpose:
            raise self.fail("normalize is true and so is transpose; needed: at most one of them")
        self.sums_products = not self.normalize  # which would get a copy of the weight
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
        if self.normalize:
            own = blobs[0].data
            own.div_(unit_length(own))
        rows = x.reshape(-1, self.inputs)
        bias = blobs[1] if len(blobs) > 1 else None
        y = linear(rows, blobs[0].t() if self.transpose else blobs[0], bias)
        return (y if self.axis == 1 else y.view(*x.shape[: self.axis], self.num_output),)

    def prepared(self, bottoms: Sequence[Shape]) -> Forward:
        """Without transpose and normalize, and rows in the first axis: straight to torch."""
        if self.transpose or self.normalize or self.axis != 1 or len(self.blobs) == 1:
            return self.forward
        multiply = large_linear if is_large(count(bottoms[0]) * self.num_output) else F.linear
        if len(bottoms[0]) == 2:
            return lambda x, blobs, run: (multiply(x[0], blobs[0], blobs[1]),)
        return lambda x, blobs, run: (multiply(x[0].flatten(1), blobs[0], blobs[1]),)

    def flops(self, bottoms: Sequence[Shape], tops: Sequence[Shape]) -> int:
        """Two for each weight and row."""
        return 2 * count(tops[0]) * self.inputs
