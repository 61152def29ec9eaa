"""Long short-term memory as in CTPN and many text readers."""

# T time steps, N streams, D elements of an input, H num_output

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from caffepy.layers.common.lstm_sequence import in_one_call, lstm_sequence
from caffepy.layers.common.recurrent import RecurrentLayer, States
from caffepy.layers.core.autograd import Context, apply
from caffepy.layers.core.base import BlobSpec, Run, Shape, between, count, exactly
from caffepy.layers.core.products import linear
from caffepy.layers.core.registry import register_layer
from caffepy.layers.core.traits import Memory, Quirks
from caffepy.layers.sequence.lstm_unit import lstm_unit
from caffepy.proto import caffe_pb2


class _Bounded(torch.autograd.Function):
    """The identity; its gradient is clipped to [-threshold, threshold]."""

    @staticmethod
    def forward(ctx: Context, x: Tensor, threshold: float) -> Tensor:
        ctx.threshold = threshold
        return x.view_as(x)

    @staticmethod
    def backward(ctx: Context, dy: Tensor) -> tuple[Tensor, None]:
        return dy.clamp(-ctx.threshold, ctx.threshold), None


class _Recurrent(torch.autograd.Function):
    """The hidden state's part of the gates; 0 where a sequence begins.

    Where one begins the gradient of the weights still has the state before, as in the forks.
    """

    @staticmethod
    def forward(ctx: Context, h: Tensor, cont: Tensor, weight: Tensor) -> Tensor:
        ctx.save_for_backward(h, cont, weight)
        return linear(h * cont, weight)

    @staticmethod
    def backward(ctx: Context, dy: Tensor) -> tuple[Tensor, None, Tensor]:
        h, cont, weight = ctx.saved_tensors
        return dy @ weight * cont, None, dy.t() @ h


@register_layer("Lstm")
class LstmLayer(RecurrentLayer):
    """Long short-term memory with a clipped gradient.  Caffe type ``Lstm``.

    Bottom: x (T, N, D) or (T, 1, D...) float (CTPN), or (T * N, D...), N = batch_size (caffe-lstm);
            [1] (T * N,) numbers, 0 where a sequence begins.
    Top:    (T, N, H) or (T * N, H) float. With bottom 1 a pass goes on from the states that the
            pass before left. Without it every pass starts from zeros.
    Params: W_x (4H, D), W_h (4H, H), b (4H,); gate order i, f, o, g
    Proto:  lstm_param { num_output, clipping_threshold, weight_filler, bias_filler, batch_size }
    Differs from torch: nn.LSTM orders gates i, f, g, o, has two biases, and does not bound the
            gradient of the gates' inputs. The gradient of W_h is summed over all states before,
            also where bottom 1 says that a sequence begins, as in the forks.
    Source: junhyukoh/caffe-lstm and CTPN, lstm_layer; Hochreiter and Schmidhuber 1997
    """

    fork_fields = frozenset({"LayerParameter.lstm_param"})
    bottoms = between(1, 2)
    tops = exactly(1)
    states = ("h_0", "c_0")
    quirks = Quirks(learns_frozen=False)
    memory = Memory(saves_top=True)

    @classmethod
    def remembers(cls, param: caffe_pb2.LayerParameter) -> bool:
        """It does with bottom 1: sequences may go on from batch to batch."""
        return len(param.bottom) > 1

    def setup(self, bottoms: Sequence[Shape]) -> None:
        p = self.param.lstm_param
        self.num_output = int(p.num_output)
        self.exposed = 0
        self.bound = float(p.clipping_threshold)
        if self.num_output < 1:
            raise self.fail("num_output is 0; needed: at least 1")
        *_, self.inputs = self.sizes(bottoms[0])
        gates = 4 * self.num_output
        weights = (BlobSpec((gates, n), p.weight_filler) for n in (self.inputs, self.num_output))
        self.blobs = (*weights, BlobSpec((gates,), p.bias_filler))

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        """The top has as many axes for time and streams as the bottom."""
        steps, streams, inputs = self.sizes(bottoms[0])
        if inputs != self.inputs:
            raise self.fail(
                f"an input has {inputs} elements; needed: {self.inputs},"
                " which the weights were made for"
            )
        if not steps:
            raise self.fail(f"bottom 0 is {bottoms[0]}; needed: at least 1 time step")
        if len(bottoms) > 1 and not bottoms[1][:1] == (count(bottoms[1]),) == (steps * streams,):
            raise self.fail(
                f"bottom 1 is {bottoms[1]}; needed: ({steps * streams},),"
                " one number for each stream of each time step"
            )
        leading = (steps, streams) if self._apart(bottoms[0]) else (steps * streams,)
        return ((*leading, self.num_output),)

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        """Compute all time steps; with bottom 1 keep the last states for the next pass."""
        steps, streams, _ = self.sizes(tuple(bottoms[0].shape))
        x = bottoms[0].reshape(steps, streams, self.inputs)
        later = torch.arange(steps, device=x.device) > 0
        goes_on = len(bottoms) > 1
        if goes_on:
            cont = bottoms[1].detach().reshape(steps, streams) != 0
            h, c = self._first(bottoms, x, run)
        else:
            cont = later[:, None].expand(-1, streams)
            h, c = (x.new_zeros(shape) for shape in self._each(streams))
        shape = self.reshape([tuple(b.shape) for b in bottoms])[0]
        bounds = self.bound > 0 and torch.is_grad_enabled()
        if not (goes_on or bounds) and in_one_call(x):
            return (lstm_sequence(x, (h, c), (blobs[0], blobs[2], blobs[1]))[0].view(shape),)
        cont = cont.to(x.dtype)
        entries = linear(x, blobs[0], blobs[2])  # of all time steps at once
        outputs = []
        for t in range(steps):
            h, c = self._gated(h, c, entries[t], cont[t], blobs[1])
            outputs.append(h)
        if goes_on:
            self._leave((h, c), x, run)
        return (torch.cat(outputs).view(shape),)

    def state_shapes(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        """The shapes of hidden state and cells; none without bottom 1."""
        return self._each(self.sizes(bottoms[0])[1]) if len(bottoms) > 1 else ()

    def flops(self, bottoms: Sequence[Shape], tops: Sequence[Shape]) -> int:
        """Two operations for each weight, time step and stream."""
        steps, streams, _ = self.sizes(bottoms[0])
        return 2 * steps * streams * sum(count(blob.shape) for blob in self.blobs[:2])

    def _gated(self, h: Tensor, c: Tensor, entry: Tensor, cont: Tensor, weight: Tensor) -> States:
        gates = entry + apply(_Recurrent, h, cont.unsqueeze(1), weight)
        if self.bound > 0:
            gates = apply(_Bounded, gates, self.bound)
        c, h = lstm_unit(c, gates, cont)
        return h, c

    def _apart(self, bottom: Shape) -> bool:
        """Whether time steps and streams have an axis each."""
        return (
            len(bottom) == 3 or (len(bottom) > 3 and bottom[1] == 1)
        ) and not self.param.lstm_param.HasField("batch_size")

    def sizes(self, bottom: Shape) -> tuple[int, int, int]:
        """Time steps, streams, and elements of an input."""
        if self._apart(bottom):
            return bottom[0], bottom[1], count(bottom, 2)
        streams = int(self.param.lstm_param.batch_size)
        if not bottom or streams < 1 or bottom[0] % streams:
            raise self.fail(
                f"bottom 0 is {bottom} and batch_size {streams};"
                " needed: a multiple of batch_size along axis 0"
            )
        return bottom[0] // streams, streams, count(bottom, 1)
