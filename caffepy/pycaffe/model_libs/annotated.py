"""SSD's pictures and their objects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from caffepy.proto import caffe_pb2
from caffepy.pycaffe.net_spec import layers, params


def CreateAnnotatedDataLayer(
    source: str,
    batch_size: int = 32,
    backend: int = params.Data.LMDB,
    output_label: bool = True,
    train: bool = True,
    label_map_file: str = "",
    anno_type: int | None = None,
    transform_param: Mapping[str, Any] = {},
    batch_sampler: Sequence[Mapping[str, Any]] = [{}],
) -> Any:
    """The layer ``data`` of one phase.

    Gives its top, or with ``output_label`` its tops, data and label.
    """
    annotated: dict[str, Any] = {"label_map_file": label_map_file, "batch_sampler": batch_sampler}
    if anno_type is not None:
        annotated["anno_type"] = anno_type
    return layers.AnnotatedData(
        name="data",
        ntop=2 if output_label else 1,
        include={"phase": caffe_pb2.TRAIN if train else caffe_pb2.TEST},
        transform_param=transform_param,
        data_param={"batch_size": batch_size, "backend": backend, "source": source},
        annotated_data_param=annotated,
    )
