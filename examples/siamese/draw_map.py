"""Where a trained siamese net puts the test digits, as a picture; prints how many lie next to their digit's mean.

The means are those of the training digits.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

os.environ.setdefault("GLOG_minloglevel", "2")

import caffe
import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

NET = Path(__file__).with_name("mnist_siamese.prototxt")


def read_idx(path: Path) -> np.ndarray:
    """The values of a file in MNIST's format."""
    raw = path.read_bytes()
    axes = raw[3]
    shape = np.frombuffer(raw, ">i4", axes, offset=4)
    return np.frombuffer(raw, np.uint8, offset=4 + 4 * axes).reshape(shape)


def features(net: caffe.Net, pictures: np.ndarray) -> np.ndarray:
    """The net's two numbers for each picture."""
    net.blobs["data"].reshape(len(pictures), 1, 28, 28)
    net.blobs["data"].data[...] = pictures[:, None] / 256.0
    return net.forward()["feat"].copy()


def nearest_mean(train: np.ndarray, labels: np.ndarray, test: np.ndarray) -> np.ndarray:
    """The label of the mean, of the points of `train`, that is nearest to each point of `test`."""
    kinds = np.unique(labels)
    means = np.stack([train[labels == kind].mean(axis=0) for kind in kinds])
    distances = ((test[:, None] - means) ** 2).sum(axis=2)
    return kinds[distances.argmin(axis=1)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("digits", type=Path)
    parser.add_argument("--weights", required=True)
    parser.add_argument("--picture", required=True)
    options = parser.parse_args()
    net = caffe.Net(str(NET), options.weights, caffe.TEST)
    points = {}
    labels = {}
    for name in ("train", "t10k"):
        pictures = read_idx(options.digits / f"{name}-images-idx3-ubyte")[:5000]
        points[name] = features(net, pictures)
        labels[name] = read_idx(options.digits / f"{name}-labels-idx1-ubyte")[:5000]
    chosen = nearest_mean(points["train"], labels["train"], points["t10k"])
    figure, axes = plt.subplots(figsize=(7, 6))
    for digit in range(10):
        x, y = points["t10k"][labels["t10k"] == digit].T
        axes.plot(x, y, ".", markersize=4, label=str(digit), color=plt.cm.tab10(digit))
    axes.legend(title="digit", markerscale=3, loc="center left", bbox_to_anchor=(1, 0.5))
    axes.set_title("test digits, by the siamese net's two features")
    figure.savefig(options.picture, dpi=100, bbox_inches="tight")
    print(f"{(chosen == labels['t10k']).mean():.4f}")


if __name__ == "__main__":
    main()
