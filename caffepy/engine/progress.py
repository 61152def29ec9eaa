"""Where an engine is in its pass: kept up to date for another thread that watches."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Progress:
    """Where a pass is.

    ``layer``: the one at work. In the fast engines' backward pass: the last whose gradients are
    complete.

    ``backward``: the pass is on its way back.
    """

    layer: str = ""
    backward: bool = False

    def __str__(self) -> str:
        return (
            f"{'backward' if self.backward else 'forward'} of layer '{self.layer}'"
            if self.layer
            else ""
        )
