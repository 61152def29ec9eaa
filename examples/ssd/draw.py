"""Draws the boxes that a net finds into pictures, eight of them as one JPEG.

    python draw.py --voc VOC --list test.txt --tested test.prototxt --labels labelmap.prototxt \
        deploy.prototxt weights.caffemodel boxes.jpg
"""

from __future__ import annotations

import argparse

import cv2
import numpy as np
from detect import Detection, Detector, label_names, listed_pictures

COLUMNS = 4
TILE = 200
"""Height and width of the place of one picture; its aspect ratio is kept."""
COLOURS = ((60, 60, 255), (60, 220, 60), (255, 140, 40), (0, 220, 255), (255, 80, 255))
"""BGR, by class."""


def draw(image: np.ndarray, detections: list[Detection], names: dict[int, str]) -> np.ndarray:
    """The picture in a tile, with its boxes, their classes and scores."""
    scale = (TILE - 4) / max(image.shape[:2])
    tile = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_CUBIC)
    for one in reversed(detections):
        colour = COLOURS[one.label % len(COLOURS)]
        xmin, ymin, xmax, ymax = (round(value * scale) for value in one.box)
        cv2.rectangle(tile, (xmin, ymin), (xmax, ymax), colour, 2)
        text = f"{names[one.label]} {one.score:.2f}"
        (width, height), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, 0.4, 1)
        left = min(max(xmin, 0), max(0, tile.shape[1] - width))
        bottom = max(ymin, height + 3)
        corner = (left, bottom - height - 3)
        cv2.rectangle(tile, corner, (left + width, bottom + 1), colour, -1)
        place = (left, bottom - 1)
        cv2.putText(tile, text, place, cv2.FONT_HERSHEY_SIMPLEX, 0.4, (0, 0, 0), 1, cv2.LINE_AA)
    framed = np.full((TILE, TILE, 3), 255, np.uint8)
    top = (TILE - tile.shape[0]) // 2
    left = (TILE - tile.shape[1]) // 2
    framed[top : top + tile.shape[0], left : left + tile.shape[1]] = tile
    return framed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model")
    parser.add_argument("weights")
    parser.add_argument("picture")
    parser.add_argument("--voc", required=True)
    parser.add_argument("--list", required=True)
    parser.add_argument("--tested", required=True)
    parser.add_argument("--labels", required=True)
    parser.add_argument("--threshold", type=float, default=0.4)
    options = parser.parse_args()
    detector = Detector(options.model, options.weights, options.tested)
    names = label_names(options.labels)
    tiles = []
    for image in listed_pictures(options.voc, options.list, 2 * COLUMNS):
        tiles.append(draw(image, detector.detect(image, options.threshold), names))
    rows = [np.hstack(tiles[first : first + COLUMNS]) for first in (0, COLUMNS)]
    cv2.imwrite(options.picture, np.vstack(rows), [cv2.IMWRITE_JPEG_QUALITY, 75])


if __name__ == "__main__":
    main()
