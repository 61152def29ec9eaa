"""Raw images of one size in one file."""

from __future__ import annotations

from caffepy.layers.common.base_data import BaseDataLayer
from caffepy.layers.core.base import exactly
from caffepy.layers.core.registry import register_layer


@register_layer("ParallelData")
class ParallelDataLayer(BaseDataLayer):
    """Raw images that lie one after another in a file, over and over.  Caffe type ``ParallelData``.

    Bottom: none.
    Top:    data (N, C, H, W) float; label (N,) float.
    Params: none
    Proto:  parallel_data_param { source, label (a file of whole numbers), batch_size, new_height,
            new_width, is_color, headerSize, shuffle }, transform_param, data_param { prefetch }
    Differs from torch: no counterpart; the rules are those of caffepy.data.sources.parallel_data.
            Unlike in CaffeGPI, ranks divide the images like those of any source, and shuffle works.
    Source: CaffeGPI, parallel_data_layer
    """

    fork_fields = frozenset({"LayerParameter.parallel_data_param"})
    tops = exactly(2)
    source = ("sources.parallel_data", "ParallelDataSource")
