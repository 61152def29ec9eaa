"""Output blobs as numbers in the log, and their sums over the batches of a test."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from caffepy import log
from caffepy.engine.output import Output
from caffepy.errors import SolverError
from caffepy.float32 import product32


@dataclass(frozen=True)
class Score:
    """One element of an output blob.  ``loss_weight``: 0 if it is no loss."""

    name: str
    value: float
    loss_weight: float

    def __str__(self) -> str:
        """``loss = 0.5 (* 1 = 0.5 loss)``, the part in brackets only for a loss."""
        text = f"{self.name} = {log.number(self.value)}"
        if not self.loss_weight:
            return text
        weighted = product32(self.loss_weight, self.value)
        return f"{text} (* {log.number(self.loss_weight)} = {log.number(weighted)} loss)"


def scores(outputs: Sequence[Output]) -> Iterator[Score]:
    """Every element of every output blob, in Caffe's order."""
    for output in outputs:
        for value in output.data.reshape(-1).tolist():
            yield Score(output.name, value, output.loss_weight)


class Totals:
    """Sums of outputs over batches, kept on the device."""

    def __init__(self) -> None:
        self._sum: Tensor | None = None
        self._labels: list[tuple[str, float]] = []

    def add(self, outputs: Sequence[Output]) -> None:
        """Add one batch's outputs.  Errors: SolverError if they differ in size from the first's."""
        flat = [output.data.reshape(-1) for output in outputs]
        values = torch.cat(flat) if flat else torch.empty(0)
        if self._sum is None:
            self._sum = values.clone()
            for output in outputs:
                self._labels += [(output.name, output.loss_weight)] * output.data.numel()
        elif self._sum.shape != values.shape:
            raise SolverError(
                f"test outputs: {values.numel()} numbers in this batch, "
                f"{self._sum.numel()} in the first; needed: the same in every batch"
            )
        else:
            self._sum += values

    def takes(self, outputs: Sequence[Output]) -> bool:
        """Whether they have the size of the first batch's."""
        size = sum(output.data.numel() for output in outputs)
        return self._sum is None or self._sum.numel() == size

    def means(self, batches: int) -> list[Score]:
        """The mean of each element over ``batches``."""
        if self._sum is None:
            return []
        means = (self._sum / batches).tolist()
        return [Score(name, value, weight) for value, (name, weight) in zip(means, self._labels)]
