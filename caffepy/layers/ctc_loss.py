"""The loss of a sequence of labels whose places are not known."""

# T time steps, N sequences, C classes with the blank, L labels of a sequence, U = 2L + 1 labels and the blanks around them

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from caffepy.layers.autograd import apply
from caffepy.layers.base import Layer, Run, Shape, count, exactly
from caffepy.layers.loss import Given, LossLayer
from caffepy.layers.registry import register_layer

IMPOSSIBLE = -1e30
"""The log of a probability of 0; a true infinity has no gradient."""


def check_sequences(layer: Layer, bottoms: Sequence[Shape]) -> None:
    """LayerError unless the bottoms are (T, N, C...), (T, N) and maybe labels (L, N)."""
    scores = bottoms[0]
    if len(scores) < 3 or count(scores, 3) != 1:
        raise layer.fail(f"bottom 0 is {scores}; needed: (time steps, sequences, classes)")
    if bottoms[1] != scores[:2]:
        raise layer.fail(f"bottom 1 is {bottoms[1]}; needed: {scores[:2]}, 0 where a sequence begins, else 1")
    if len(bottoms) > 2 and (len(bottoms[2]) != 2 or bottoms[2][1] != scores[1]):
        raise layer.fail(f"bottom 2 is {bottoms[2]}; needed: (labels, {scores[1]}), -1 behind a sequence's last label")


def blank_of(layer: Layer, index: int, classes: int) -> int:
    """The class that stands for no label; -1: the last."""
    if not -1 <= index < classes:
        raise layer.fail(f"blank_index is {index}; needed: 0 to {classes - 1}, or -1 for the last class")
    return index % classes


def lengths_of(indicator: Tensor) -> list[int]:
    """Time steps of each sequence: up to where the next one begins."""
    starts = indicator.detach().cpu()[1:] == 0
    return [1 + (int(row.nonzero()[0]) if row.any() else len(row)) for row in starts.t()]


def labels_of(labels: Tensor) -> list[list[int]]:
    """The labels (L, N) of each sequence, rounded to integers, up to the first that is negative."""
    rows = labels.detach().t().cpu().tolist()
    return [[int(label + 0.5) for label in itertools.takewhile(lambda label: not label < 0, row)] for row in rows]


def least_steps(sequence: Sequence[int]) -> int:
    """Time steps that it takes to emit these labels, a blank between equal ones."""
    return len(sequence) + sum(a == b for a, b in itertools.pairwise(sequence))


@dataclass(frozen=True)
class Emissions:
    """What is to be emitted: the classes of each of ``sequences`` within its first ``lengths`` time steps."""

    lengths: Sequence[int]
    sequences: Sequence[Sequence[int]]
    blank: int
    merge: bool = True

    def cost(self, logs: Tensor) -> Tensor:
        """Sum over the sequences, from logs (T, N, C) of probabilities, of minus the log of the probability of all ways to emit them."""
        if not self.sequences:
            return logs.new_zeros(())
        width = 2 * max(map(len, self.sequences)) + 1
        paths = torch.full((len(self.sequences), width), self.blank, device=logs.device)
        for i, row in enumerate(self.sequences):
            paths[i, 1 : 2 * len(row) : 2] = torch.tensor(row, device=logs.device)
        emitted = logs.gather(2, paths.expand(len(logs), *paths.shape))  # (T, N, U)
        stay = torch.ones_like(paths, dtype=torch.bool) if self.merge else paths == self.blank
        leap = paths != self.blank
        leap[:, :2] = False
        if self.merge:
            leap[:, 2:] &= paths[:, 2:] != paths[:, :-2]
        alpha = torch.where(torch.arange(width, device=logs.device) < 2, emitted[0], IMPOSSIBLE)
        alphas = [alpha]
        for step in emitted[1:]:
            one, two = (torch.nn.functional.pad(alpha, (shift, 0), value=IMPOSSIBLE)[:, :width] for shift in (1, 2))
            ways = torch.stack((torch.where(stay, alpha, IMPOSSIBLE), one, torch.where(leap, two, IMPOSSIBLE)))
            alpha = ways.logsumexp(0) + step
            alphas.append(alpha)
        ends = [(steps - 1, i, 2 * len(row)) for i, (steps, row) in enumerate(zip(self.lengths, self.sequences))]
        last = torch.stack([torch.stack((alphas[t][i, u], alphas[t][i, u - 1] if u else alphas[t][i, u] + IMPOSSIBLE)) for t, i, u in ends])
        return -last.logsumexp(1).sum()

    def loss(self, x: Tensor, kept: Sequence[int], *, scaled: bool, delay: int = 0, hopeless: Sequence[tuple[int, int]] = ()) -> Tensor:
        """`cost` of the items ``kept`` of scores (T, N, C...) by N.  The gradient is that of the sum, ``scaled`` from above or not.

        ``delay``: time steps to pass over. ``hopeless``: items with more labels than can be emitted in their time steps; each costs
        infinitely much, and its gradient is the softmax.
        """
        with torch.enable_grad():
            leaf = x.detach().requires_grad_()
            scores = leaf.reshape(x.shape[:3])[delay:]
            total = self.cost(scores.log_softmax(2)[:, kept])
            for n, steps in hopeless:
                total = total + scores[:steps, n].logsumexp(1).sum() + math.inf
            (gradient,) = torch.autograd.grad(total, leaf) if total.requires_grad else (torch.zeros_like(leaf),)
        loss: Tensor = apply(Given, x, total.detach() / x.shape[1], gradient, scaled)
        return loss


@register_layer("CTCLoss")
class CTCLossLayer(LossLayer):
    """Negative log of the probability of all ways in which a sequence of labels can be emitted.  Caffe type ``CTCLoss``.

    Bottom: scores (T, N, C[, 1]) float; (T, N) float, 0 where a sequence begins, else 1; labels (L, N) float, rounded to integers, -1
            behind the last (or the blank, or no class at all: these count as labels that need time). A sequence without labels is passed
            over.
    Top:    () float; the sum by N.
    Params: none
    Proto:  ctc_loss_param { blank_index, preprocess_collapse_repeated, ctc_merge_repeated, output_delay (so many time steps are passed
            over) }; loss_calculation_t is ignored, as in the fork
    Differs from torch: ctc_loss takes log probabilities and has no way without merging. The gradient is that of the sum: neither N nor
            the loss weight scales it. Labels that take more time steps than there are cost infinitely much, with the softmax for gradient.
    Source: the CTC change to BVLC Caffe, ctc_loss_layer; Graves et al. 2006
    """

    fork_fields = frozenset({"LayerParameter.ctc_loss_param"})
    bottoms = exactly(3)
    no_gradient = (1, 2)
    no_force_backward = (1, 2)
    on_host = True

    def setup(self, bottoms: Sequence[Shape]) -> None:
        """Check the field."""
        self.delay = int(self.param.ctc_loss_param.output_delay)
        if self.delay < 0:
            raise self.fail(f"output_delay is {self.delay}; needed: 0 or more")

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        """0 axes."""
        check_sequences(self, bottoms)
        self.blank = blank_of(self, self.param.ctc_loss_param.blank_index, bottoms[0][2])
        return ((),)

    def forward(self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run) -> tuple[Tensor, ...]:
        """The loss and its gradient together."""
        x, rows = bottoms[0], labels_of(bottoms[2])
        lengths = [steps - self.delay for steps in lengths_of(bottoms[1])]
        kept = [n for n, row in enumerate(rows) if row]
        for n in kept:
            if len(rows[n]) > lengths[n]:
                raise self.fail(f"sequence {n} has {len(rows[n])} labels and {lengths[n]} time steps; needed: at most as many labels")
        sequences = {n: self._sequence(n, rows[n], x.shape[2]) for n in kept}
        merge = bool(self.param.ctc_loss_param.ctc_merge_repeated)
        possible = [n for n in kept if not merge or least_steps(sequences[n]) <= lengths[n]]
        hopeless = [(n, lengths[n]) for n in kept if n not in possible]
        emissions = Emissions([lengths[n] for n in possible], [sequences[n] for n in possible], self.blank, merge)
        return (emissions.loss(x, possible, scaled=False, delay=self.delay, hopeless=hopeless),)

    def _sequence(self, n: int, row: Sequence[int], classes: int) -> list[int]:
        """What is to be emitted: labels that are no class or the blank may only stand behind the others, and end it."""
        if self.param.ctc_loss_param.preprocess_collapse_repeated:
            row = [label for i, label in enumerate(row) if not i or label != row[i - 1]]
        known = [label < classes and label != self.blank for label in row]
        end = known.index(False) if False in known else len(row)
        if any(known[end:]):
            found = row[known.index(True, end)]
            raise self.fail(
                f"sequence {n} has label {row[end]} before {found}; needed: 0 to {classes - 1} other than the blank, {self.blank}"
            )
        return list(row[:end])
