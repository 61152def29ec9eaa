"""The loss of a sequence of labels whose places are not known."""

# T time steps, N sequences, C classes with the blank, L labels of a sequence,
# U = 2L + 1 labels and the blanks around them
# On a GPU the host waits for no value: sequences are padded to the size of their bottom. On the CPU
# they are padded to the longest.

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from caffepy.errors import LayerError
from caffepy.layers.common.loss import Given, LossLayer
from caffepy.layers.core.autograd import apply
from caffepy.layers.core.base import Layer, Run, Shape, count, exactly, is_readable
from caffepy.layers.core.places import inside
from caffepy.layers.core.registry import register_layer
from caffepy.layers.core.traits import Gradients

IMPOSSIBLE = -1e30
"""The log of a probability of 0. Differences of true infinities would be NaN."""


def check_sequences(layer: Layer, bottoms: Sequence[Shape]) -> None:
    """LayerError unless the bottoms are (T, N, C...), (T, N) and maybe labels (L, N)."""
    scores = bottoms[0]
    if len(scores) < 3 or count(scores, 3) != 1:
        raise layer.fail(f"bottom 0 is {scores}; needed: (time steps, sequences, classes)")
    if bottoms[1] != scores[:2]:
        raise layer.fail(
            f"bottom 1 is {bottoms[1]}; needed: {scores[:2]}, 0 where a sequence begins, else 1"
        )
    if len(bottoms) > 2 and (len(bottoms[2]) != 2 or bottoms[2][1] != scores[1]):
        raise layer.fail(
            f"bottom 2 is {bottoms[2]}; needed: (labels, {scores[1]}),"
            " -1 behind a sequence's last label"
        )


def blank_of(layer: Layer, index: int, classes: int) -> int:
    """The class that stands for no label; -1: the last."""
    if not -1 <= index < classes:
        raise layer.fail(
            f"blank_index is {index}; needed: 0 to {classes - 1}, or -1 for the last class"
        )
    return index % classes


def lengths_of(indicator: Tensor) -> Tensor:
    """Number of time steps (N,) of each sequence, up to where the next one begins."""
    return 1 + (indicator.detach()[1:] != 0).long().cumprod(0).sum(0)


def labels_of(labels: Tensor) -> tuple[Tensor, Tensor]:
    """Labels (L, N) as integers (N, L), and which stand before the first negative one."""
    rows = labels.detach().t()
    return (rows + 0.5).long(), (rows >= 0).long().cumprod(1) > 0


def packed(labels: Tensor, kept: Tensor) -> tuple[Tensor, Tensor]:
    """Move the ``kept`` of labels (N, L) to the front.

    Returns them (N, L), with -1 behind the last, and their number (N,).
    """
    numbers = kept.sum(1)
    front = labels.gather(1, (~kept).byte().argsort(dim=1, stable=True))
    behind = torch.arange(labels.shape[1], device=labels.device) >= numbers.unsqueeze(1)
    return front.masked_fill(behind, -1), numbers


def least_steps(labels: Tensor, numbers: Tensor) -> Tensor:
    """Time steps (N,) that `packed` labels need at least; a blank goes between equal ones."""
    return numbers + ((labels[:, 1:] == labels[:, :-1]) & (labels[:, 1:] >= 0)).sum(1)


@dataclass(frozen=True)
class Emissions:
    """The labels to emit: `packed` ``labels`` (N, L) and their ``numbers`` (N,).

    They are emitted within the first ``lengths`` (N,) time steps. ``merge``: equal labels of
    neighbouring time steps are one.
    ``costs`` (N,): sequences that count in the loss.
    ``hopeless`` (N,): those of them that need more time steps than they have. The loss of each is
    infinite, and its gradient is the softmax.
    """

    labels: Tensor
    numbers: Tensor
    lengths: Tensor
    costs: Tensor
    blank: int
    merge: bool = True
    hopeless: Tensor | None = None

    def loss(self, x: Tensor, *, scaled: bool, delay: int = 0) -> Tensor:
        """Minus the log of the probability of all ways to emit the labels, summed and divided by N.

        ``x``: scores (T, N, C...). Its gradient is that of the sum, not divided by N.
        ``scaled``: the gradient is multiplied by that of the loss.
        ``delay``: number of first time steps to leave out.
        """
        scores = x.detach().reshape(x.shape[:3])
        logs = scores[delay:].log_softmax(2)
        cost, parts = self._ways(logs) if logs.numel() else (logs.new_zeros(len(self.labels)), logs)
        if self.hopeless is not None:
            cost = cost.masked_fill(self.hopeless, torch.inf)
            parts = parts.masked_fill(self.hopeless.unsqueeze(1), 0)
        within = (self._steps(logs) < self.lengths.unsqueeze(1)) & self.costs.unsqueeze(1)
        gradient = torch.zeros_like(scores)
        gradient[delay:] = (logs.exp() - parts).masked_fill(~within.t().unsqueeze(2), 0)
        total = cost.masked_fill(~self.costs, 0).sum()
        loss: Tensor = apply(Given, x, total / x.shape[1], gradient.view(x.shape), scaled)
        return loss

    @staticmethod
    def _steps(logs: Tensor) -> Tensor:
        return torch.arange(len(logs), device=logs.device)

    def _ways(self, logs: Tensor) -> tuple[Tensor, Tensor]:
        """The cost (N,), and the probability (T, N, C) of each class in each time step.

        The latter is that among all ways to emit the sequence. This is the forward-backward
        algorithm: the ways are summed from the first time step on and from the last one back, and
        the product is the probability of all ways through a class in a time step.
        """
        if self.merge and is_readable(logs) and bool((self.lengths > 0).all()):
            return self._ways_by_torch(logs)
        labels = self.labels
        n = len(self.labels)
        if is_readable(labels):
            labels = labels[:, : max(1, int(self.numbers.max()))]
        paths = torch.full((n, 2 * labels.shape[1] + 1), self.blank, device=logs.device)
        paths[:, 1::2] = torch.where(labels < 0, self.blank, labels)
        last = 2 * self.numbers.unsqueeze(1)
        place = torch.arange(paths.shape[1], device=logs.device)
        mirrored = (last - place).clamp(min=0)  # (N, U)
        step = (self.lengths - 1 - self._steps(logs).unsqueeze(1)).clamp(min=0)  # (T, N)
        emitted = logs.gather(2, paths.expand(len(logs), *paths.shape))  # (T, N, U)

        def turned(x: Tensor) -> Tensor:
            return x.gather(0, step.unsqueeze(2).expand_as(x)).gather(2, mirrored.expand_as(x))

        # A loop over time steps, for all sequences and both directions at once. The two columns
        # before the first stay impossible.
        both = torch.cat((emitted, turned(emitted)), 1)
        alphas = both.new_full((len(both), 2 * n, paths.shape[1] + 2), IMPOSSIBLE)
        alphas[0, :, 2:4] = both[0, :, :2]
        may_stay, may_leap = self._allowed(torch.cat((paths, paths.gather(1, mirrored))))
        stay = self._barred(~may_stay, both)
        leap = self._barred(~may_leap, both)
        for t in range(1, len(both)):
            before = alphas[t - 1]
            here = before[:, 2:] if self.merge else before[:, 2:] + stay
            ways = torch.logaddexp(torch.logaddexp(here, before[:, 1:-1]), before[:, :-2] + leap)
            torch.add(ways, both[t], out=alphas[t, :, 2:])
        ends = (
            alphas[:, :n]
            .gather(0, step[:1].unsqueeze(2).expand(1, n, alphas.shape[2]))[0]
            .gather(1, torch.cat((last + 2, last + 1), 1))
        )
        log = ends.logsumexp(1)
        met = alphas[:, :n, 2:] + turned(alphas[:, n:, 2:]) - emitted - log.unsqueeze(1)
        met = met.exp().nan_to_num(0.0).masked_fill(place > last, 0)
        return -log, torch.zeros_like(logs).scatter_add_(2, paths.expand_as(emitted), met)

    def _ways_by_torch(self, logs: Tensor) -> tuple[Tensor, Tensor]:
        """`_ways` on the CPU, where torch's loss does the same in one call."""
        given = (self.labels.clamp(min=0), self.lengths, self.numbers)
        cost, alphas = torch._ctc_loss(logs, *given, self.blank)
        ones = torch.ones_like(cost)
        gradient = torch.ops.aten._ctc_loss_backward(ones, logs, *given, cost, alphas, self.blank)
        return cost, logs.exp() - gradient

    def _allowed(self, paths: Tensor) -> tuple[Tensor, Tensor]:
        """Where a path (M, U) may stay for a time step, and where it may skip the place before."""
        stay = paths == self.blank
        leap = paths != self.blank
        if self.merge:
            leap = leap & (paths != paths.roll(2, 1))
        return stay, leap

    @staticmethod
    def _barred(where: Tensor, like: Tensor) -> Tensor:
        zeros = torch.zeros(where.shape, dtype=like.dtype, device=like.device)
        return zeros.masked_fill(where, IMPOSSIBLE)


@register_layer("CTCLoss")
class CTCLossLayer(LossLayer):
    """Negative log of the probability of a sequence of labels.  Caffe type ``CTCLoss``.

    Bottom: scores (T, N, C[, 1]) float; (T, N) float, 0 where a sequence begins, else 1; labels (L,
            N) float, rounded to integers, -1 behind the last. The blank, or a number that is no
            class, also ends the labels, but such entries count as labels that need a time step.
            A sequence without labels is left out.
    Top:    () float; the sum divided by N.
    Params: none
    Proto:  ctc_loss_param { blank_index, preprocess_collapse_repeated, ctc_merge_repeated,
            output_delay (number of first time steps to leave out) }; loss_calculation_t is ignored,
            as in the fork
    Differs from torch: ctc_loss takes log probabilities and always merges repeated labels. The
            gradient is that of the sum: neither N nor the loss weight scales it. The loss of labels
            that need more time steps than there are is infinite, and its gradient the softmax.
    Source: the CTC change to BVLC Caffe, ctc_loss_layer; Graves et al. 2006
    """

    fork_fields = frozenset({"LayerParameter.ctc_loss_param"})
    bottoms = exactly(3)
    gradients = Gradients(refused=(1, 2), unforced=(1, 2))

    def setup(self, bottoms: Sequence[Shape]) -> None:
        self.delay = int(self.param.ctc_loss_param.output_delay)
        if self.delay < 0:
            raise self.fail(f"output_delay is {self.delay}; needed: 0 or more")

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        check_sequences(self, bottoms)
        self.classes = bottoms[0][2]
        self.blank = blank_of(self, self.param.ctc_loss_param.blank_index, self.classes)
        return ((),)

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        """Compute the loss and its gradient together."""
        p = self.param.ctc_loss_param
        x = bottoms[0]
        lengths = lengths_of(bottoms[1]) - self.delay
        labels, given = labels_of(bottoms[2])
        kept = given
        if p.preprocess_collapse_repeated:
            kept = given & torch.cat((given[:, :1], labels[:, 1:] != labels[:, :-1]), 1)
        # The blank and numbers that are no class may only stand behind the labels.
        known = kept & (labels < x.shape[2]) & (labels != self.blank)
        emitted = known & ((known | ~kept).long().cumprod(1) > 0)
        sound = self._sound(labels, (given, kept, known, emitted), lengths, run)
        packs, numbers = packed(labels, emitted)
        costs = given[:, 0] & sound
        merge = bool(p.ctc_merge_repeated)
        hopeless = costs & (least_steps(packs, numbers) > lengths) if merge else None
        return (
            Emissions(packs, numbers, lengths, costs, self.blank, merge, hopeless).loss(
                x, scaled=False, delay=self.delay
            ),
        )

    def _sound(self, labels: Tensor, masks: Sequence[Tensor], lengths: Tensor, run: Run) -> Tensor:
        """Which sequences (N,) are valid. One that is not raises LayerError, on a GPU later.

        ``masks``, each (N, L): which labels are given, which of these are kept, which of these are
        classes, and which of these are emitted.
        """
        given, kept, known, emitted = masks
        long = (given.sum(1) > lengths) & given[:, 0]
        late = known & ~emitted
        wrong = long | late.any(1)
        if is_readable(wrong) and wrong.any():
            n = int((long if long.any() else wrong).nonzero()[0, 0])
            if long.any():
                number = int(given[n].sum())
                steps = int(lengths[n])
                raise self.fail(
                    f"sequence {n} has {number} labels and {steps} time steps;"
                    " needed: at most as many labels"
                )
            end = int(labels[n, (kept & ~known)[n].nonzero()[0, 0]])
            first = int(labels[n, late[n].nonzero()[0, 0]])
            needed = f"0 to {self.classes - 1} other than the blank, {self.blank}"
            raise self.fail(f"sequence {n} has label {end} before {first}; needed: {needed}")

        def refusal(code: float) -> LayerError:
            return self.fail(
                f"sequence {-1 - int(code)} has more labels than time steps,"
                " or a label before the last that is no class"
            )

        places = torch.arange(-1, -1 - len(wrong), -1, device=wrong.device)
        return inside(torch.where(wrong, places, 0), 1, run, refusal) == torch.where(wrong, 1, 0)
