"""A loss for triplets: an item is to be closer to a like item than to an unlike one."""

# N triplets, C features

from __future__ import annotations

from collections.abc import Sequence

import torch.nn.functional as F
from torch import Tensor

from caffepy.layers.common.loss import LossLayer
from caffepy.layers.core.base import Run, Shape, as_rows, between, count
from caffepy.layers.core.registry import register_layer
from caffepy.layers.core.traits import Gradients


@register_layer("TripletLoss")
class TripletLossLayer(LossLayer):
    """By how much the unlike item is not far enough away.  Caffe type ``TripletLoss``.

    Bottom: (N, C[, 1, 1]) float, three times: items, a like one for each, an unlike one for each;
            [3] (optional) (N, ...), whose values do not matter.
    Top:    () float; 1/(2N) * sum of max(margin + d^2 to the like item - d^2 to the unlike one, 0).
    Params: none
    Proto:  triplet_loss_param { margin }
    Differs from torch: triplet_margin_loss takes distances that are not squared, and divides by N
            and not by 2N.
    Source: the triplet change to BVLC Caffe, triplet_loss_layer; Schroff et al. 2015. Other forks
            take one blob of embeddings and find triplets by label, under the same name
    """

    fork_fields = frozenset({"LayerParameter.triplet_loss_param"})
    bottoms = between(3, 4)
    gradients = Gradients(refused=(3,), unforced=(3,))

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        sizes = {(*shape, 1, 1)[:2] for shape in bottoms[:3]}
        if not bottoms[0] or len(sizes) > 1 or any(count(shape, 2) != 1 for shape in bottoms[:3]):
            raise self.fail(
                f"the bottoms are {', '.join(map(str, bottoms[:3]))}; needed: (N, C) three times,"
                " or (N, C, 1, 1)"
            )
        if len(bottoms) > 3 and bottoms[3][:1] != bottoms[0][:1]:
            raise self.fail(
                f"bottom 3 is {bottoms[3]}; needed: the first dim of the others, {bottoms[0][0]}"
            )
        return ((),)

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        """The loss of the triplets."""
        item, like, unlike = (as_rows(x) for x in bottoms[:3])
        lead = (item - like).square().sum(1) - (item - unlike).square().sum(1)
        return (
            F.relu(lead + self.param.triplet_loss_param.margin).sum() / (2 * max(1, len(item))),
        )
