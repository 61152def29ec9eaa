"""How often the net is right on each label of the test pictures, and a picture of some of them.

Prints the share of right labels (one less the Hamming distance), and that of a net that says no to all.
"""

from __future__ import annotations

import argparse
import os

os.environ.setdefault("GLOG_minloglevel", "2")

import caffe
import cv2
import numpy as np
from pascal_multilabel_datalayers import MEAN, SCALE

SHOWN = 12
TEXT = 14  # pixels of a line


def caption(
    right: np.ndarray, said: np.ndarray, classes: list[str]
) -> list[tuple[str, tuple[int, ...]]]:
    """A line for each class that is there or was said, with its colour: green where both agree."""
    lines = []
    for name, there, named in zip(classes, right, said):
        if there and named:
            lines.append((name, (0, 110, 0)))
        elif there:
            lines.append((f"not {name}", (0, 0, 190)))
        elif named:
            lines.append((f"{name}?", (0, 0, 190)))
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("net")
    parser.add_argument("weights")
    parser.add_argument("--classes", required=True)
    parser.add_argument("--batches", type=int, default=10)
    parser.add_argument("--picture", required=True)
    options = parser.parse_args()
    classes = options.classes.split()
    net = caffe.Net(options.net, options.weights, caffe.TEST)
    right = []
    said = []
    pictures = []
    for _ in range(options.batches):
        net.forward()
        right.append(net.blobs["label"].data > 0.5)
        said.append(net.blobs["score"].data > 0)
        pictures.append(net.blobs["data"].data.copy())
    labels = np.concatenate(right)
    named = np.concatenate(said)
    shown = []
    for image, there, names in zip(np.concatenate(pictures)[:SHOWN], labels, named):
        image = (image.transpose(1, 2, 0) / SCALE + MEAN).clip(0, 255).astype(np.uint8)
        large = cv2.resize(image, (128, 128), interpolation=cv2.INTER_NEAREST)
        below = np.full((4 * TEXT, 128, 3), 255, np.uint8)
        for line, (text, colour) in enumerate(caption(there, names, classes)):
            place = (4, TEXT * (line + 1) - 3)
            cv2.putText(below, text, place, cv2.FONT_HERSHEY_SIMPLEX, 0.4, colour, 1, cv2.LINE_AA)
        shown.append(np.vstack([large, below]))
    rows = [np.hstack(shown[start : start + 6]) for start in range(0, len(shown) - 5, 6)]
    cv2.imwrite(options.picture, np.vstack(rows))
    print(f"{(labels == named).mean():.4f} {(~labels).mean():.4f}")


if __name__ == "__main__":
    main()
