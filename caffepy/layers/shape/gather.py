"""A layer of yjxiong's fork that collects the batches of all processes."""

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
            all processes and computes the layers behind this one on all of them. Here each process
            goes on with its own items, which gives the same gradients if losses are means over
            items.
    Source: yjxiong/caffe, gather_layer. Gather of Synopsys' Caffe, with a gather_param, is another
            layer
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
