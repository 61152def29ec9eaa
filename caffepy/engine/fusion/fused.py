"""What fusing layers gives."""

from __future__ import annotations

from dataclasses import dataclass

from caffepy.layers.core.base import Forward


@dataclass(frozen=True)
class Fused:
    """Layers in a row that are computed in one go: ``count`` of them, the first included.

    ``forward`` gets the blobs of all.
    """

    count: int
    forward: Forward
