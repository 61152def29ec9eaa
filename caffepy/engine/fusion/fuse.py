"""Decides which layers of a net are computed together.

Only this folder knows what may follow a layer.
"""

from __future__ import annotations

from collections.abc import Sequence

from caffepy.engine.fusion.batch_norm import fuse_scale
from caffepy.engine.fusion.convolution import fold
from caffepy.engine.fusion.fused import Fused
from caffepy.layers.core.base import TEST, Layer
from caffepy.layers.norm.batch_norm import BatchNormLayer
from caffepy.layers.windows.convolution import ConvolutionLayer


def fuse(layers: Sequence[Layer], *, only_summed: Sequence[bool]) -> Fused | None:
    """Join the first of ``layers`` with as many of the next as possible; None if with none.

    Each layer but the first is the only reader of the only top of the layer before it.
    ``only_summed``: for each layer, whether its top is only read as a term of sums. Then a zero in
    it may be a tiny number instead.
    """
    first = layers[0]
    followers = layers[1:]
    if isinstance(first, BatchNormLayer):
        return fuse_scale(first, followers)
    if isinstance(first, ConvolutionLayer) and first.phase == TEST:
        return fold(first, followers, only_summed[1:])
    return None
