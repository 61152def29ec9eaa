"""Sound files that the fuzz tests start from."""

from __future__ import annotations

from pathlib import Path

import cv2
import h5py
import lmdb
import numpy as np

from caffepy.proto import caffe_pb2, weights

GOLDEN = Path(__file__).resolve().parents[2] / "golden"
ELSEWHERE = ("Data", "HDF5Data", "HDF5Output", "ImageData", "InfogainLoss", "MemoryData", "Python", "WindowData")
"""Types whose recorded nets read or write files, or Python modules, of their own."""
DATA = [
    """
layer { name: "d" type: "Data" top: "data" top: "label" data_param { source: "db" backend: LMDB batch_size: 2 rand_skip: 3 prefetch: 2 }
  transform_param { scale: 0.5 mirror: true crop_size: 4 mean_value: 1 } }
""",
    """
layer { name: "d" type: "Data" top: "data" data_param { source: "db" backend: LMDB batch_size: 2 }
  transform_param { mean_file: "mean" force_gray: false } }
""",
    """
layer { name: "d" type: "ImageData" top: "data" top: "label" image_data_param { source: "images" batch_size: 2 new_height: 6
  new_width: 6 shuffle: true rand_skip: 1 root_folder: "" is_color: true } transform_param { crop_size: 4 } }
""",
    """
layer { name: "d" type: "HDF5Data" top: "data" top: "label" hdf5_data_param { source: "h5" batch_size: 2 shuffle: true } }
""",
    """
layer { name: "d" type: "WindowData" top: "data" top: "label" window_data_param { source: "windows" batch_size: 4 fg_threshold: 0.5
  bg_threshold: 0.5 fg_fraction: 0.25 context_pad: 1 crop_mode: "warp" } transform_param { crop_size: 4 } }
""",
    """
layer { name: "d" type: "DummyData" top: "data" top: "label" dummy_data_param { shape { dim: 2 dim: 3 dim: 6 dim: 6 } shape { dim: 2 }
  data_filler { type: "gaussian" std: 1 } data_filler { type: "constant" value: 1 } } }
""",
]
READER = """
layer { name: "conv" type: "Convolution" bottom: "data" top: "conv" param { name: "w" lr_mult: 1 decay_mult: 1 } param { lr_mult: 2 }
  convolution_param { num_output: 4 kernel_size: 3 pad: 1 stride: 1 group: 1
    weight_filler { type: "xavier" } bias_filler { type: "constant" } } }
layer { name: "relu" type: "ReLU" bottom: "conv" top: "conv" relu_param { negative_slope: 0.1 }
  include { phase: TEST stage: "a" not_stage: "a" } }
layer { name: "pool" type: "Pooling" bottom: "conv" top: "pool" pooling_param { pool: MAX kernel_size: 2 stride: 2 } }
layer { name: "ip" type: "InnerProduct" bottom: "pool" top: "ip" inner_product_param { num_output: 3 axis: 1 } }
layer { name: "prob" type: "Softmax" bottom: "ip" top: "prob" exclude { phase: TRAIN } }
"""
V1 = """
input: "data" input_dim: 2 input_dim: 3 input_dim: 6 input_dim: 6
layers { name: "conv" type: CONVOLUTION bottom: "data" top: "conv" convolution_param { num_output: 4 kernel_size: 3 }
  blobs_lr: 1 blobs_lr: 2 weight_decay: 1 param: "w" blob_share_mode: STRICT }
layers { name: "pool" type: POOLING bottom: "conv" top: "pool" pooling_param { pool: AVE kernel_size: 2 } loss_weight: 1 }
"""
V0 = """
input: "data" input_dim: 2 input_dim: 3 input_dim: 6 input_dim: 6
layers { layer { name: "pad" type: "padding" pad: 1 } bottom: "data" top: "pad" }
layers { layer { name: "conv" type: "conv" num_output: 4 kernelsize: 3 stride: 1 group: 1 biasterm: true } bottom: "pad" top: "conv" }
layers { layer { name: "norm" type: "lrn" local_size: 3 alpha: 0.1 beta: 0.75 } bottom: "conv" top: "norm" }
"""


def nets() -> list[str]:
    """Small nets of every layer type but those of users' own modules, of every data layer, and of every old format.

    Nets with inputs run on the reference engine; a third of them stands here once more with made-up data, which the fast one runs.
    """
    layers = [path for path in sorted(GOLDEN.glob("layers/*/*/net.prototxt")) if path.parts[-3] not in ELSEWHERE]
    found = [path.read_text() for path in (*layers, *sorted(GOLDEN.glob("nets/*/net.prototxt")))]
    made_up = [text.replace('"Input"', '"DummyData"').replace("input_param", "dummy_data_param") for text in found[::3]]
    return [*found, *made_up, *(data + READER for data in DATA), V1, V0]


def trained() -> caffe_pb2.NetParameter:
    """Weights for the layers ``conv`` and ``ip`` of ``READER``."""
    net = caffe_pb2.NetParameter(name="n")
    for name, shapes in (("conv", ((4, 3, 3, 3), (4,))), ("ip", ((3, 36), (3,)))):
        layer = net.layer.add(name=name)
        for shape in shapes:
            layer.blobs.add(data=np.linspace(-1, 1, int(np.prod(shape))), shape=caffe_pb2.BlobShape(dim=shape))
    return net


def fill(folder: Path) -> None:
    """The files that ``DATA`` names; weights as ``w.caffemodel`` and ``w.h5``; and ``other.caffemodel``, which fits every net."""
    picture = np.arange(6 * 6 * 3, dtype=np.uint8).reshape(6, 6, 3)
    with lmdb.open(str(folder / "db"), map_size=1 << 20) as env, env.begin(write=True) as txn:
        for i in range(3):
            datum = caffe_pb2.Datum(channels=3, height=6, width=6, data=picture.tobytes(), label=i)
            txn.put(b"%08d" % i, datum.SerializeToString())
    weights.write_blob(folder / "mean", np.full((1, 3, 6, 6), 2, np.float32))
    cv2.imwrite(str(folder / "a.png"), picture)
    (folder / "images").write_text("a.png 1\na.png 0\n")
    (folder / "windows").write_text("# 0\na.png\n3\n6\n6\n2\n1 0.9 0 0 3 3\n0 0.1 1 1 4 4\n")
    with h5py.File(folder / "data.h5", "w") as file:
        file["data"], file["label"] = np.zeros((3, 3, 6, 6), np.float32), np.arange(3, dtype=np.float32)
    (folder / "h5").write_text("data.h5\n")
    (folder / "other.caffemodel").write_bytes(caffe_pb2.NetParameter(name="n", layer=[{"name": "of no net"}]).SerializeToString())
    net = trained()
    (folder / "w.caffemodel").write_bytes(net.SerializeToString())
    arrays = [[np.array(blob.data, np.float32).reshape(tuple(blob.shape.dim)) for blob in layer.blobs] for layer in net.layer]
    weights.write_net_hdf5(folder / "w.h5", [(layer.name, blobs) for layer, blobs in zip(net.layer, arrays)])
