"""Records of an LMDB or LevelDB."""

from __future__ import annotations

from caffepy.layers.common.base_data import RANDOM_RESIZE, SIZES, BaseDataLayer
from caffepy.layers.core.base import between
from caffepy.layers.core.registry import register_layer


@register_layer("Data")
class DataLayer(BaseDataLayer):
    """Records of a database, in key order or shuffled, over and over.  Caffe type ``Data``.

    Bottom: none.
    Top:    data (N, C, H, W) float; [1] (optional) label (N,) float.
    Params: none
    Proto:  data_param { source, backend, batch_size, prefetch, shuffle (Intel Caffe, NVCaffe),
            shared_file_system (PMLS-Caffe) }, transform_param, with NVCaffe's
            img_rand_resize_lower, ..., allow_upscale, Intel's random_resize_param (its draws are
            not Intel's own), and SSD's resize_param (of encoded records)
            and crop_h, crop_w (with no crop_size)
    Differs from torch: no counterpart; the rules are those of caffepy.data.sources.data.
    Source: BVLC Caffe, data_layer
    """

    fork_fields = BaseDataLayer.fork_fields | RANDOM_RESIZE | SIZES
    tops = between(1, 2)
    source = ("sources.data", "DataSource")
