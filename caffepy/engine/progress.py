"""Where an engine is in its pass, for another thread that watches."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Progress:
    """Where a pass is.

    ``layer``: the layer that runs. In the backward pass of the fast engines it is the last one
    whose gradients are complete.
    ``backward``: whether the pass runs backward.
    """

    layer: str = ""
    backward: bool = False

    def __str__(self) -> str:
        if not self.layer:
            return ""
        return f"{'backward' if self.backward else 'forward'} of layer '{self.layer}'"
