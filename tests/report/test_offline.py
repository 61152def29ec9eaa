"""Shapes of nets whose data are not here."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from caffepy.errors import DataError, UsageError
from caffepy.layers.core.registry import layer_class
from caffepy.proto import caffe_pb2
from caffepy.proto.text import parse
from caffepy.report.offline import Shapes, parse_shape


def opened(shapes: Shapes, text: str) -> tuple[tuple[int, ...], ...]:
    param = caffe_pb2.LayerParameter()
    parse('name: "d" top: "data" top: "label" ' + text, param, file="layer")
    return tuple(shapes.open(layer_class(param.type)(param, 1)).shapes)


@pytest.mark.parametrize(
    ("text", "shapes"),
    [
        (
            'type: "Data" data_param { source: "no" batch_size: 8 backend: LMDB } transform_param { crop_size: 5 }',
            ((8, 3, 5, 5), (8,)),
        ),
        (
            'type: "ImageData" image_data_param { source: "no" batch_size: 2 new_height: 6 new_width: 7 is_color: false }',
            ((2, 1, 6, 7), (2,)),
        ),
        (
            'type: "ParallelInMemData" parallel_inmem_data_param { source: "no" batch_size: 2 new_height: 6 new_width: 7 }',
            ((2, 3, 6, 7), (2,)),
        ),
        (
            'type: "AnnotatedData" data_param { batch_size: 4 } transform_param { resize_param { height: 6 width: 7 } crop_h: 3 crop_w: 5}',
            ((4, 3, 3, 5), (1, 1, 1, 8)),
        ),
        (
            'type: "AnnotatedData" data_param { batch_size: 4 } transform_param { crop_size: 6} annotated_data_param { yolo_data_type: 1 }',
            ((4, 3, 6, 6), (4, 1, 300, 5)),
        ),
        (
            'type: "DenseImageData" dense_image_data_param { source: "no" batch_size: 2 new_height: 6 new_width: 7 crop_height: 3 }',
            ((2, 3, 3, 7), (2, 1, 3, 7)),
        ),
        (
            'type: "ImageSegData" top: "dim" image_data_param { source: "no" batch_size: 2 new_height: 6 new_width: 7 }',
            ((2, 3, 6, 7), (2, 1, 6, 7), (2, 1, 1, 2)),
        ),
        (
            'type: "ImageSegData" top: "dim" image_data_param { source: "no" is_color: false } transform_param { crop_size: 5 }',
            ((1, 1, 5, 5), (1, 1, 5, 5), (1, 1, 1, 2)),
        ),
        (
            'type: "ImageLabelmapData" image_data_param { source: "no" batch_size: 2 new_height: 6 new_width: 7 }',
            ((2, 3, 6, 7), (2, 1, 6, 7)),
        ),
        (
            'type: "VideoData" video_data_param { source: "no" batch_size: 2 new_length: 9 } transform_param { crop_size: 6 }',
            ((2, 18, 6, 6), (2, 1, 1, 1)),
        ),
        (
            'type: "ImageData" image_data_param { source: "no" batch_size: 2 new_height: 9 } transform_param { crop_h: 4 crop_w: 6 }',
            ((2, 3, 4, 6), (2,)),
        ),
        ('type: "WindowData" window_data_param { source: "no" batch_size: 2 crop_size: 9 }', ((2, 3, 9, 9), (2,))),
    ],
)
def test_what_the_prototxt_tells(text: str, shapes: tuple[tuple[int, ...], ...]) -> None:
    asked = Shapes()
    assert opened(asked, text) == shapes
    assert len(asked.notes) == 1
    assert "layer 'd' has no data here; assumed: data" in asked.notes[0]


def test_what_the_user_says() -> None:
    text = 'type: "HDF5Data" hdf5_data_param { source: "no" batch_size: 2 }'
    asked = Shapes({"data": (1, 2), "label": (1,)})
    assert opened(asked, text) == ((1, 2), (1,))
    assert asked.notes == []
    with pytest.raises(DataError, match="or say what shapes its tops have: -shape data=N,... -shape label=N,..."):
        opened(Shapes({"data": (1, 2)}), text)
    with pytest.raises(UsageError, match="no input and no data layer has a blob of this name; nearest: 'data'"):
        Shapes({"dtaa": (1,)}).check(["data"])


def test_what_the_user_says_of_some_tops_of_data_that_are_here(tmp_path: Path) -> None:
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["data"], file["label"] = np.zeros((4, 6), np.float32), np.zeros(4, np.float32)
    (tmp_path / "list").write_text(f"{tmp_path}/a.h5\n")
    asked = Shapes({"data": (9, 9)})
    assert opened(asked, f'type: "HDF5Data" hdf5_data_param {{ source: "{tmp_path}/list" batch_size: 2 }}') == ((2, 6), (2,))
    assert asked.notes == ["-shape data is passed over: layer 'd' has its data here; needed: also -shape label=N,..."]


@pytest.mark.parametrize("text", ["data", "=1,2", "data=1,x", "data=", "data=-1,3"])
def test_what_is_no_shape(text: str) -> None:
    with pytest.raises(UsageError, match="needed: the name of a blob and its shape"):
        parse_shape(text)


def test_shapes() -> None:
    assert parse_shape("data=1,3,227,227") == ("data", (1, 3, 227, 227))
    assert parse_shape("a=b=2x4") == ("a=b", (2, 4))
