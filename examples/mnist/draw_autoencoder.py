"""Test digits, and what the autoencoder makes of them, as a picture.

Prints the squared error as a share of that of the mean picture.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

os.environ.setdefault("GLOG_minloglevel", "2")

import caffe
import cv2
import numpy as np

BATCHES = 10
SHOWN = 20
ENLARGED = 2


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--weights", required=True)
    parser.add_argument("--picture", required=True)
    options = parser.parse_args()
    net = caffe.Net(
        str(options.folder / "mnist_autoencoder.prototxt"),
        caffe.TEST,
        weights=options.weights,
        stages=["test-on-test"],
    )
    pictures = []
    returned = []
    for _ in range(BATCHES):
        net.forward()
        pictures.append(net.blobs["flatdata"].data.copy())
        returned.append(net.blobs["decode1neuron"].data.copy())
    before = np.concatenate(pictures)
    after = np.concatenate(returned)
    rows = [values[:SHOWN].reshape(SHOWN, 28, 28) for values in (before, after)]
    picture = np.vstack([np.hstack(list(row)) for row in rows])
    large = cv2.resize(picture, None, fx=ENLARGED, fy=ENLARGED, interpolation=cv2.INTER_NEAREST)
    cv2.imwrite(options.picture, np.round(large * 255).astype(np.uint8))
    mean = before.mean(axis=0)
    print(f"{((after - before) ** 2).sum() / ((mean - before) ** 2).sum():.4f}")


if __name__ == "__main__":
    main()
