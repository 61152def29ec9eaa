"""The labels that a network emits, one time step after the other."""

# T time steps, N sequences, C classes with the blank, L labels of a sequence

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from caffepy.layers.core.base import Layer, Run, Shape, between, count
from caffepy.layers.core.registry import register_layer
from caffepy.layers.core.traits import Gradients
from caffepy.layers.sequence.ctc_loss import (
    blank_of,
    check_sequences,
    labels_of,
    lengths_of,
    packed,
)


@register_layer("CTCGreedyDecoder")
class CTCGreedyDecoderLayer(Layer):
    """The best class of each time step, merged, without blanks.  Caffe type ``CTCGreedyDecoder``.

    Bottom: scores (T, N, C[, 1]) float; (T, N) float, 0 where a sequence begins, else 1; [2]
            (optional) labels (L, N), -1 behind the last. Or caffe_ocr's: scores alone, all of whose
            time steps count; or scores and labels (N, L[, 1, 1]), which end at the first below 0
            and of which blanks do not count.
    Top:    (N, T, 1, 1) float, labels with -1 behind them; [1] (optional) (N, 1, 1, 1) minus the
            sum of the best scores. With labels and more than one top the last top is (1, 1, 1, 1):
            the mean of 1 - edit distance / length of the longer of the two sequences. With
            caffe_ocr's labels the one top is (1, 2, 1, 1): that mean, and the share of sequences
            that are all right (a pair of empty ones is not).
    Params: none
    Proto:  ctc_decoder_param { blank_index (where it is not given: the last class, with caffe_ocr's
            bottoms class 0), ctc_merge_repeated }
    Differs from torch: no counterpart. No gradient. A second bottom of (T, N) marks where sequences
            begin, also where it could be caffe_ocr's labels.
    Source: the CTC change to BVLC Caffe, ctc_decoder_layer; senlinuc/caffe_ocr, of the same name
    """

    fork_fields = frozenset({"LayerParameter.ctc_decoder_param"})
    bottoms = between(1, 3)
    tops = between(1, 3)
    gradients = Gradients(backward=False)

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        """Shapes with room for as many labels as there are time steps."""
        self.whole = len(bottoms) == 1 or _has_labels(bottoms)
        self.rates = self.whole and len(bottoms) > 1
        # That all time steps count is as a second bottom of its shape.
        check_sequences(self, [bottoms[0], bottoms[0][:2]] if self.whole else bottoms)
        steps, sequences, classes = bottoms[0][:3]
        p = self.param.ctc_decoder_param
        given = p.blank_index if p.HasField("blank_index") or not self.whole else 0
        self.blank = blank_of(self, given, classes)
        self.judges = len(bottoms) > 2 and self.top_count > 1
        if self.whole and self.top_count > 1:
            raise self.fail(
                f"{self.top_count} tops are named; needed: 1, or a second bottom of"
                f" {bottoms[0][:2]} that is 0 where a sequence begins, else 1"
            )
        if self.rates:
            return ((1, 2, 1, 1),)
        if self.top_count > 2 + self.judges:
            raise self.fail(
                f"{self.top_count} tops are named; needed: at most 2,"
                " or a third bottom with the labels"
            )
        scores = ((sequences, 1, 1, 1),) if self.top_count - self.judges > 1 else ()
        return ((sequences, steps, 1, 1), *scores, *(((1, 1, 1, 1),) if self.judges else ()))

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        """Decode all sequences at once."""
        x = bottoms[0].detach().reshape(bottoms[0].shape[:3])
        best = x.max(2)
        steps = torch.arange(len(x), device=x.device)
        if self.whole:
            within = (steps >= 0).expand(x.shape[1], -1)
        else:
            within = steps < lengths_of(bottoms[1]).unsqueeze(1)
        decoded, numbers = decode(
            best.indices.t(),
            within,
            self.blank,
            merge=self.param.ctc_decoder_param.ctc_merge_repeated,
        )
        if self.rates:
            return (self._rates(decoded, numbers, bottoms[1]).to(bottoms[0].dtype),)
        tops = [decoded.view(*decoded.shape, 1, 1)]
        if self.top_count - self.judges > 1:
            tops.append(-best.values.t().masked_fill(~within, 0).sum(1).view(-1, 1, 1, 1))
        if self.judges:
            wanted, given = labels_of(bottoms[2][: len(x)])
            shares = _shares(decoded, numbers, wanted, given.sum(1))
            tops.append((shares.sum() / max(1, len(shares))).view(1, 1, 1, 1))
        return tuple(top.to(bottoms[0].dtype) for top in tops)

    def _rates(self, decoded: Tensor, numbers: Tensor, labels: Tensor) -> Tensor:
        """(1, 2, 1, 1): how alike the sequences are, and how many are right."""
        wanted, given = labels_of(labels.reshape(len(decoded), -1).t())
        wanted, many = packed(wanted, given & (wanted != self.blank))
        shares = _shares(decoded, numbers, wanted, many)
        right = (shares == 1) & (torch.maximum(numbers, many) > 0)
        return torch.stack((shares, right.to(shares.dtype))).mean(1).view(1, 2, 1, 1)


def _has_labels(bottoms: Sequence[Shape]) -> bool:
    """Whether the second of two bottoms is caffe_ocr's labels (N, L[, 1, 1])."""
    if len(bottoms) != 2 or len(bottoms[0]) < 3 or len(bottoms[1]) < 2:
        return False
    scores, other = bottoms
    return other != scores[:2] and other[0] == scores[1] and count(other, 2) == 1


def decode(best: Tensor, within: Tensor, blank: int, *, merge: bool) -> tuple[Tensor, Tensor]:
    """The labels of the best classes (N, T), without blanks, as `packed` returns them.

    ``within`` (N, T): time steps that belong to the sequence. ``merge``: equal labels of
    neighbouring time steps are one.
    """
    kept = within & (best != blank)
    if merge:
        kept = kept & torch.cat((kept[:, :1], best[:, 1:] != best[:, :-1]), 1)
    return packed(best, kept)


def _shares(a: Tensor, many: Tensor, b: Tensor, others: Tensor) -> Tensor:
    """1 - edit distance / length of the longer one, (N,); 1 for empty sequences."""
    return 1 - _distances(a, many, b, others) / torch.maximum(many, others).clamp(min=1)


def _distances(a: Tensor, many: Tensor, b: Tensor, others: Tensor) -> Tensor:
    """Edit distance (N,) of sequences: the least insertions, deletions and substitutions.

    The sequences are the first ``many`` (N,) of ``a`` (N, T) and the first ``others`` (N,) of ``b``
    (N, L).
    """
    place = torch.arange(b.shape[1] + 1, device=a.device)
    row = place.expand(len(a), -1)
    for i in range(a.shape[1]):
        other = torch.cat(
            (row[:, :1] + 1, torch.minimum(row[:, 1:] + 1, row[:, :-1] + (a[:, i : i + 1] != b))), 1
        )
        row = torch.where((i < many).unsqueeze(1), (other - place).cummin(1).values + place, row)
    return row.gather(1, others.unsqueeze(1))[:, 0]
