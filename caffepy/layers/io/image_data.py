"""Image files of a list."""

from __future__ import annotations

from caffepy.layers.common.base_data import RANDOM_RESIZE, SIZES, BaseDataLayer
from caffepy.layers.core.base import exactly
from caffepy.layers.core.registry import register_layer


@register_layer("ImageData")
class ImageDataLayer(BaseDataLayer):
    """Images that a list names, over and over.  Caffe type ``ImageData``.

    Bottom: none.
    Top:    data (N, C, H, W) float; label (N,) float.
    Params: none
    Proto:  image_data_param { source, batch_size, rand_skip, shuffle, new_height, new_width,
            is_color, root_folder, shared_file_system (PMLS-Caffe) }, transform_param, with
            NVCaffe's img_rand_resize_lower, ..., allow_upscale, Intel's random_resize_param (its
            draws are not Intel's own), and SSD's resize_param and crop_h,
            crop_w (with no crop_size), data_param { prefetch }
    Differs from torch: no counterpart; the rules are those of caffepy.data.sources.image_data.
    Source: BVLC Caffe, image_data_layer
    """

    fork_fields = BaseDataLayer.fork_fields | RANDOM_RESIZE | SIZES
    tops = exactly(2)
    source = ("sources.image_data", "ImageDataSource")
