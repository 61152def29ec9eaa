"""The loss for independent yes/no targets."""

# N batch, D elements of an item

from __future__ import annotations

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor

from caffepy.layers.common.loss import BATCH_SIZE, LossLayer, normalization_mode, normalizer
from caffepy.layers.core.base import Run, Shape, as_rows, count
from caffepy.layers.core.registry import register_layer


@register_layer("SigmoidCrossEntropyLoss")
class SigmoidCrossEntropyLossLayer(LossLayer):
    """Cross entropy of sigmoids with targets.  Caffe type ``SigmoidCrossEntropyLoss``.

    Bottom: (N, D...) float, logits; [1] as many targets.
    Top:    () float; the sum over targets that are not ignored, divided by the normaliser: N
            (BATCH_SIZE, the default here), their number (VALID), N * D (FULL) or 1 (NONE), and at
            least 1.
    Params: none
    Proto:  loss_param { ignore_label (compared with the target truncated to an integer),
            normalization | normalize; balance_labels }. balance_labels stands for HED's layer of
            this name: the loss of a target 1 is multiplied by the share of 0 among the item's
            targets of 0 and 1, and that of a target 0 by the share of 1. Other targets have no
            loss.
    Differs from torch: binary_cross_entropy_with_logits averages over all elements.
    Source: BVLC Caffe, sigmoid_cross_entropy_loss_layer; HED, of the same name; Xie and Tu 2015
    """

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        tops = super().reshape(bottoms)
        if count(bottoms[0]) != count(bottoms[1]):
            raise self.fail(
                f"bottom 0 has {count(bottoms[0])} elements and bottom 1 {count(bottoms[1])};"
                " needed: as many"
            )
        self.outer = bottoms[0][0]
        self.inner = count(bottoms[0], 1)
        return tops

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        """The loss of logits and targets."""
        p = self.param.loss_param
        logits = bottoms[0]
        targets = bottoms[1].detach().reshape(logits.shape)
        valid = None
        if p.HasField("ignore_label"):
            valid = targets.to(torch.int64) != p.ignore_label
            logits = logits.masked_fill(~valid, 0)  # a NaN of an ignored target does not count
        losses = F.binary_cross_entropy_with_logits(logits, targets, reduction="none")
        if p.balance_labels:
            losses = losses * _shares(as_rows(targets), valid).view(losses.shape)
        if valid is not None:
            losses = losses.masked_fill(~valid, 0)
        mode = normalization_mode(p, default=BATCH_SIZE)
        divisor = normalizer(mode, outer=self.outer, inner=self.inner, valid=valid, run=run)
        return (losses.sum() / divisor,)


def _shares(targets: Tensor, valid: Tensor | None) -> Tensor:
    """For each target (N, D) the share of the opposite one among the 0 and 1 of its item."""
    counted = torch.stack((targets == 0, targets == 1))
    if valid is not None:
        counted = counted & as_rows(valid)
    numbers = counted.sum(2, keepdim=True).to(targets.dtype)
    shares = numbers.flip(0) / numbers.sum(0).clamp(min=1)
    return (counted * shares).sum(0)
