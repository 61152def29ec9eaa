"""How many sequences of labels a network emits without any mistake."""

# N sequences, T time steps, C classes with the blank, L labels of a sequence

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from caffepy.layers.core.base import Layer, Run, Shape, count, exactly
from caffepy.layers.core.registry import register_layer
from caffepy.layers.core.traits import Gradients
from caffepy.layers.sequence.ctc_greedy_decoder import decode
from caffepy.layers.sequence.ctc_loss import packed
from caffepy.layers.sequence.warp_ctc_loss import label_rows


@register_layer("LabelsequenceAccuracy")
class LabelsequenceAccuracyLayer(Layer):
    """Share of sequences that are decoded to their labels.  Caffe type ``LabelsequenceAccuracy``.

    Bottom: scores (N, T, C[, 1]) float; labels (N, L) float, truncated to integers, where blanks do
            not count.
    Top:    () float
    Params: none
    Proto:  labelsequence_accuracy_param { blank_label }
    Differs from torch: no counterpart. No gradient.
    Source: warpctc-caffe, labelsequence_accuracy_layer
    """

    fork_fields = frozenset({"LayerParameter.labelsequence_accuracy_param"})
    bottoms = exactly(2)
    gradients = Gradients(backward=False)

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        scores, labels = bottoms
        if len(scores) < 3 or count(scores, 3) != 1 or not scores[0] or not scores[2]:
            raise self.fail(f"bottom 0 is {scores}; needed: (sequences, time steps, classes)")
        if len(labels) < 2 or labels[0] != scores[0]:
            raise self.fail(f"bottom 1 is {labels}; needed: ({scores[0]}, labels)")
        return ((),)

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        """Decode all sequences at once and compare them with their labels."""
        blank = int(self.param.labelsequence_accuracy_param.blank_label)
        best = bottoms[0].detach().reshape(bottoms[0].shape[:3]).argmax(2)
        decoded, many = decode(best, torch.ones_like(best, dtype=torch.bool), blank, merge=True)
        wanted, others = packed(*label_rows(bottoms[1], blank))
        width = min(decoded.shape[1], wanted.shape[1])
        right = (many == others) & (decoded[:, :width] == wanted[:, :width]).all(1)
        return (right.to(bottoms[0].dtype).mean(),)
