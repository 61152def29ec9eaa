"""The loss of a sequence of labels at unknown places, with the fields of warpctc-caffe."""

# T time steps, N sequences, C classes with the blank, L labels of a sequence

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from caffepy.errors import LayerError
from caffepy.layers.common.loss import LossLayer
from caffepy.layers.core.base import Run, Shape, count
from caffepy.layers.core.places import inside
from caffepy.layers.core.registry import register_layer
from caffepy.layers.sequence.ctc_loss import Emissions, least_steps, packed

FIELDS = ("alphabet_size", "time_step", "blank_label")
NONE = -(2**32)
"""Stands in place of a wrong label if the batch has no label at all."""


def label_rows(labels: Tensor, blank: int) -> tuple[Tensor, Tensor]:
    """The labels (N, L) of each sequence, truncated to integers, and which are no blanks."""
    rows = labels.detach().reshape(labels.shape[0], count(labels.shape, 1)).long()
    return rows, rows != blank


@register_layer("CtcLoss")
class CtcLossLayer(LossLayer):
    """Negative log of the probability of a sequence of labels.  Caffe type ``CtcLoss``.

    Bottom: scores (T, N, C[, 1]) float; labels (N, L) float, truncated to integers, where blanks do
            not count.
    Top:    () float; the sum divided by N. A sequence has the first time_step steps. It counts as 0
            if they are too few for its labels and a blank between any two equal neighbours.
    Params: none
    Proto:  ctc_loss_param { alphabet_size (C), time_step, blank_label }
    Differs from torch: ctc_loss takes log probabilities. The gradient is that of the sum: the loss
            weight scales it, N does not.
    Source: warpctc-caffe, ctc_loss_layer; warp-ctc; Graves et al. 2006
    """

    fork_fields = frozenset(
        {"LayerParameter.ctc_loss_param", *(f"CTCLossParameter.{name}" for name in FIELDS)}
    )

    def setup(self, bottoms: Sequence[Shape]) -> None:
        p = self.param.ctc_loss_param
        for field, _ in p.ListFields():
            if field.name not in FIELDS:
                raise self.fail(f"{field.name} is a field of CTCLoss; needed: {', '.join(FIELDS)}")
        self.steps = int(p.time_step)
        self.classes = int(p.alphabet_size)
        self.blank = int(p.blank_label)
        if not 0 <= self.blank < self.classes:
            raise self.fail(
                f"blank_label is {self.blank} and alphabet_size {self.classes};"
                " needed: a class below alphabet_size"
            )

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        scores, labels = bottoms
        if len(scores) < 3 or count(scores, 2) != self.classes:
            raise self.fail(
                f"bottom 0 is {scores}; needed: (time steps, sequences, {self.classes}),"
                " as alphabet_size says"
            )
        if not 0 < self.steps <= scores[0]:
            raise self.fail(
                f"time_step is {self.steps}; needed: 1 to {scores[0]},"
                f" the time steps of bottom 0 {scores}"
            )
        if len(labels) < 2 or labels[0] != scores[1]:
            raise self.fail(f"bottom 1 is {labels}; needed: ({scores[1]}, labels)")
        return ((),)

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        """Compute the loss and its gradient together."""
        rows, given = label_rows(bottoms[1], self.blank)

        def refusal(label: float) -> LayerError:
            if label == NONE:
                return self.fail(
                    f"bottom 1 has no label but blanks ({self.blank});"
                    " needed: at least one in a batch"
                )
            return self.fail(f"label {int(label)} found; needed: 0 to {self.classes - 1}")

        # A batch without labels is told by a number that is out of range, too.
        kept = torch.where(given, rows, 0)
        checked = inside(torch.where(given.any(), kept, NONE), self.classes, run, refusal)
        labels, numbers = packed(checked, given)
        lengths = torch.full_like(numbers, self.steps)
        emissions = Emissions(
            labels, numbers, lengths, least_steps(labels, numbers) <= lengths, self.blank
        )
        return (emissions.loss(bottoms[0], scaled=True),)
