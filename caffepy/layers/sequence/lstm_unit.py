"""One time step of a long short-term memory."""

# N streams, D cells

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from caffepy.layers.core.autograd import Context, apply
from caffepy.layers.core.base import Layer, Run, Shape, exactly
from caffepy.layers.core.registry import register_layer
from caffepy.layers.core.traits import Gradients, Quirks


class _LSTMUnit(torch.autograd.Function):
    """As in Caffe, the gradient of the forget gate is f * (1 - f) with f multiplied by cont."""

    @staticmethod
    def forward(ctx: Context, c_prev: Tensor, gates: Tensor, cont: Tensor) -> tuple[Tensor, Tensor]:
        i, f, o, g = gates.chunk(4, -1)
        i = i.sigmoid()
        f = f.sigmoid()
        o = o.sigmoid()
        g = g.tanh()
        f = f.mul_(cont.unsqueeze(-1))
        c = torch.addcmul(f * c_prev, i, g)
        tanh_c = c.tanh()
        ctx.save_for_backward(c_prev, i, f, o, g, tanh_c)
        return c, o * tanh_c

    @staticmethod
    def backward(ctx: Context, dc: Tensor, dh: Tensor) -> tuple[Tensor, Tensor, None]:
        c_prev, i, f, o, g, tanh_c = ctx.saved_tensors
        through = dc + dh * o * (1 - tanh_c * tanh_c)
        gates = (
            through * g * i * (1 - i),
            through * c_prev * f * (1 - f),
            dh * tanh_c * o * (1 - o),
            through * i * (1 - g * g),
        )
        return through * f, torch.cat(gates, -1), None


def lstm_unit(c_prev: Tensor, gates: Tensor, cont: Tensor) -> tuple[Tensor, Tensor]:
    """One time step: the new cells and hidden state, (..., N, D) each.

    ``c_prev`` (..., N, D); ``gates`` (..., N, 4D): inputs of the gates in the order i, f, o, g;
    ``cont`` (..., N).
    """
    c, h = apply(_LSTMUnit, c_prev, gates, cont)
    return c, h


@register_layer("LSTMUnit")
class LSTMUnitLayer(Layer):
    """Gates, cells and hidden state of one time step.  Caffe type ``LSTMUnit``.

    Bottom: previous cells (1, N, D) float; gate inputs (1, N, 4D) in the order i, f, o, g; cont (1,
            N), 0 where a sequence begins.
    Top:    cells (1, N, D), c = cont * sigmoid(f) * c_prev + sigmoid(i) * tanh(g); hidden state (1,
            N, D), sigmoid(o) * tanh(c).
    Params: none
    Proto:  none
    Differs from torch: LSTMCell orders its gates i, f, g, o and has no cont.
    Source: BVLC Caffe, lstm_unit_layer
    """

    bottoms = exactly(3)
    tops = exactly(2)
    gradients = Gradients(refused=(2,), unforced=(2,))
    quirks = Quirks(always_written=(0, 1))

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        """Both tops have the shape of the cells."""
        cells, gates, cont = bottoms
        if len(cells) != 3 or cells[0] != 1:
            raise self.fail(f"bottom 0 is {cells}; needed: (1, streams, cells)")
        n, d = cells[1:]
        for i, shape, needed in ((1, gates, (1, n, 4 * d)), (2, cont, (1, n))):
            if shape != needed:
                raise self.fail(
                    f"bottom {i} is {shape}; needed: {needed}, to go with bottom 0 {cells}"
                )
        return (cells, cells)

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        return lstm_unit(bottoms[0], bottoms[1], bottoms[2].detach())
