"""Keeps those items of a batch that a selector picks."""

# N batch, M items with a selector that is not 0

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import torch
from torch import Tensor

from caffepy.layers.core.base import Layer, Run, Shape, at_least
from caffepy.layers.core.registry import register_layer
from caffepy.layers.core.traits import Device
from caffepy.proto import caffe_pb2


@register_layer("Filter")
class FilterLayer(Layer):
    """Drops the items whose selector is 0.  Caffe type ``Filter``.

    Bottom: one or more of (N, ...) float; the last: (N, 1...) float, the selector.
    Top:    for each bottom but the last, (M, ...) float. M depends on the values, so the shape rule
            says N; it may be 0.
    Params: none
    Proto:  none
    Differs from torch: no counterpart.
    Source: BVLC Caffe, filter_layer
    """

    bottoms = at_least(2)
    tops = at_least(1)
    device = Device(on_host=True, shaped_by_values=True)

    def __init__(self, param: caffe_pb2.LayerParameter, phase: int) -> None:
        """The selector, the last bottom, gets no gradient."""
        super().__init__(param, phase)
        self.gradients = replace(self.gradients, refused=(len(param.bottom) - 1,))

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        """The shapes if the selector keeps all items."""
        *items, selector = bottoms
        if self.top_count != len(items):
            raise self.fail(
                f"{self.top_count} tops for {len(items)} bottoms beside the selector;"
                " needed: as many"
            )
        if any(n != 1 for n in selector[1:]) or not selector:
            raise self.fail(
                f"the selector, the last bottom, is {selector}; needed: (N, 1, ...),"
                " one number for each item"
            )
        for i, shape in enumerate(items):
            if not shape or shape[0] != selector[0]:
                raise self.fail(
                    f"bottom {i} is {shape} and the selector {selector}; needed: the same first dim"
                )
        return tuple(items)

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        """Keep the selected items; their number depends on values, so the host waits for a GPU."""
        *items, selector = bottoms
        index = selector.detach().flatten().nonzero().flatten()
        return tuple(torch.index_select(x, 0, index) for x in items)
