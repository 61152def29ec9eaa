"""Caffe's recurrent layers: other gates than torch's, and marks where a sequence begins."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class Recurrent(nn.Module):
    """What LSTM and RNN share: the input's part of all time steps, and states that go on.

    x is (T, N, ...), cont (T, N), 0 where a sequence begins, else 1. Without ``expose_hidden`` the
    last states of a batch are the first of the next; forget() begins anew.
    """

    def __init__(
        self,
        inputs: int,
        outputs: int,
        gates: int,
        static: int = 0,
        expose_hidden: bool = False,
    ) -> None:
        super().__init__()
        self.outputs, self.expose_hidden = outputs, expose_hidden
        self.weight_x = nn.Parameter(torch.zeros(gates * outputs, inputs))
        self.bias = nn.Parameter(torch.zeros(gates * outputs))
        self.weight_static = nn.Parameter(torch.zeros(gates * outputs, static)) if static else None
        self.weight_h = nn.Parameter(torch.zeros(gates * outputs, outputs))
        self.states: list[Tensor] = []

    def forget(self) -> None:
        self.states = []

    def entries(self, x: Tensor, static: Tensor | None) -> Tensor:
        """The part of the input in all time steps, (T, N, gates * outputs)."""
        y = F.linear(x.reshape(*x.shape[:2], -1), self.weight_x, self.bias)
        if static is None or self.weight_static is None:
            return y
        return y + F.linear(static.reshape(len(static), -1), self.weight_static)

    def first(self, given: tuple[Tensor, ...], count: int, x: Tensor) -> list[Tensor]:
        """The states before the first step, (N, outputs) each."""
        if self.expose_hidden:
            return [state.detach()[0] for state in given]
        kept = [state[: x.shape[1]] for state in self.states if len(state) >= x.shape[1]]
        return kept or [x.new_zeros(x.shape[1], self.outputs) for _ in range(count)]

    def result(self, steps: list[Tensor], states: list[Tensor]) -> Tensor | tuple[Tensor, ...]:
        if self.expose_hidden:
            return torch.stack(steps), *(state.detach()[None] for state in states)
        self.states = [state.detach() for state in states]
        return torch.stack(steps)


class LSTM(Recurrent):
    """Long short-term memory: gates in the order i, f, o, g.

    cont masks the forget gate and the last hidden state.
    """

    def __init__(self, inputs: int, outputs: int, static: int = 0, expose_hidden: bool = False):
        super().__init__(inputs, outputs, 4, static, expose_hidden)

    def forward(self, x: Tensor, cont: Tensor, *given: Tensor) -> Tensor | tuple[Tensor, ...]:
        static = given[0] if self.weight_static is not None else None
        h, c = self.first(given[-2:], 2, x)
        steps = []
        for entry, mark in zip(self.entries(x, static), cont.unsqueeze(2)):
            i, f, o, g = (entry + F.linear(h * mark, self.weight_h)).chunk(4, 1)
            c = mark * torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
            h = torch.sigmoid(o) * torch.tanh(c)
            steps.append(h)
        return self.result(steps, [h, c])


class RNN(Recurrent):
    """A simple recurrent network whose output has weights and a tanh of its own."""

    def __init__(self, inputs: int, outputs: int, static: int = 0, expose_hidden: bool = False):
        super().__init__(inputs, outputs, 1, static, expose_hidden)
        self.weight_o = nn.Parameter(torch.zeros(outputs, outputs))
        self.bias_o = nn.Parameter(torch.zeros(outputs))

    def forward(self, x: Tensor, cont: Tensor, *given: Tensor) -> Tensor | tuple[Tensor, ...]:
        static = given[0] if self.weight_static is not None else None
        (h,) = self.first(given[-1:], 1, x)
        steps = []
        for entry, mark in zip(self.entries(x, static), cont.unsqueeze(2)):
            h = torch.tanh(entry + F.linear(h * mark, self.weight_h))
            steps.append(torch.tanh(F.linear(h, self.weight_o, self.bias_o)))
        return self.result(steps, [h])


class ClippedLSTM(Recurrent):
    """Long short-term memory of caffe-lstm and CTPN: gates in the order i, f, o, g.

    In training the derivative by the gates' inputs is kept within ``bound``. Without marks every
    pass starts from zeros.
    """

    def __init__(self, inputs: int, outputs: int, bound: float = 0.0) -> None:
        super().__init__(inputs, outputs, 4)
        self.bound = bound

    def forward(self, x: Tensor, cont: Tensor | None = None) -> Tensor:
        if cont is None:
            self.forget()
        marks = x.new_ones(*x.shape[:2], 1) if cont is None else (cont != 0).to(x).unsqueeze(2)
        h, c = self.first((), 2, x)
        steps = []
        for entry, mark in zip(self.entries(x, None), marks):
            gates = entry + F.linear(h * mark, self.weight_h)
            if self.bound > 0 and gates.requires_grad:
                gates.register_hook(lambda gradient: gradient.clamp(-self.bound, self.bound))
            i, f, o, g = gates.chunk(4, 1)
            c = mark * torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
            h = torch.sigmoid(o) * torch.tanh(c)
            steps.append(h)
        self.states = [h.detach(), c.detach()]
        return torch.stack(steps)


def lstm_unit(c: Tensor, gates: Tensor, cont: Tensor) -> tuple[Tensor, Tensor]:
    """Cells and hidden state after one time step; gates in the order i, f, o, g (LSTMUnit)."""
    i, f, o, g = gates.chunk(4, 2)
    c = cont.unsqueeze(2) * torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
    return c, torch.sigmoid(o) * torch.tanh(c)
