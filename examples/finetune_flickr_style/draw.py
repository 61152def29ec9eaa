"""Test pictures with their style and what the fine-tuned net says, as a picture."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

os.environ.setdefault("GLOG_minloglevel", "2")

import caffe
import cv2
import numpy as np
from make_data import STYLES

COLUMNS = 8
LARGE = 96


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--iterations", type=int, required=True)
    parser.add_argument("--picture", required=True)
    options = parser.parse_args()
    weights = options.folder / f"finetuned_iter_{options.iterations}.caffemodel"
    net = caffe.Net(str(options.folder / "train_val.prototxt"), str(weights), caffe.TEST)
    net.forward()
    shown = []
    scores = net.blobs["fc8_flickr"].data
    for image, label, said in zip(
        net.blobs["data"].data, net.blobs["label"].data, scores.argmax(axis=1)
    ):
        pixels = (image.transpose(1, 2, 0) * 128 + 128).clip(0, 255).astype(np.uint8)
        large = cv2.resize(pixels, (LARGE, LARGE), interpolation=cv2.INTER_NEAREST)
        below = np.full((16, LARGE, 3), 255, np.uint8)
        right = int(label) == said
        text = STYLES[said] if right else f"{STYLES[said]} ({STYLES[int(label)]})"
        colour = (0, 110, 0) if right else (0, 0, 190)
        scale = 0.36 if right else 0.25
        cv2.putText(below, text, (3, 11), cv2.FONT_HERSHEY_SIMPLEX, scale, colour, 1, cv2.LINE_AA)
        shown.append(np.vstack([large, below]))
    whole = len(shown) // COLUMNS * COLUMNS
    rows = [
        np.hstack(shown[start : start + COLUMNS]) for start in range(0, min(whole, 24), COLUMNS)
    ]
    cv2.imwrite(options.picture, np.vstack(rows))


if __name__ == "__main__":
    main()
