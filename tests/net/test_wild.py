"""Real nets of many people: every one that BVLC Caffe builds is built.

What only a fork has is named with its fork.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from caffepy.errors import CaffeError
from caffepy.layers.core.base import Shape
from caffepy.net import compile
from caffepy.proto import caffe_pb2
from caffepy.proto.text import read_net
from caffepy.report.offline import FORKS, assumed_shapes

TRAIN, TEST = 0, 1
PICTURES = [(3, 224), (3, 32), (1, 28), (3, 227), (2, 28)]
"""Channels and size of pictures, if a net does not tell."""
STAGES = {
    "bvlc-pr/lrcn_captioning": ["freeze-convnet", "factored", "2-layer", "test-on-train"],
    "v1/mnist_autoencoder_v1": ["test-on-train"],
    "nv/detectnet_kitti": ["val"],
}
FED: dict[str, dict[str, Shape]] = {
    "bvlc-pr/xor_net": {"data": (4, 2)},
    "bvlc-pr/ctc_dummy_blstm": {"data": (40, 3, 5), "seq_ind": (40, 3), "labels": (8, 3)},
    "bvlc-pr/warpctc_captcha_lstm": {"data": (512, 1, 40, 128), "label": (512, 6)},
    "bvlc-pr/warpctc_crnn": {"data": (64, 1, 32, 128), "label": (64, 6)},
    "bvlc-pr/lrcn_captioning": {
        "cont_sentence": (20, 100),
        "input_sentence": (20, 100),
        "target_sentence": (20, 100),
        "data": (100, 3, 227, 227),
    },
    "bvlc-pr/lrcn_activity_lstm": {
        "data": (384, 3, 227, 227),
        "label": (16, 24),
        "clip_markers": (16, 24),
    },
    "fcn/nyud_fcn32s_color_hha": {
        "color": (1, 3, 40, 50),
        "hha": (1, 3, 40, 50),
        "label": (1, 1, 40, 50),
    },
    "hed/hed_train_val": {"data": (1, 3, 40, 50), "label": (1, 1, 40, 50)},
    "nv/detectnet_kitti": {"data": (10, 3, 384, 1248), "label": (10, 1, 65, 16)},
    "fcn/voc_fcn_alexnet_val": {"data": (1, 3, 40, 50), "label": (1, 1, 40, 50)},
}
"""Shapes of tops that users' own modules or files make."""
ONE_PHASE = {
    "bvlc-pr/lrcn_activity_lstm",
    "nv/ssd_sfd_train",
    "nv/ssd300_coco_train",
    "intel/ssd_vgg_voc0712_train",
    "soeaver/psp_air101_train_scale_factors",
}
"""The TEST net of the first has inputs of another shape, those of the others have no data."""
REFUSED = {
    "netscope/1D_lstm": "2:1: 2 input field(s) but 1 input_shape; needed: one input_shape, or four input_dim, for each input",
    "netscope/squeezenet_v11": "628:1: layer 'loss' (SoftmaxWithLoss): takes 2 bottom blob(s), 1 given",
    "netscope/inceptionv4_resnet": "7302:1: layer 'loss' (SoftmaxWithLoss): takes 2 bottom blob(s), 1 given",
    "netscope/zynqnet": "622:1: layer 'loss' (SoftmaxWithLoss): takes 2 bottom blob(s), 1 given",
    "v1/vgg16_v1_v2_mixed": "16:1: layer 'conv1_1': Refusing to upgrade inconsistent NetParameter input",
}
"""These follow the schema, and Caffe refuses them all the same."""


class Source:
    """Stands for a data layer's source: the shapes that its settings ask for, or else pictures of ``picture``."""

    def __init__(self, layer: Any, fed: dict[str, Shape], picture: tuple[int, int]) -> None:
        param, channels = layer.param, picture[0]
        own = {
            "Data": "data_param",
            "ImageData": "image_data_param",
            "HDF5Data": "hdf5_data_param",
            "WindowData": "window_data_param",
        }
        settings = getattr(param, own.get(param.type, "memory_data_param"))
        size = param.transform_param.crop_size or getattr(settings, "new_height", 0) or picture[1]
        first: Shape = (settings.batch_size, channels, size, size)
        if param.type == "MemoryData":
            first = (settings.batch_size, settings.channels, settings.height, settings.width)
        if param.type in FORKS:
            self.shapes = list(
                assumed_shapes(param) or (fed[top] for top in param.top if top in fed)
            )
            return
        self.shapes = [
            fed.get(top, (settings.batch_size,) if i else first) for i, top in enumerate(param.top)
        ]


def without_python(net: Any, fed: dict[str, Shape]) -> Any:
    """Layers of users' modules become inputs of the given shapes, or a loss."""
    for layer in net.layer:
        if layer.type != "Python" or layer.python_param.module.startswith("caffe."):
            continue
        if len(layer.bottom) == 2:
            layer.type = "EuclideanLoss"
        elif fed:
            layer.type = "Input"
            layer.input_param.shape.extend(caffe_pb2.BlobShape(dim=fed[top]) for top in layer.top)
    return net


def build(path: Path, key: str) -> None:
    """In both phases, with the first kind of picture that fits."""
    net, places = read_net(path)
    fed = FED.get(key, {})
    for phase in (TRAIN,) if key in ONE_PHASE else (TRAIN, TEST):
        message = without_python(net, fed)
        message.state.phase = phase
        message.state.stage.extend(STAGES.get(key, []))
        met: CaffeError | None = None
        for picture in PICTURES:
            try:
                compile(
                    message,
                    where=places.where,
                    opener=lambda layer, picture=picture: Source(layer, fed, picture),
                )
            except CaffeError as error:
                met = met or error
            else:
                break
        else:
            assert met is not None
            raise met


def rows(shared: Path) -> Iterator[tuple[str, dict[str, str], Path]]:
    with open(shared / "wild/prototxt/INDEX.tsv", encoding="utf-8") as index:
        for row in csv.DictReader(index, delimiter="\t", quoting=csv.QUOTE_NONE):
            if row["kind"] == "net":
                yield (
                    row["file"].removeprefix("prototxt/").removesuffix(".prototxt"),
                    row,
                    shared / "wild" / row["file"],
                )


def test_nets_of_bvlc_caffe(shared: Path) -> None:
    built = 0
    for key, row, path in rows(shared):
        if "fork" in row["dialect"] or row["BVLC 1.0 protoc verdict"] != "parses":
            continue
        if key in REFUSED:
            with pytest.raises(CaffeError, match=re.escape(f"{path}:{REFUSED[key]}")):
                build(path, key)
        else:
            build(path, key)
            built += 1
    assert built > 60


NO_FORK = {
    "bvlc-pr/crfrnn_traintest_quoted_v1_types": "4:9: layer 'data_rgb' (Data): enum 'caffe.V1LayerParameter.LayerType' ",
    "bvlc-pr/gan_discriminator_mnist_comma": "6:3: layer 'disc_label' (Input): message 'caffe.LayerParameter' has no field 'input_shape'",
    "bvlc-pr/lenet_module_template_dollar": "9:17: layer 'conv' (CONVOLUTION): expected an integer, found $",
    "nv/alexnet_bn_train_val2_fp16": "57:1: layer 'conv1' (Convolution): top 0 has shape (8192, 96, 55, 55), 2378956800 elements",
    "mobilenet-ssd/train_template_placeholders": "2527:17: layer 'conv11_mbox_conf_new' (Convolution): expected an integer, found cls3x",
}
"""What is met first is no fork's."""


def test_nets_of_forks(shared: Path) -> None:
    built = told = 0
    for key, row, path in rows(shared):
        if "fork" not in row["dialect"]:
            continue
        try:
            build(path, key)
        except CaffeError as error:
            said = str(error)
        else:
            built += 1
            continue
        assert "\n" not in said
        if key in NO_FORK:
            assert said.startswith(f"{path}:{NO_FORK[key]}")
        else:
            assert re.match(
                rf"{re.escape(str(path))}:\d+:\d+: (layer '[^']*' \(\w+\): )?.*( \(fork: \S.*\)|cannot be imported)",
                said,
            ), said
            told += 1
    assert built > 0
    assert told > 20
