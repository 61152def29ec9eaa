"""Sound files of all kinds, to be damaged."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import cv2
import numpy as np

from caffepy.data.stores import open_write
from caffepy.proto import caffe_pb2
from tests.contract.fuzz import seeds
from tests.report.logs import LOG

SOLVER = """net_param { name: "n"
layer { name: "d" type: "DummyData" top: "data" top: "label" dummy_data_param { shape { dim: 2 dim: 4 } shape { dim: 2 }
  data_filler { type: "gaussian" } data_filler { type: "constant" value: 1 } } }
layer { name: "ip" type: "InnerProduct" bottom: "data" top: "ip" inner_product_param { num_output: 3 weight_filler { type: "xavier" } } }
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "ip" bottom: "label" } }
base_lr: 0.01 momentum: 0.9 weight_decay: 0.001 lr_policy: "step" gamma: 0.1 stepsize: 2 max_iter: 8 random_seed: 3 snapshot_prefix: "s"
type: "SGD" test_iter: 1 test_interval: 4 display: 2 snapshot: 0 clip_gradients: 5 iter_size: 2 average_loss: 2
"""
SOLVERS = (
    SOLVER,
    """net: "net" test_iter: 1 test_interval: 2 base_lr: 0.1 lr_policy: "multistep" stepvalue: 3 stepvalue: 5 gamma: 0.5 max_iter: 9
    type: "Adam" momentum: 0.9 momentum2: 0.999 delta: 1e-8 solver_mode: CPU snapshot_format: HDF5 regularization_type: "L1" """,
    """train_net: "a" test_net: "b" test_net: "c" test_iter: 3 test_iter: 4 test_interval: 10 base_lr: 0.1 lr_policy: "poly" power: 1
    solver_type: NESTEROV momentum: 0.5 train_state { level: 1 stage: "a" } test_state { stage: "b" } test_state { } debug_info: true""",
    """net: "net" base_lr: 1 lr_policy: "sigmoid" gamma: 0.1 stepsize: 10 warmup_iter: 5 warmup_start_lr: 0.1 local_lr_auto: true""",
    """net: "net" base_lr: 1 lr_policy: "inv" gamma: 0.1 power: 0.7 rampup_interval: 5 larc: true max_iter: 4 min_lr: 0.001""",
    """net: "net" base_lr: 1 lr_policy: "plateau" gamma: 0.1 plateau_winsize: 5 eval_type: "detection" ap_version: "11point" """,
    """net: "net" base_lr: 1 lr_policy: "multifixed" stagelr: 0.1 stagelr: 0.2 stageiter: 3 stageiter: 6 max_iter: 4""",
)
LISTS = (
    b"a.png 1\nb.jpg 0\nsub/c with blank.png 3\n",
    b"a.png b.jpg\nb.jpg a.png\n",
    b"folder 10 1\nother 20 0\n",
    b"cat 1 a cat\ndog 2\nbird\n",
    b"a 6 8\nb 10 12\n",
)
WINDOWS = b"# 0\na.png\n3\n6\n6\n2\n1 0.9 0 0 3 3\n0 0.1 1 1 4 4\n# 1\nb.png\n3\n6\n6\n1\n2 0.8 0 0 5 5\n"
LABEL_MAP = b'item { name: "none" label: 0 display_name: "background" }\nitem { name: "cat" label: 1 }\nitem { name: "dog" label: 2 }\n'
XML = b"""<annotation><folder>f</folder><size><width>6</width><height>8</height><depth>3</depth></size>
<object><name>cat</name><difficult>0</difficult><bndbox><xmin>1</xmin><ymin>2</ymin><xmax>3</xmax><ymax>4</ymax></bndbox></object>
<object><name>dog</name><bndbox><xmin>0</xmin><ymin>0</ymin><xmax>5</xmax><ymax>7</ymax></bndbox></object></annotation>
"""
JSON = json.dumps(
    {
        "image": {"height": 8, "width": 6, "file_name": "a.png"},
        "annotation": [{"category_id": "cat", "bbox": [1, 2, 3, 4], "iscrowd": 0}, {"category_id": "dog", "bbox": [0, 0.5, 2, 2]}],
    }
).encode()
BOXES = b"1 0 1 2 3\n2 1 1 4 5\n"
MACHINES = (
    b"# ours\nhost1 slots=2 max_slots=4\nhost2:3\n10.0.0.3 slots=1\n",
    b"0 192.168.0.1 9999\n1 192.168.0.2 9999\n2 192.168.0.2 10000\n",
    b"a\nb\na\n",
)
SPECS = (b"2x2,100mbit", b"4x1,10gbe,cores=2,processor=3ns", b"8x8,ib-edr", b"16x4,1gbit,50us")
COMMANDS = (
    "train -solver solver -weights a.caffemodel,b.caffemodel -gpu 0,1 -sigint_effect stop -metrics m.json",
    "train --solver=solver --snapshot=s_iter_1.solverstate -ranks 2 -exchange ps -table_staleness 1 -compress bf16",
    "test -model net -weights w.caffemodel -iterations 10 -gpu all -level 1 -stage a,b",
    "time -model net -iterations 5 -phase TRAIN -cluster 2x2,100mbit",
    "convert_imageset -resize_height 32 -resize_width=32 -shuffle -gray -encode_type png images/ list db",
    "compute_image_mean -backend lmdb db mean.binaryproto",
    "convert_annoset -anno_type detection -label_map_file map -min_dim 3 -check_label images/ list db",
    "extract_features w.caffemodel net fc7,prob a,b 10 lmdb GPU 0",
    "summary net -shape data=1,3,8,8",
    "draw_net net net.png --rankdir LR --phase ALL",
    "parse_log train.log out --verbose",
    "export net -weights w.caffemodel -onnx out.onnx",
    "-v=1 -log_dir logs -logtostderr train -solver solver",
    "--flagfile=flags test",
    "upgrade_net_proto_text old new",
)

FLAGFILE = b"# ours\n--solver=solver\n-gpu 0\n--noshuffle\n-v=1\n\n--flagfile=other\nweights\n"


def fill(folder: Path) -> None:
    """The files of the fuzz tests, and the rest; the sound ones keep their names."""
    seeds.fill(folder)
    write_leveldb(folder / "leveldb")
    picture = np.random.default_rng(0).integers(0, 256, (8, 6, 3), np.uint8)
    for name, image in (
        ("a.png", picture),
        ("b.jpg", picture),
        ("gray.png", picture[:, :, 0]),
        ("deep.png", picture.astype(np.uint16) * 257),
    ):
        cv2.imwrite(str(folder / name), image)
    for name in ("c.bmp", "c.tiff", "c.webp", "c.ppm"):
        cv2.imwrite(str(folder / name), picture)
    pixels = np.random.default_rng(1).integers(0, 256, (3, 5, 4), np.uint8)
    (folder / "idx3").write_bytes(struct.pack(">4i", 2051, 3, 5, 4) + pixels.tobytes())
    (folder / "idx1").write_bytes(struct.pack(">2i", 2049, 3) + bytes((1, 2, 3)))
    (folder / "log").write_text(LOG)
    (folder / "solver").write_text(SOLVER)
    states(folder)


def write_leveldb(path: Path) -> None:
    """Three records."""
    with open_write(str(path), "leveldb") as writer:
        for i in range(3):
            writer.put(b"%08d" % i, caffe_pb2.Datum(channels=3, height=6, width=6, data=bytes(108), label=i).SerializeToString())


def states(folder: Path) -> None:
    """Snapshots of the solver ``SOLVER`` after one iteration, in both formats, with their model."""
    from caffepy.solver.solver import Solver

    solver = Solver.from_file(str(folder / "solver"), engine="layerwise")
    solver.step(1)
    solver.snapshot()
    solver.param.snapshot_format = solver.param.HDF5
    solver.snapshot()
    solver.close()


def datums() -> list[bytes]:
    """Records: raw, of floats, encoded; one with boxes."""
    picture = cv2.imencode(".png", np.zeros((4, 4, 3), np.uint8))[1].tobytes()
    jpeg = cv2.imencode(".jpg", np.zeros((4, 4, 3), np.uint8))[1].tobytes()
    found = [
        caffe_pb2.Datum(channels=3, height=4, width=4, data=bytes(48), label=1),
        caffe_pb2.Datum(channels=1, height=2, width=2, float_data=[0.5, 1, 2, 3], label=2),
        caffe_pb2.Datum(data=picture, encoded=True, label=3),
        caffe_pb2.Datum(data=jpeg, encoded=True),
    ]
    return [datum.SerializeToString() for datum in found]


def blobs(folder: Path) -> list[bytes]:
    """Means and matrices, of both forms of shapes."""
    legacy = caffe_pb2.BlobProto(num=1, channels=1, height=2, width=2, data=[1, 2, 3, 4])
    return [
        (folder / "mean").read_bytes(),
        legacy.SerializeToString(),
        caffe_pb2.BlobProto(double_data=[1, 2], shape={"dim": [2]}).SerializeToString(),
    ]
