"""Concatenates blobs along an axis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import torch
from google.protobuf.message import Message
from torch import Tensor

from caffepy.layers.core.base import Layer, Run, Shape, at_least, canonical_axis
from caffepy.layers.core.registry import register_layer
from caffepy.layers.core.traits import Precision


def axis_of(layer: Layer, p: Message, old: str, axes: int) -> int:
    """The field ``axis`` of a message, or the older field ``old``, counted from the front.

    LayerError if both are given, or if it is out of range.
    """
    if p.HasField("axis") and p.HasField(old):
        raise layer.fail(f"axis and {old} are both given; needed: one of them")
    name = old if p.HasField(old) else "axis"
    return canonical_axis(layer, int(getattr(p, name)), axes, name)


@register_layer("Concat")
class ConcatLayer(Layer):
    """Bottoms one after the other along an axis.  Caffe type ``Concat``.

    Bottom: one or more, equal in all axes but ``axis``.
    Top:    their sum of lengths in ``axis``.
    Params: none
    Proto:  concat_param { axis | concat_dim }
    Differs from torch: nothing.
    Source: BVLC Caffe, concat_layer
    """

    bottoms = at_least(1)
    precision = Precision(keeps_small=True, takes_16_bits=True)

    def setup(self, bottoms: Sequence[Shape]) -> None:
        """A single bottom shares its memory with the top."""
        self.quirks = replace(self.quirks, shares_memory=len(bottoms) == 1)

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        """The top's length in ``axis`` is the sum of those of the bottoms."""
        first = bottoms[0]
        self.axis = axis = axis_of(self, self.param.concat_param, "concat_dim", len(first))
        self.batches = replace(self.batches, item_by_item=axis >= 1, traceable=True)
        for i, shape in enumerate(bottoms):
            if (
                len(shape) != len(first)
                or shape[:axis] != first[:axis]
                or shape[axis + 1 :] != first[axis + 1 :]
            ):
                raise self.fail(
                    f"bottom {i} is {shape} and bottom 0 {first};"
                    f" needed: equal dims except in axis {axis}"
                )
        return ((*first[:axis], sum(shape[axis] for shape in bottoms), *first[axis + 1 :]),)

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        return (torch.cat(list(bottoms), self.axis),)
