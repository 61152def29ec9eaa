"""Where the largest values are."""

# N batch, A length of ``axis`` (or of a whole item), k = top_k

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from caffepy.layers.core.base import Layer, Run, Shape, as_rows, canonical_axis, count
from caffepy.layers.core.registry import register_layer
from caffepy.layers.core.traits import Gradients


@register_layer("ArgMax")
class ArgMaxLayer(Layer):
    """Indices of the k largest values.  Caffe type ``ArgMax``.

    Bottom: (N, ...) float.
    Top:    with ``axis``: the bottom's shape with k in that axis; indices, or with out_max_val the
            values. Without ``axis``, over each whole item: (N, 1, k) indices, or with out_max_val
            (N, 2, k) indices and values; axes of 1 at the end make it as many axes as the bottom.
    Params: none
    Proto:  argmax_param { out_max_val, top_k, axis }
    Differs from torch: of equal values the one with the larger index comes first. A NaN hides
            itself and all values before it, but is the largest if it is the last value, as in Caffe
            with top_k 1 (with more Caffe's order is undefined then). No gradient, as in Caffe.
    Source: BVLC Caffe, argmax_layer
    """

    gradients = Gradients(backward=False)

    def setup(self, bottoms: Sequence[Shape]) -> None:
        p = self.param.argmax_param
        self.top_k = int(p.top_k)
        self.values = bool(p.out_max_val)
        self.axis = canonical_axis(self, p.axis, len(bottoms[0])) if p.HasField("axis") else None

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        """The shape with k in ``axis``, or (N, 1 or 2, k, 1...)."""
        shape = bottoms[0]
        if len(shape) <= (self.axis or 0):
            raise self.fail(
                f"bottom has {len(shape)} axes; needed: at least {(self.axis or 0) + 1}"
            )
        length = count(shape, 1) if self.axis is None else shape[self.axis]
        if not 1 <= self.top_k <= length:
            what = "elements of an item" if self.axis is None else f"elements in axis {self.axis}"
            raise self.fail(f"top_k is {self.top_k}; needed: 1 to {length}, the {what}")
        if self.axis is not None:
            return ((*shape[: self.axis], self.top_k, *shape[self.axis + 1 :]),)
        return ((shape[0], 2 if self.values else 1, self.top_k, *(1,) * (len(shape) - 3)),)

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        """Sort from the back, so that a stable order prefers the larger index.

        What lies before a NaN counts as -inf: Caffe's search starts again behind each NaN.
        """
        x = bottoms[0].detach()
        axis = 1 if self.axis is None else self.axis
        scores = as_rows(x) if self.axis is None else x
        backwards = scores.flip(axis)
        before = backwards.isnan().cumsum(axis) > 0
        place = (
            backwards.masked_fill(before, -math.inf)
            .argsort(dim=axis, descending=True, stable=True)
            .narrow(axis, 0, self.top_k)
        )
        values = backwards.gather(axis, place)
        indices = (scores.shape[axis] - 1 - place).to(x.dtype)
        if self.axis is not None:
            return (values if self.values else indices,)
        parts = torch.stack((indices, values) if self.values else (indices,), 1)
        return (parts.view(*parts.shape, *(1,) * (x.dim() - 3)),)
