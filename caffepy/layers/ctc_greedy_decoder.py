"""The labels that a network emits, one time step after the other."""

# T time steps, N sequences, C classes with the blank, L labels of a sequence

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from caffepy.layers.base import Layer, Run, Shape, between
from caffepy.layers.ctc_loss import blank_of, check_sequences, labels_of, lengths_of
from caffepy.layers.registry import register_layer


@register_layer("CTCGreedyDecoder")
class CTCGreedyDecoderLayer(Layer):
    """The best class of each time step, without repetitions and blanks.  Caffe type ``CTCGreedyDecoder``.

    Bottom: scores (T, N, C[, 1]) float; (T, N) float, 0 where a sequence begins, else 1; [2] (optional) labels (L, N), -1 behind the last.
    Top:    (N, T, 1, 1) float, labels with -1 behind them; [1] (optional) (N, 1, 1, 1) minus the sum of the best scores; last, with labels
            and more than one top: (1, 1, 1, 1), the mean of 1 - edit distance / the longer of the two sequences.
    Params: none
    Proto:  ctc_decoder_param { blank_index, ctc_merge_repeated }
    Differs from torch: no counterpart. Computed on the host. No gradient.
    Source: the CTC change to BVLC Caffe, ctc_decoder_layer
    """

    fork_fields = frozenset({"LayerParameter.ctc_decoder_param"})
    bottoms = between(2, 3)
    tops = between(1, 3)
    no_gradient = None
    on_host = True

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        """Room for as many labels as time steps."""
        check_sequences(self, bottoms)
        steps, sequences, classes = bottoms[0][:3]
        self.blank = blank_of(self, self.param.ctc_decoder_param.blank_index, classes)
        self.judges = len(bottoms) > 2 and self.top_count > 1
        if self.top_count > 2 + self.judges:
            raise self.fail(f"{self.top_count} tops are named; needed: at most 2, or a third bottom with the labels")
        scores = ((sequences, 1, 1, 1),) if self.top_count - self.judges > 1 else ()
        return ((sequences, steps, 1, 1), *scores, *(((1, 1, 1, 1),) if self.judges else ()))

    def forward(self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run) -> tuple[Tensor, ...]:
        """Sequence by sequence."""
        x = bottoms[0].detach().reshape(bottoms[0].shape[:3]).cpu()
        merge, lengths = self.param.ctc_decoder_param.ctc_merge_repeated, lengths_of(bottoms[1])
        best = x.max(2)
        decoded = [decoded_labels(best.indices[:steps, n].tolist(), self.blank, merge=merge) for n, steps in enumerate(lengths)]
        sequences = torch.full(x.shape[1::-1], -1.0)
        for row, labels in zip(sequences, decoded):
            row[: len(labels)] = torch.tensor(labels, dtype=torch.float32)
        tops = [sequences.view(*sequences.shape, 1, 1)]
        if self.top_count - self.judges > 1:
            tops.append(torch.stack([-best.values[:steps, n].sum() for n, steps in enumerate(lengths)]).view(-1, 1, 1, 1))
        if self.judges:
            wanted = labels_of(bottoms[2][: len(x)])
            shares = [1 - _distance(a, b) / max(len(a), len(b), 1) for a, b in zip(decoded, wanted)]
            tops.append(torch.tensor(sum(shares) / max(1, len(shares))).view(1, 1, 1, 1))
        return tuple(top.to(bottoms[0]) for top in tops)


def decoded_labels(classes: Sequence[int], blank: int, *, merge: bool) -> list[int]:
    """The labels that the best classes stand for: repetitions are one if ``merge``, and blanks go."""
    return [c for i, c in enumerate(classes) if c != blank and not (merge and i and c == classes[i - 1])]


def _distance(a: Sequence[int], b: Sequence[int]) -> int:
    """Insertions, deletions and substitutions between two sequences."""
    row = list(range(len(b) + 1))
    for i, left in enumerate(a, start=1):
        diagonal, row[0] = row[0], i
        for j, right in enumerate(b, start=1):
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + (left != right))
    return row[-1]
