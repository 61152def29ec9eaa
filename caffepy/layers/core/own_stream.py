"""Layers that draw from a random stream of their own."""

from __future__ import annotations

from caffepy.data.random import Mt19937
from caffepy.layers.core.base import Layer, Run

STREAM = "stream"
"""Where `Run.state` has the stream."""


class OwnStreamLayer(Layer):
    """Base of layers whose random stream lasts from pass to pass.

    The net draws its seed where it would fill the layer's parameters.
    """

    seed: int | None = None

    def stream(self, run: Run) -> Mt19937:
        """The stream, made in the first pass."""
        known: Mt19937 | None = run.state.get(STREAM)
        if known is None:
            known = run.state[STREAM] = Mt19937(
                run.random.draw() if self.seed is None else self.seed
            )
        return known
