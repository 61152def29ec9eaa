"""Rows of a learned table, looked up by index."""

# K input_dim, N num_output

from __future__ import annotations

from collections.abc import Sequence

import torch.nn.functional as F
from torch import Tensor

from caffepy.layers.common.loss import label_indices
from caffepy.layers.core.base import BlobSpec, Layer, Run, Shape, is_readable
from caffepy.layers.core.registry import register_layer
from caffepy.layers.core.traits import Gradients

NO_ROW = -1


@register_layer("Embed")
class EmbedLayer(Layer):
    """The product of one-hot vectors with a matrix, by looking its rows up.  Caffe type ``Embed``.

    Bottom: (...) float, indices 0 to K - 1; -1 where there is none, as in the padded sequences of
            LRCN.
    Top:    (..., N) float.
    Params: weight (K, N), bias (N,) unless bias_term is false
    Proto:  embed_param { num_output, input_dim, bias_term, weight_filler, bias_filler }
    Differs from torch: a bias; indices are floats; for -1, where Caffe reads what lies before the
            table, a row of zeros.
    Source: BVLC Caffe, embed_layer
    """

    gradients = Gradients(refused=(0,))

    def setup(self, bottoms: Sequence[Shape]) -> None:
        """Blobs: weight and, with bias_term, bias."""
        p = self.param.embed_param
        self.num_output = int(p.num_output)
        self.input_dim = int(p.input_dim)
        for what, n in (("num_output", self.num_output), ("input_dim", self.input_dim)):
            if n < 1:
                raise self.fail(f"{what} is {n}; needed: at least 1")
        weight = BlobSpec((self.input_dim, self.num_output), p.weight_filler)
        self.blobs = (
            (weight, BlobSpec((self.num_output,), p.bias_filler)) if p.bias_term else (weight,)
        )

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        return ((*bottoms[0], self.num_output),)

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        index, valid = label_indices(self, bottoms[0], self.input_dim, NO_ROW, run, what="index")
        y = F.embedding(index, blobs[0])
        if valid is not None and not (is_readable(valid) and bool(valid.all())):
            y = y.masked_fill(~valid.unsqueeze(-1), 0)
        return (y + blobs[1] if len(blobs) > 1 else y,)
