"""What both nets say of the plane of the two numbers that matter, with test points, as a picture."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

os.environ.setdefault("GLOG_minloglevel", "2")

import caffe
import h5py
import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

GRID = np.linspace(-3, 3, 100, dtype=np.float32)


def chances(net: caffe.Net, points: np.ndarray) -> np.ndarray:
    """The chance of class 1 for each point, by the net's layers behind its data."""
    layers = list(net._layer_names)
    blob = net.blobs["data"]
    batch = blob.data.shape[0]
    top = net.bottom_names["loss"][0]
    found = []
    for start in range(0, len(points), batch):
        blob.data[...] = points[start : start + batch]
        net.forward(start=layers[layers.index("fc1")], end=layers[layers.index("loss")])
        scores = net.blobs[top].data
        found.append(1 / (1 + np.exp(scores[:, 0] - scores[:, 1])))
    return np.concatenate(found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--iterations", type=int, required=True)
    parser.add_argument("--picture", required=True)
    options = parser.parse_args()
    with h5py.File(options.folder / "data/test_0.h5") as file:
        points = file["data"][:400]
        classes = file["label"][:400]
    x, y = np.meshgrid(GRID, GRID)
    plane = np.zeros((x.size, 4), np.float32)
    plane[:, 0] = x.ravel()
    plane[:, 1] = y.ravel()
    figure, panels = plt.subplots(1, 2, figsize=(9, 4))
    for panel, name in zip(panels, ("train_val", "nonlinear_train_val")):
        weights = options.folder / f"{name}_iter_{options.iterations}.caffemodel"
        net = caffe.Net(str(options.folder / f"{name}.prototxt"), str(weights), caffe.TEST)
        map_of_chances = chances(net, plane).reshape(x.shape)
        panel.contourf(x, y, map_of_chances, levels=np.linspace(0, 1, 11), cmap="coolwarm")
        for kind, colour in ((0, "navy"), (1, "darkred")):
            chosen = points[classes == kind]
            panel.plot(chosen[:, 0], chosen[:, 1], ".", color=colour, markersize=4)
        panel.set(xlim=(-3, 3), ylim=(-3, 3))
    panels[0].set_title("logistic regression")
    panels[1].set_title("with a hidden layer")
    figure.savefig(options.picture, dpi=90, bbox_inches="tight")


if __name__ == "__main__":
    main()
