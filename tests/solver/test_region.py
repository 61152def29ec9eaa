"""Training of a small net of YOLO's second version on bright boxes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np
import pytest

from caffepy.proto import caffe_pb2
from tests.data.build import png, write_database
from tests.solver.trained import check_engines_agree, check_resumed, scores, trained

NET = """
name: "yolo"
layer { name: "data" type: "HDF5Data" top: "data" top: "label" hdf5_data_param { source: "list.txt" batch_size: 64 } }
layer { name: "conv" type: "Convolution" bottom: "data" top: "conv"
  convolution_param { num_output: 7 kernel_size: 4 stride: 4 weight_filler { type: "xavier" } } }
layer { name: "loss" type: "RegionLoss" bottom: "conv" bottom: "label" top: "loss"
  region_loss_param { num: 1 num_class: 2 biases: 0.5 biases: 0.5 object_scale: 5 noobject_scale: 1 class_scale: 1 coord_scale: 1
    anchor_images: 1280 } }
"""
SOLVER = (
    'net: "net.prototxt" base_lr: 0.05 momentum: 0.9 lr_policy: "fixed" max_iter: 60 random_seed: 1 test_iter: 1 test_interval: 60'
    ' snapshot: 15 snapshot_prefix: "s" '
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Pictures of 12 x 8 with a bright or a dark square of 2 x 2 in one of six cells."""
    monkeypatch.chdir(tmp_path)
    random = np.random.default_rng(0)
    data, labels = np.zeros((64, 1, 8, 12), np.float32), np.zeros((64, 1, 3, 5), np.float32)
    for picture, rows in zip(data, labels):
        top, left, kind = 4 * random.integers(0, 2) + 1, 4 * random.integers(0, 3) + 1, random.integers(0, 2)
        picture[0, top : top + 2, left : left + 2] = (-1, 1)[kind]
        rows[0, 0] = kind, (left + 1) / 12, (top + 1) / 8, 2 / 12, 2 / 8
    with h5py.File("data.h5", "w") as file:
        file["data"], file["label"] = data, labels
    Path("list.txt").write_text("data.h5\n")
    Path("net.prototxt").write_text(NET)
    Path("solver.prototxt").write_text(SOLVER)
    return tmp_path


def test_both_engines_learn_the_same() -> None:
    check_engines_agree()


def test_boxes_are_learnt_and_a_snapshot_goes_on_alike(lines: Callable[[], list[str]]) -> None:
    """Also with the passes counted in which boxes are drawn to their anchors: 20 of 64 images."""
    whole = trained()
    losses = scores(lines())
    assert losses[1] < losses[0] / 2
    check_resumed("s_iter_15.solverstate", whole)


def test_annotated_images_are_learnt(lines: Callable[[], list[str]]) -> None:
    """From a database, as in MobileNet-YOLO."""
    with h5py.File("data.h5") as file:
        pictures, labels = file["data"][:], file["label"][:]
    records = []
    for picture, (row, *_) in zip(pictures[:, 0], labels[:, 0]):
        pixels = np.repeat((picture[:, :, None] * 100 + 100).astype(np.uint8), 3, 2)
        found = caffe_pb2.AnnotatedDatum(type=caffe_pb2.AnnotatedDatum.BBOX, datum=caffe_pb2.Datum.FromString(png(pixels, 0)))
        box = found.annotation_group.add(group_label=int(row[0]) + 1).annotation.add().bbox
        box.xmin, box.ymin, box.xmax, box.ymax = (float(v) for v in (*(row[1:3] - row[3:] / 2), *(row[1:3] + row[3:] / 2)))
        records.append(found.SerializeToString())
    write_database(Path("db"), records)
    Path("net.prototxt").write_text(
        'layer { name: "data" type: "AnnotatedData" top: "data" top: "label" data_param { source: "db" backend: LMDB batch_size: 64 }'
        " transform_param { scale: 0.01 mean_value: 100 mirror: true resize_param { height: 8 width: 12 } emit_constraint { } }"
        " annotated_data_param { yolo_data_type: 1 yolo_data_jitter: 0.1 } }" + NET[NET.index('layer { name: "conv"') :]
    )
    trained()
    losses = scores(lines())
    assert losses[1] < losses[0] / 2
