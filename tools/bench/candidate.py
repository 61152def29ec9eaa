"""caffepy's side of the benchmarks: a net of `nets` trained on fixed batches, through what ``caffepy train`` runs."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor


class Candidate:
    """caffepy behind the same calls as `loops.Loop`."""

    def __init__(self, net: str, batches: Sequence[tuple[Tensor, Tensor]], *, divide: int = 1, dropout: bool = True) -> None:
        raise NotImplementedError("the engine is not there yet")

    def parameters(self) -> list[Tensor]:
        """Learnable parameters in the order of the layers; BatchNorm's statistics are none."""
        raise NotImplementedError

    def step(self) -> float:
        """One iteration on the next batch; the loss before the update."""
        raise NotImplementedError
