"""Image files with label images."""

from __future__ import annotations

from caffepy.layers.common.base_data import BaseDataLayer
from caffepy.layers.core.base import exactly
from caffepy.layers.core.registry import register_layer
from caffepy.layers.core.traits import Batches


@register_layer("DenseImageData")
class DenseImageDataLayer(BaseDataLayer):
    """Images and, for each, an image of its pixels' labels.  Caffe type ``DenseImageData``.

    Bottom: none.
    Top:    data (N, C, H, W) float; label (N, 1, H, W) float, or label_divide_factor times smaller.
    Params: none
    Proto:  dense_image_data_param { source, batch_size, rand_skip, shuffle, new_height, new_width,
            is_color, root_folder, mirror, crop_height, crop_width, label_divide_factor (ENet) },
            transform_param without mirror and crop_size, data_param { prefetch }
    Differs from torch: no counterpart; the rules are those of
            caffepy.data.sources.dense_image_data.
    Source: SegNet and ENet, dense_image_data_layer
    """

    fork_fields = frozenset(
        {"LayerParameter.dense_image_data_param", "DenseImageDataParameter.label_divide_factor"}
    )
    tops = exactly(2)
    source = ("sources.dense_image_data", "DenseImageDataSource")
    batches = Batches(divisible=False)
