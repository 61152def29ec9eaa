"""Axes in another order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from torch import Tensor

from caffepy.layers.core.base import Layer, Run, Shape
from caffepy.layers.core.registry import register_layer
from caffepy.layers.core.traits import Memory


@register_layer("Permute")
class PermuteLayer(Layer):
    """The bottom's axes in another order.  Caffe type ``Permute``.

    Bottom: (...) float.
    Top:    (...) float; axis i of the top is axis order[i] of the bottom. Axes that ``order``
            leaves out follow in their own order.
    Params: none
    Proto:  permute_param { order }
    Differs from torch: the order may be incomplete.
    Source: SSD, permute_layer
    """

    fork_fields = frozenset({"LayerParameter.permute_param"})
    memory = Memory(aliases_bottom=True)

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        """The top has the bottom's dims in the new order."""
        axes = len(bottoms[0])
        given = list(self.param.permute_param.order)
        if any(axis >= axes for axis in given) or len(set(given)) != len(given):
            raise self.fail(
                f"order is {given}; needed: some of the axes 0 to {axes - 1}, each once"
            )
        return self.ordered(given + [axis for axis in range(axes) if axis not in given], bottoms[0])

    def ordered(self, order: list[int], bottom: Shape) -> tuple[Shape]:
        """Set the order of the axes. Returns the top's shape."""
        self.order = order
        same = order == sorted(order)
        self.quirks = replace(self.quirks, shares_memory=same, copies_tops=not same)
        return (tuple(bottom[axis] for axis in order),)

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        return (bottoms[0].permute(self.order),)
