"""The simple recurrent network."""

# T time steps, N streams, D elements of an input, S of a static input, H num_output

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor

from caffepy.layers.common.recurrent import RecurrentLayer, States
from caffepy.layers.core.base import BlobSpec, Shape
from caffepy.layers.core.products import linear
from caffepy.layers.core.registry import register_layer


@register_layer("RNN")
class RNNLayer(RecurrentLayer):
    """Hidden state and output through tanh over a whole sequence.  Caffe type ``RNN``.

    Bottom: x (T, N, D...) float; cont (T, N), 0 where a sequence begins, else 1; [static input (N,
            S...)]; with expose_hidden the first hidden state (1, N, H). T cannot change.
    Top:    (T, N, H) float, tanh(W_ho h + b_o), h = tanh(W_hh (cont * previous h) + W_xh x + b_h [+
            W_xh_static static]); with expose_hidden the last hidden state (1, N, H). Without it the
            next pass starts from that. No gradient flows through either.
    Params: W_xh (H, D), b_h (H,), [W_xh_static (H, S)], W_hh (H, H), W_ho (H, H), b_o (H,)
    Proto:  recurrent_param { num_output, weight_filler, bias_filler, expose_hidden, debug_info }
    Differs from torch: nn.RNN has no output weights and no cont.
    Source: BVLC Caffe, rnn_layer
    """

    states = ("h_0",)
    blobs_in_time = 3

    def setup(self, bottoms: Sequence[Shape]) -> None:
        super().setup(bottoms)
        p = self.param.recurrent_param
        n = self.num_output
        self.blobs = (
            *self.input_blobs(n),
            BlobSpec((n, n), p.weight_filler),
            BlobSpec((n, n), p.weight_filler),
            BlobSpec((n,), p.bias_filler),
        )

    def step(
        self, states: States, entry: Tensor, cont: Tensor, blobs: Sequence[Tensor]
    ) -> tuple[Tensor, States]:
        """One time step: the hidden state, and the output from it."""
        h = (entry + linear(states[0] * cont.unsqueeze(1), blobs[-3])).tanh()
        return linear(h, blobs[-2], blobs[-1]).tanh(), (h,)
