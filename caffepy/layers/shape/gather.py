"""The batches of all processes, brought together."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor

from caffepy.layers.core.base import Layer, Run, Shape, at_least
from caffepy.layers.core.registry import register_layer
from caffepy.layers.core.traits import Gradients, Memory, Quirks


@register_layer("Gather")
class GatherLayer(Layer):
    """Its bottoms as they are.  Caffe type ``Gather``.

    Bottom: one or more, (...) float.
    Top:    as many, each in the memory of its bottom.
    Params: none
    Proto:  none
    Differs from torch: nothing is computed. In the fork's MPI mode each process gets the items of
            all and computes the layers behind it on all of them; here each goes on with its own,
            which gives the same gradients where losses are means over items.
    Source: yjxiong/caffe, gather_layer. Gather of Synopsys' Caffe, with a gather_param, is another
    """

    bottoms = at_least(1)
    tops = at_least(1)
    as_many_tops = True
    gradients = Gradients(separate=True)
    memory = Memory(aliases_bottom=True)
    quirks = Quirks(shares_memory=True)

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        return tuple(bottoms)

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        return tuple(x.view_as(x) for x in bottoms)
