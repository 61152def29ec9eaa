"""Products and sums that torch has no module of."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class Scale(nn.Module):
    """A product with a learned blob that is broadcast, and with ``bias`` a sum with another."""

    def __init__(self, *shape: int, bias: bool = True) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(shape))
        self.bias = nn.Parameter(torch.zeros(shape)) if bias else None

    def forward(self, x: Tensor) -> Tensor:
        y = x * self.weight
        return y if self.bias is None else y + self.bias


class Bias(nn.Module):
    """A sum with a learned blob that is broadcast."""

    def __init__(self, *shape: int) -> None:
        super().__init__()
        self.bias = nn.Parameter(torch.zeros(shape))

    def forward(self, x: Tensor) -> Tensor:
        return x + self.bias


class Parameter(nn.Module):
    """A learned blob."""

    def __init__(self, *shape: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(shape))

    def forward(self) -> Tensor:
        return self.weight


class Embed(nn.Module):
    """Rows of a table looked up by index, zeros for index -1, and a bias."""

    def __init__(self, inputs: int, outputs: int, bias: bool = True) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(inputs, outputs))
        self.bias = nn.Parameter(torch.zeros(outputs)) if bias else None

    def forward(self, index: Tensor) -> Tensor:
        place = index.long()
        y = F.embedding(place.clamp(min=0), self.weight) * (place >= 0).unsqueeze(-1)
        return y if self.bias is None else y + self.bias


class NormalizedLinear(nn.Linear):
    """A product with rows of length 1 (NormFace's normalize: true)."""

    def forward(self, x: Tensor) -> Tensor:
        return F.linear(x, F.normalize(self.weight, dim=1), self.bias)
