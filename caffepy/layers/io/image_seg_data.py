"""Image files with a label for each pixel."""

from __future__ import annotations

from caffepy.data.seg_transformer import FIELDS
from caffepy.layers.common.base_data import BaseDataLayer
from caffepy.layers.core.base import between
from caffepy.layers.core.registry import register_layer


@register_layer("ImageSegData")
class ImageSegDataLayer(BaseDataLayer):
    """Images of a list, with a label for each pixel.  Caffe type ``ImageSegData``.

    Bottom: none.
    Top:    data (N, C, H, W) float; label (N, 1, H, W) float; [2] (optional) data_dim (N, 1, 1, 2)
            float: the image's height and width, at most H and W.
    Params: none
    Proto:  image_data_param { source, batch_size, rand_skip, shuffle, new_height, new_width,
            is_color, root_folder, label_type, ignore_label }, transform_param without mean_file,
            with scale_factors, crop_height and crop_width, or crop_h and crop_w (PSPNet),
            data_param { prefetch }
    Differs from torch: no counterpart; the rules are those of caffepy.data.sources.image_seg_data.
    Source: DeepLab, image_seg_data_layer
    """

    fork_fields = BaseDataLayer.fork_fields | frozenset(
        (
            "ImageDataParameter.label_type",
            "ImageDataParameter.ignore_label",
            *(f"ImageDataParameter.LabelType.{name}" for name in ("NONE", "IMAGE", "PIXEL")),
            *(f"TransformationParameter.{name}" for name in FIELDS),
        )
    )
    tops = between(2, 3)
    source = ("sources.image_seg_data", "ImageSegDataSource")
