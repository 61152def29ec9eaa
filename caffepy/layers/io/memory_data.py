"""Arrays that a program hands over."""

from __future__ import annotations

from caffepy.layers.common.base_data import BaseDataLayer
from caffepy.layers.core.base import exactly
from caffepy.layers.core.registry import register_layer
from caffepy.layers.core.traits import Batches


@register_layer("MemoryData")
class MemoryDataLayer(BaseDataLayer):
    """Arrays that a program gives, over and over.  Caffe type ``MemoryData``.

    Bottom: none.
    Top:    data (N, C, H, W) float; label (N,) float, but (N, 1, 1, 1) from the first pass on.
    Params: none
    Proto:  memory_data_param { batch_size, channels, height, width }
    Differs from torch: no counterpart; the rules are those of caffepy.data.sources.memory_data.
    Source: BVLC Caffe, memory_data_layer
    """

    tops = exactly(2)
    source = ("sources.memory_data", "MemoryDataSource")
    prefetches = False
    served = False
    batches = Batches(divisible=False)
