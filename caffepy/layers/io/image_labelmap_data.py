"""Image files with a label image of edges."""

from __future__ import annotations

from caffepy.layers.common.base_data import BaseDataLayer
from caffepy.layers.core.base import exactly
from caffepy.layers.core.registry import register_layer
from caffepy.layers.core.traits import Batches


@register_layer("ImageLabelmapData")
class ImageLabelmapDataLayer(BaseDataLayer):
    """Images and, for each, which of its pixels are edges.  Caffe type ``ImageLabelmapData``.

    Bottom: none.
    Top:    data (N, C, H, W) float; label (N, 1, H, W) float, 1 where the label image is 128 or
            more, else 0.
    Params: none
    Proto:  image_data_param { source, batch_size, rand_skip, shuffle, new_height, new_width,
            is_color, root_folder }, transform_param (crops are at random places in TEST, too, where
            crop_size needs mirror), data_param { prefetch }
    Differs from torch: no counterpart; the rules are those of
            caffepy.data.sources.image_labelmap_data.
    Source: HED, image_labelmap_data_layer; Xie and Tu 2015
    """

    tops = exactly(2)
    source = ("sources.image_labelmap_data", "ImageLabelmapDataSource")
    batches = Batches(divisible=False)
