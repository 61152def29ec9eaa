"""What an engine shows of an output blob."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor


@dataclass(frozen=True)
class Output:
    """One output blob of the net: its values, and the loss weight of its elements (0: no loss)."""

    name: str
    data: Tensor
    loss_weight: float
