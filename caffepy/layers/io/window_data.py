"""Windows of images of a list."""

from __future__ import annotations

from caffepy.layers.common.base_data import BaseDataLayer
from caffepy.layers.core.base import exactly
from caffepy.layers.core.registry import register_layer
from caffepy.layers.core.traits import Batches


@register_layer("WindowData")
class WindowDataLayer(BaseDataLayer):
    """Windows of images drawn at random, background ones first.  Caffe type ``WindowData``.

    Bottom: none.
    Top:    data (N, C, H, W) float; label (N,) float.
    Params: none
    Proto:  window_data_param { source, batch_size, fg_threshold, bg_threshold, fg_fraction,
            context_pad, crop_mode, cache_images, root_folder }, transform_param, data_param {
            prefetch }
    Differs from torch: no counterpart; the rules are those of caffepy.data.sources.window_data.
    Source: BVLC Caffe, window_data_layer
    """

    tops = exactly(2)
    source = ("sources.window_data", "WindowDataSource")
    batches = Batches(divisible=False)
