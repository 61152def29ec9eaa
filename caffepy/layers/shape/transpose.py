"""All axes in another order."""

from __future__ import annotations

from collections.abc import Sequence

from caffepy.layers.core.base import Shape
from caffepy.layers.core.registry import register_layer
from caffepy.layers.shape.permute import PermuteLayer


@register_layer("Transpose")
class TransposeLayer(PermuteLayer):
    """The bottom's axes in another order, each named.  Caffe type ``Transpose``.

    Bottom: (...) float.
    Top:    (...) float; axis i of the top is axis dim[i] of the bottom.
    Params: none
    Proto:  transpose_param { dim }
    Differs from torch: nothing.
    Source: CTPN, transpose_layer
    """

    fork_fields = frozenset({"LayerParameter.transpose_param"})

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        """The top has the bottom's dims in the new order."""
        axes = len(bottoms[0])
        order = list(self.param.transpose_param.dim)
        if sorted(order) != list(range(axes)):
            raise self.fail(f"dim is {order}; needed: the axes 0 to {axes - 1}, each once")
        return self.ordered(order, bottoms[0])
