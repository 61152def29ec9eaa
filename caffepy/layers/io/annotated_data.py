"""Images of a database with their boxes."""

from __future__ import annotations

from caffepy.data.transformer import SSD_FIELDS
from caffepy.layers.common.base_data import BaseDataLayer
from caffepy.layers.core.base import between
from caffepy.layers.core.registry import register_layer
from caffepy.layers.core.traits import Batches

OWN = (
    "batch_sampler",
    "label_map_file",
    "anno_type",
    "yolo_data_type",
    "yolo_data_jitter",
    "train_diffcult",
)


@register_layer("AnnotatedData")
class AnnotatedDataLayer(BaseDataLayer):
    """Images with boxes, distorted, cropped and resized at random.  Caffe type ``AnnotatedData``.

    Bottom: none.
    Top:    data (N, C, H, W) float; [1] (optional) label (1, 1, boxes of the batch, 8) float: item,
            class, instance, xmin, ymin, xmax, ymax (as fractions of the image), difficult; one row
            of -1 if the batch has no box. With yolo_data_type 1 label is (N, 1, 300, 5): class from
            0 on, x and y of the middle, width, height of each object; 0 behind the last.
    Params: none
    Proto:  data_param { source, backend, batch_size, prefetch }, annotated_data_param {
            batch_sampler, label_map_file, anno_type; yolo_data_type, yolo_data_jitter
            (MobileNet-YOLO; with no batch_sampler), train_diffcult (false: difficult objects are
            left out with yolo_data_type) }, transform_param, with resize_param (of several one is
            drawn by prob for ten batches each, as in MobileNet-YOLO), noise_param, emit_constraint,
            crop_h, crop_w, distort_param, expand_param
    Differs from torch: no counterpart; the rules are those of caffepy.data.sources.annotated_data.
    Source: SSD, annotated_data_layer; MobileNet-YOLO, of the same name
    """

    fork_fields = BaseDataLayer.fork_fields | frozenset(
        (
            "LayerParameter.annotated_data_param",
            *(f"AnnotatedDataParameter.{name}" for name in OWN),
            *(f"TransformationParameter.{name}" for name in SSD_FIELDS),
        )
    )
    tops = between(1, 2)
    source = ("sources.annotated_data", "AnnotatedDataSource")
    batches = Batches(divisible=False)
