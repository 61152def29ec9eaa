"""Computes a BatchNorm with the Scale behind it.

Torch's kernel applies a learned scale and bias of each channel at no extra cost.
"""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor

from caffepy.engine.fusion.fused import Fused
from caffepy.layers.core.base import Layer, Run
from caffepy.layers.linear.scale import ScaleLayer
from caffepy.layers.norm.batch_norm import BatchNormLayer


def fuse_scale(layer: BatchNormLayer, followers: Sequence[Layer]) -> Fused | None:
    """Join ``layer`` and the first of ``followers``, if that is a Scale of the channels.

    None if it is not, or if ``layer`` has a scale of its own.
    """
    scale = followers[0] if followers else None
    if layer.scales or not isinstance(scale, ScaleLayer) or not scale.channel_affine:
        return None

    def forward(bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run) -> tuple[Tensor, ...]:
        bias = blobs[4] if len(blobs) > 4 else None
        return (layer.normalise(bottoms[0], blobs[:3], blobs[3], bias, run),)

    return Fused(2, forward)
