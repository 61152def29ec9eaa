"""The labels that a network emits, one time step after the other."""

# T time steps, N sequences, C classes with the blank, L labels of a sequence

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from caffepy.layers.core.base import Layer, Run, Shape, between
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
            (optional) labels (L, N), -1 behind the last.
    Top:    (N, T, 1, 1) float, labels with -1 behind them; [1] (optional) (N, 1, 1, 1) minus the
            sum of the best scores. With labels and more than one top the last top is (1, 1, 1, 1):
            the mean of 1 - edit distance / length of the longer of the two sequences.
    Params: none
    Proto:  ctc_decoder_param { blank_index, ctc_merge_repeated }
    Differs from torch: no counterpart. No gradient.
    Source: the CTC change to BVLC Caffe, ctc_decoder_layer
    """

    fork_fields = frozenset({"LayerParameter.ctc_decoder_param"})
    bottoms = between(2, 3)
    tops = between(1, 3)
    gradients = Gradients(backward=False)

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        """Shapes with room for as many labels as there are time steps."""
        check_sequences(self, bottoms)
        steps, sequences, classes = bottoms[0][:3]
        self.blank = blank_of(self, self.param.ctc_decoder_param.blank_index, classes)
        self.judges = len(bottoms) > 2 and self.top_count > 1
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
        lengths = lengths_of(bottoms[1])
        within = torch.arange(len(x), device=x.device) < lengths.unsqueeze(1)
        decoded, numbers = decode(
            best.indices.t(),
            within,
            self.blank,
            merge=self.param.ctc_decoder_param.ctc_merge_repeated,
        )
        tops = [decoded.view(*decoded.shape, 1, 1)]
        if self.top_count - self.judges > 1:
            tops.append(-best.values.t().masked_fill(~within, 0).sum(1).view(-1, 1, 1, 1))
        if self.judges:
            wanted, given = labels_of(bottoms[2][: len(x)])
            many = given.sum(1)
            longer = torch.maximum(numbers, many).clamp(min=1)
            shares = 1 - _distances(decoded, numbers, wanted, many) / longer
            tops.append((shares.sum() / max(1, len(shares))).view(1, 1, 1, 1))
        return tuple(top.to(bottoms[0].dtype) for top in tops)


def decode(best: Tensor, within: Tensor, blank: int, *, merge: bool) -> tuple[Tensor, Tensor]:
    """The labels of the best classes (N, T), without blanks, as `packed` returns them.

    ``within`` (N, T): time steps that belong to the sequence. ``merge``: equal labels of
    neighbouring time steps are one.
    """
    kept = within & (best != blank)
    if merge:
        kept = kept & torch.cat((kept[:, :1], best[:, 1:] != best[:, :-1]), 1)
    return packed(best, kept)


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
