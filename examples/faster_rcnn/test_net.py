"""Detects in the pictures of cfg.TEST.IMAGE_SET: average precisions, and some pictures with boxes.

    RCNN_CFG=settings.yml python test_net.py WEIGHTS test.prototxt --picture boxes.png

Of several nets with the same weights each is tested, and the last draws.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import caffe
import cv2
import numpy as np

from datasets.pascal_voc import Entry, read_set
from fast_rcnn.config import cfg
from fast_rcnn.test import average_precisions, test_net

COLOURS = ((60, 60, 255), (80, 220, 80), (255, 140, 40), (0, 220, 255))  # BGR
COLUMNS = 4
ROWS = 2
SIDE = 200


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("weights")
    parser.add_argument("nets", nargs="+", metavar="net")
    parser.add_argument("--picture", help="write a picture with the boxes found")
    parser.add_argument("--least", type=float, default=0.5, help="the least score to draw")
    options = parser.parse_args()
    entries = read_set(cfg.DATA, cfg.TEST.IMAGE_SET, cfg.CLASSES)
    for path in options.nets:
        net = caffe.Net(path, caffe.TEST, weights=options.weights)
        found = test_net(net, entries)
        precisions = average_precisions(found, entries)
        for name, value in precisions.items():
            print(f"{path}: AP {name} {value:.4f}", flush=True)
        print(f"{path}: mAP {np.mean(list(precisions.values())):.4f}", flush=True)
    if options.picture:
        cv2.imwrite(options.picture, draw(entries, found, options.least))


def draw(
    entries: Sequence[Entry], found: Sequence[Sequence[np.ndarray]], least: float
) -> np.ndarray:
    """The first pictures with their boxes, in a grid."""
    tiles = []
    for entry, by_class in list(zip(entries, found))[: COLUMNS * ROWS]:
        tiles.append(tile(entry.read(), by_class, least))
    while len(tiles) < COLUMNS * ROWS:
        tiles.append(np.full((SIDE, SIDE, 3), 255, np.uint8))
    rows = [np.hstack(tiles[i : i + COLUMNS]) for i in range(0, len(tiles), COLUMNS)]
    return np.vstack(rows)


def tile(image: np.ndarray, by_class: Sequence[np.ndarray], least: float) -> np.ndarray:
    """One picture with its boxes, names and scores, on a square."""
    scale = SIDE / max(image.shape[:2])
    image = cv2.resize(image, None, fx=scale, fy=scale)
    boxes = []
    for label, found in enumerate(by_class):
        for *corners, score in found[found[:, 4] >= least]:
            boxes.append((score, label, [round(float(value) * scale) for value in corners]))
    boxes.sort(key=lambda box: box[0])  # the best lie on top
    for _, label, corners in boxes:
        cv2.rectangle(image, corners[:2], corners[2:], colour(label), 2)
    for score, label, corners in boxes:
        label_box(image, corners[:2], f"{cfg.CLASSES[label - 1]} {score:.2f}", colour(label))
    square = np.full((SIDE, SIDE, 3), 255, np.uint8)
    square[: image.shape[0], : image.shape[1]] = image[:SIDE, :SIDE]
    return square


def colour(label: int) -> tuple[int, int, int]:
    """The colour of a class, BGR."""
    return COLOURS[(label - 1) % len(COLOURS)]


def label_box(
    image: np.ndarray, corner: Sequence[int], text: str, colour: tuple[int, int, int]
) -> None:
    """Write text on a bar above a corner, or below where there is no room."""
    (width, height), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, 0.35, 1)
    x = min(corner[0], image.shape[1] - width)
    y = max(corner[1], height + 4)
    cv2.rectangle(image, (x, y - height - 4), (x + width, y), colour, -1)
    cv2.putText(image, text, (x, y - 3), cv2.FONT_HERSHEY_SIMPLEX, 0.35, (0, 0, 0), 1, cv2.LINE_AA)


if __name__ == "__main__":
    main()
