"""CRNN as one would write it in PyTorch by hand: from a batch to its loss."""

# N batch, T time steps, H hidden, L labels

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from tools.bench.sequence_nets import CONVOLUTIONS, HALVED, HIDDEN, LETTERS, LOWERED


class CRNN(nn.Module):
    """The net of `sequence_nets.crnn`. An LSTM here has one bias that learns, as in Caffe; the other one stays 0."""

    def __init__(self, divide: int = 1) -> None:
        super().__init__()
        self.convs, self.norms = nn.ModuleList(), nn.ModuleDict()
        channels = 1
        for number, (outputs, kernel, normed) in enumerate(CONVOLUTIONS, 1):
            self.convs.append(nn.Conv2d(channels, outputs // divide, kernel, padding=kernel - 2, bias=not normed))
            channels = outputs // divide
            if normed:
                self.norms[str(number)] = nn.BatchNorm2d(channels)
        hidden = HIDDEN // divide
        self.lstm1, self.fc1 = nn.LSTM(channels, hidden, bidirectional=True), nn.Linear(2 * hidden, hidden)
        self.lstm2, self.fc2 = nn.LSTM(hidden, hidden, bidirectional=True), nn.Linear(2 * hidden, LETTERS)
        for name, parameter in self.named_parameters():
            if "bias_hh" in name:
                nn.init.zeros_(parameter).requires_grad_(False)

    def in_order(self) -> Iterator[Tensor]:
        """The parameters that learn, in the order of Caffe's layers."""
        for number, conv in enumerate(self.convs, 1):
            yield from conv.parameters()
            if str(number) in self.norms:
                yield from self.norms[str(number)].parameters()
        for lstm, fc in ((self.lstm1, self.fc1), (self.lstm2, self.fc2)):
            for way in ("", "_reverse"):
                for name in ("weight_ih", "bias_ih", "weight_hh"):
                    yield getattr(lstm, f"{name}_l0{way}")
            yield from fc.parameters()

    @torch.no_grad()
    def load(self, arrays: Sequence[Tensor]) -> None:
        """Take over Caffe's parameters, whose gates come in the order i, f, o, g; torch's are i, f, g, o."""
        gates = {id(parameter) for lstm in (self.lstm1, self.lstm2) for parameter in lstm.parameters()}
        for parameter, array in zip(self.in_order(), arrays, strict=True):
            if id(parameter) in gates:
                i, f, o, g = array.chunk(4)
                array = torch.cat((i, f, g, o))
            parameter.copy_(array.view_as(parameter))

    def columns(self, x: Tensor) -> Tensor:
        """The columns (T, N, 512) of pictures (N, 1, 32, 100)."""
        for number, conv in enumerate(self.convs, 1):
            x = conv(x)
            x = F.relu_(self.norms[str(number)](x) if str(number) in self.norms else x)
            if number in HALVED:
                x = F.max_pool2d(x, 2, 2)
            if number in LOWERED:
                x = F.max_pool2d(x, 2, (2, 1), padding=(0, 1))
        return x.squeeze(2).permute(2, 0, 1)

    def forward(self, data: Tensor, label: Tensor) -> Tensor:
        """The mean loss of (N, 1, 32, 100) and labels (N, L) with blanks behind the last; its gradient is, as in Caffe, the sum's."""
        x = self.fc1(self.lstm1(self.columns(data))[0])
        logs = self.fc2(self.lstm2(x)[0]).log_softmax(2)
        steps = torch.full((logs.shape[1],), len(logs))
        total = F.ctc_loss(logs, label.long(), steps, (label > 0).sum(1), reduction="sum")
        return total + (total / len(label) - total).detach()
