"""Losses and decoding of sequences of labels at unknown places."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor


def sequence_lengths(cont: Tensor) -> Tensor:
    """Time steps (N,) of each sequence of cont (T, N): up to where a 0 begins the next one."""
    return 1 + (cont[1:] != 0).long().cumprod(0).sum(0)


def given_labels(labels: Tensor) -> list[Tensor]:
    """Labels (L, N) of each sequence, rounded to integers, up to the first negative one."""
    counts = (labels >= 0).long().cumprod(0).sum(0).tolist()
    return [(row[:number] + 0.5).long() for row, number in zip(labels.t(), counts)]


def ctc_loss(
    scores: Tensor,
    cont: Tensor,
    labels: Tensor,
    blank: int = -1,
    delay: int = 0,
    collapse: bool = False,
    weight: float = 1.0,
) -> Tensor:
    """Minus the logs of probabilities of sequences of labels, summed and divided by N (CTCLoss).

    ``scores`` (T, N, C), before the softmax; ``labels`` (L, N), -1 behind the last. The blank and
    numbers that are no class end a sequence's labels; one without labels is left out. ``delay``:
    first time steps to leave out; ``collapse``: equal neighbours among the labels are one.
    Derivative: that of the sum, which neither N nor the loss's ``weight`` scales.
    """
    x = scores.flatten(2)
    classes, n = x.shape[2], x.shape[1]
    blank %= classes
    lengths = sequence_lengths(cont) - delay
    kept, targets = [], []
    for i, row in enumerate(given_labels(labels)):
        if len(row):
            row = torch.unique_consecutive(row) if collapse else row
            known = ((row != blank) & (row < classes)).long().cumprod(0).sum()
            kept.append(i)
            targets.append(row[:known])
    if not kept:
        return x.sum() * 0
    sizes = torch.tensor([len(row) for row in targets])
    logs = torch.log_softmax(x[delay:, kept], 2)
    total = F.ctc_loss(logs, torch.cat(targets), lengths[kept], sizes, blank, reduction="sum")
    return total.detach() / n + (total - total.detach()) / weight


def warp_ctc_loss(scores: Tensor, labels: Tensor, steps: int, blank: int = 0) -> Tensor:
    """Minus the logs of probabilities of sequences of labels, summed and divided by N (CtcLoss).

    ``scores`` (T, N, C), before the softmax, of which the first ``steps`` count; ``labels``
    (N, L), where blanks do not count. A sequence with too few steps counts as 0.
    Derivative: that of the sum, which N does not scale.
    """
    targets = [row[row != blank] for row in labels.flatten(1).long()]
    sizes = torch.tensor([len(row) for row in targets])
    lengths = torch.full_like(sizes, steps)
    logs = torch.log_softmax(scores.flatten(2), 2)
    joined = torch.cat(targets)
    total = F.ctc_loss(logs, joined, lengths, sizes, blank, reduction="sum", zero_infinity=True)
    return total.detach() / len(targets) + total - total.detach()


def best_labels(scores: Tensor, cont: Tensor, blank: int, merge: bool) -> list[Tensor]:
    """The best class of each time step of each sequence, without blanks.

    ``merge``: equal classes of neighbouring time steps are one.
    """
    blank %= scores.shape[2]
    found = []
    best = scores.flatten(2).argmax(2).t()
    for row, length in zip(best, sequence_lengths(cont).tolist()):
        row = torch.unique_consecutive(row[:length]) if merge else row[:length]
        found.append(row[row != blank])
    return found


def ctc_decode(scores: Tensor, cont: Tensor, blank: int = -1, merge: bool = True) -> Tensor:
    """Labels (N, T, 1, 1) with -1 behind them (CTCGreedyDecoder)."""
    decoded = scores.new_full((scores.shape[1], scores.shape[0], 1, 1), -1)
    for i, row in enumerate(best_labels(scores, cont, blank, merge)):
        decoded[i, : len(row), 0, 0] = row.to(decoded)
    return decoded


def ctc_score(scores: Tensor, cont: Tensor) -> Tensor:
    """Minus the sum of each sequence's best scores, (N, 1, 1, 1) (CTCGreedyDecoder)."""
    step = torch.arange(len(scores), device=scores.device).unsqueeze(1)
    best = scores.detach().flatten(2).amax(2) * (step < sequence_lengths(cont))
    return -best.sum(0).view(-1, 1, 1, 1)


def ctc_accuracy(
    scores: Tensor, cont: Tensor, labels: Tensor, blank: int = -1, merge: bool = True
) -> Tensor:
    """The mean of 1 - edit distance / length of the longer sequence (CTCGreedyDecoder)."""
    shares = []
    found = best_labels(scores, cont, blank, merge)
    for mine, wanted in zip(found, given_labels(labels[: len(scores)])):
        distances = list(range(len(wanted) + 1))
        for i, label in enumerate(mine.tolist(), start=1):
            before, distances = distances, [i]
            for j, other in enumerate(wanted.tolist(), start=1):
                changed = before[j - 1] + (label != other)
                distances.append(min(changed, before[j] + 1, distances[-1] + 1))
        shares.append(1 - distances[-1] / max(1, len(mine), len(wanted)))
    return scores.new_full((1, 1, 1, 1), sum(shares) / max(1, len(shares)))


def continuation(steps: int, sequences: int) -> Tensor:
    """0 in the first time step, else 1 (ContinuationIndicator)."""
    return (torch.arange(steps) > 0).float().unsqueeze(1).repeat(1, sequences)
