"""Writes the net and its solver by NetSpec: a small CaffeNet whose last layer has a number for each class."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

os.environ.setdefault("GLOG_minloglevel", "2")

import caffe
from caffe import layers as L
from caffe import params as P


def conv_relu(bottom: object, channels: int, kernel: int = 3) -> tuple[object, object]:
    """A convolution that keeps the size, and its ReLU."""
    conv = L.Convolution(
        bottom,
        num_output=channels,
        kernel_size=kernel,
        pad=kernel // 2,
        param=[{"lr_mult": 1, "decay_mult": 1}, {"lr_mult": 2, "decay_mult": 0}],
        weight_filler={"type": "msra"},
    )
    return conv, L.ReLU(conv, in_place=True)


def net(data_settings: dict[str, object], classes: int) -> str:
    """The net's prototxt, with the data layer in Python."""
    n = caffe.NetSpec()
    n.data, n.label = L.Python(
        module="pascal_multilabel_datalayers",
        layer="PascalMultilabelDataLayerSync",
        ntop=2,
        param_str=str(data_settings),
    )
    n.conv1, n.relu1 = conv_relu(n.data, 16, 5)
    n.pool1 = L.Pooling(n.relu1, pool=P.Pooling.MAX, kernel_size=3, stride=2)
    n.conv2, n.relu2 = conv_relu(n.pool1, 32)
    n.pool2 = L.Pooling(n.relu2, pool=P.Pooling.MAX, kernel_size=3, stride=2)
    n.conv3, n.relu3 = conv_relu(n.pool2, 48)
    n.pool3 = L.Pooling(n.relu3, pool=P.Pooling.MAX, kernel_size=3, stride=2)
    n.conv4, n.relu4 = conv_relu(n.pool3, 64)
    n.pool4 = L.Pooling(n.relu4, pool=P.Pooling.MAX, global_pooling=True)
    n.score = L.InnerProduct(n.pool4, num_output=classes, weight_filler={"type": "xavier"})
    n.loss = L.SigmoidCrossEntropyLoss(n.score, n.label)
    return str(n.to_proto())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="where the prototxts go")
    parser.add_argument("--pascal-root", required=True)
    parser.add_argument("--classes", required=True, help="separated by blanks")
    parser.add_argument("--size", type=int, default=64)
    parser.add_argument("--batch", type=int, default=32)
    options = parser.parse_args()
    classes = options.classes.split()
    settings: dict[str, object] = {
        "pascal_root": options.pascal_root,
        "classes": classes,
        "im_shape": [options.size, options.size],
        "batch_size": options.batch,
    }
    train = net(settings | {"split": "train", "seed": 1}, len(classes))
    (options.folder / "trainnet.prototxt").write_text(train)
    val = net(settings | {"split": "val"}, len(classes))
    (options.folder / "valnet.prototxt").write_text(val)


if __name__ == "__main__":
    main()
