"""Axes in another order."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor

from caffepy.layers.core.base import Layer, Run, Shape
from caffepy.layers.core.registry import register_layer


@register_layer("Permute")
class PermuteLayer(Layer):
    """The bottom's axes in another order.  Caffe type ``Permute``.

    Bottom: (...) float.
    Top:    (...) float; axis i of the top is axis order[i] of the bottom. Axes that ``order`` leaves out follow in their own order.
    Params: none
    Proto:  permute_param { order }
    Differs from torch: the order may be incomplete.
    Source: SSD, permute_layer
    """

    fork_fields = frozenset({"LayerParameter.permute_param"})
    aliases_bottom = True

    @property
    def shares_in_caffe(self) -> bool:
        """Axes in their own order leave the blob as it is."""
        return self.order == sorted(self.order)

    @property
    def caffe_copies(self) -> bool:
        """Another order is written out."""
        return not self.shares_in_caffe

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        """The dims in their new order."""
        axes, given = len(bottoms[0]), list(self.param.permute_param.order)
        if any(axis >= axes for axis in given) or len(set(given)) != len(given):
            raise self.fail(f"order is {given}; needed: some of the axes 0 to {axes - 1}, each once")
        self.order = given + [axis for axis in range(axes) if axis not in given]
        return (tuple(bottoms[0][axis] for axis in self.order),)

    def forward(self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run) -> tuple[Tensor, ...]:
        """A view."""
        return (bottoms[0].permute(self.order),)
