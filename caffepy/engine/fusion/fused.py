"""The result of fusing layers."""

from __future__ import annotations

from dataclasses import dataclass

from caffepy.layers.core.base import Forward


@dataclass(frozen=True)
class Fused:
    """Layers in a row that one function computes.

    ``count``: number of layers, the first included.
    ``forward``: computes them; it is given the blobs of all.
    """

    count: int
    forward: Forward
