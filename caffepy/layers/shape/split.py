"""One blob for several readers."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor

from caffepy.layers.core.base import Layer, Run, Shape, at_least
from caffepy.layers.core.registry import register_layer
from caffepy.layers.core.traits import Batches, Memory, Precision, Quirks


@register_layer("Split")
class SplitLayer(Layer):
    """Copies of the bottom; their gradients add up.  Caffe type ``Split``.

    Bottom: (...) float.
    Top:    one or more of the bottom's shape, in the bottom's memory.
    Params: none
    Proto:  none
    Differs from torch: autograd needs no such node; the net inserts it where a blob has several
            readers, as Caffe does.
    Source: BVLC Caffe, split_layer
    """

    tops = at_least(1)
    memory = Memory(refuses_inplace=True, aliases_bottom=True)
    precision = Precision(keeps_small=True, takes_16_bits=True)
    batches = Batches(item_by_item=True, traceable=True)
    quirks = Quirks(shares_memory=True)

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        """Each top has the bottom's shape."""
        return (bottoms[0],) * self.top_count

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        """Each top is the bottom itself."""
        return (bottoms[0],) * self.top_count
