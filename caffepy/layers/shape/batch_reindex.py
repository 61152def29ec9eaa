"""Items of a batch picked by a list of indices."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from caffepy.layers.common.loss import label_indices
from caffepy.layers.core.base import Layer, Run, Shape, exactly
from caffepy.layers.core.registry import register_layer
from caffepy.layers.core.traits import Gradients


@register_layer("BatchReindex")
class BatchReindexLayer(Layer):
    """Items of the first bottom in the order that the second gives.  Caffe type ``BatchReindex``.

    Bottom: (N, ...) float; [1] (M,) float, indices 0 to N - 1, rounded down; an index may come any
            number of times.
    Top:    (M, ...) float.
    Params: none
    Proto:  none
    Differs from torch: index_select takes integers.
    Source: BVLC Caffe, batch_reindex_layer
    """

    bottoms = exactly(2)
    gradients = Gradients(refused=(1,))

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        if not bottoms[0]:
            raise self.fail("bottom 0 has 0 axes; needed: at least 1, that of the items")
        if len(bottoms[1]) != 1:
            raise self.fail(f"bottom 1 has {len(bottoms[1])} axes; needed: 1, a list of indices")
        return ((bottoms[1][0], *bottoms[0][1:]),)

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        """Copy the items that the indices pick."""
        index, _ = label_indices(
            self, bottoms[1].floor(), bottoms[0].shape[0], None, run, what="index"
        )
        return (torch.index_select(bottoms[0], 0, index),)
