"""Long short-term memory over sequences, as in BVLC Caffe."""

# T time steps, N streams, D elements of an input, S of a static input, H num_output

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import torch
from torch import Tensor

from caffepy.layers.common.lstm_sequence import in_one_call, lstm_sequence, runs_of
from caffepy.layers.common.recurrent import RecurrentLayer, States
from caffepy.layers.core.base import BlobSpec, Shape
from caffepy.layers.core.products import linear
from caffepy.layers.core.registry import register_layer
from caffepy.layers.core.traits import Memory
from caffepy.layers.sequence.lstm_unit import lstm_unit


@register_layer("LSTM")
class LSTMLayer(RecurrentLayer):
    """Long short-term memory over a whole sequence.  Caffe type ``LSTM``.

    Bottom: x (T, N, D...) float; cont (T, N), 0 where a sequence begins, else 1; [static input (N,
            S...)]; with expose_hidden the first hidden state and cells, (1, N, H) each. T cannot
            change.
    Top:    (T, N, H) float; with expose_hidden the last hidden state and cells, (1, N, H) each.
            Without it the next pass starts from them. No gradient flows through either.
    Params: W_xc (4H, D), b_c (4H,), [W_xc_static (4H, S)], W_hc (4H, H); gate order i, f, o, g
    Proto:  recurrent_param { num_output, weight_filler, bias_filler, expose_hidden, debug_info }
    Differs from torch: nn.LSTM orders gates i, f, g, o, has two biases and no cont.
    Source: BVLC Caffe, lstm_layer; Donahue et al. 2015
    """

    states = ("h_0", "c_0")
    blobs_in_time = 1
    memory = Memory(saves_top=True)

    def setup(self, bottoms: Sequence[Shape]) -> None:
        super().setup(bottoms)
        p = self.param.recurrent_param
        gates = 4 * self.num_output
        self.blobs = (*self.input_blobs(gates), BlobSpec((gates, self.num_output), p.weight_filler))

    def steps_of(
        self,
        states: States,
        x: Tensor,
        static: Tensor | None,
        cont: Tensor,
        blobs: Sequence[Tensor],
    ) -> tuple[Tensor, States]:
        """In one call for each run of time steps in which no sequence begins, if that is faster."""
        starts = runs_of(cont) if static is None and in_one_call(x) else None
        if starts is None:
            return super().steps_of(states, x, static, cont, blobs)
        tops = []
        for start, end in pairwise((*starts, len(x))):
            before = [state * cont[start].unsqueeze(1) for state in states]
            top, states = lstm_sequence(x[start:end], before, blobs)
            tops.append(top)
        return torch.cat(tops) if len(tops) > 1 else tops[0], states

    def step(
        self, states: States, entry: Tensor, cont: Tensor, blobs: Sequence[Tensor]
    ) -> tuple[Tensor, States]:
        """One time step; the hidden state is the output."""
        h, c = states
        gates = entry + linear(h * cont.unsqueeze(1), blobs[-1])
        c, h = lstm_unit(c, gates, cont)
        return h, (h, c)
