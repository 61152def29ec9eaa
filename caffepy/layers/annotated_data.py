"""Images with boxes."""

from __future__ import annotations

from caffepy.data.transformer import SSD_FIELDS
from caffepy.layers.base import between
from caffepy.layers.base_data import BaseDataLayer
from caffepy.layers.registry import register_layer

OWN = ("batch_sampler", "label_map_file", "anno_type")


@register_layer("AnnotatedData")
class AnnotatedDataLayer(BaseDataLayer):
    """Images with the boxes of their objects, distorted, cropped and resized at random.  Caffe type ``AnnotatedData``.

    Bottom: none.
    Top:    data (N, C, H, W) float; [1] (optional) label (1, 1, boxes of the batch, 8) float: item, class, instance, xmin, ymin,
            xmax, ymax (in parts of the image), difficult; one row of -1 where there is no box.
    Params: none
    Proto:  data_param { source, backend, batch_size, prefetch }, annotated_data_param { batch_sampler, label_map_file, anno_type },
            transform_param, with resize_param, noise_param, emit_constraint, crop_h, crop_w, distort_param, expand_param
    Differs from torch: no counterpart; the rules are those of caffepy.data.annotated.
    Source: SSD, annotated_data_layer
    """

    fork_fields = BaseDataLayer.fork_fields | frozenset(
        (
            "LayerParameter.annotated_data_param",
            *(f"AnnotatedDataParameter.{name}" for name in OWN),
            *(f"TransformationParameter.{name}" for name in SSD_FIELDS),
        )
    )
    tops = between(1, 2)
    source = ("annotated", "AnnotatedDataSource")
    undivided = True
