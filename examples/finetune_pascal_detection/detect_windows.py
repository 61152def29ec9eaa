"""The detector of windows on test pictures: mean average precision, and a picture of what it found.

Reads a window file: its windows are classified, those whose overlap is 1 are the objects.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from pathlib import Path

os.environ.setdefault("GLOG_minloglevel", "2")

import caffe
import cv2
import numpy as np
from datasets.pascal_voc import Entry
from datasets.voc_eval import voc_eval
from fast_rcnn.bbox_transform import nms
from shapes import KINDS

SHOWN = 10
COLOURS = ((0, 0, 255), (0, 160, 0), (255, 0, 0), (200, 0, 200))
CONTEXT = 4  # as window_data_param.context_pad


def read_windows(path: Path) -> Iterator[tuple[str, np.ndarray]]:
    """For each picture its path and its rows (W, 6): class, overlap, x1, y1, x2, y2."""
    lines = iter(path.read_text().splitlines())
    for line in lines:
        if not line.startswith("#"):
            raise ValueError(f"{path}: {line!r} is no beginning of a picture, '# NUMBER'")
        image = next(lines)
        for _ in range(3):  # channels, height, width
            next(lines)
        count = int(next(lines))
        rows = [[float(value) for value in next(lines).split()] for _ in range(count)]
        yield image, np.array(rows)


def entry(image: str, rows: np.ndarray) -> Entry:
    """The objects of a picture, each once."""
    objects = np.unique(rows[rows[:, 1] == 1], axis=0)
    none = np.zeros(len(objects), bool)
    return Entry(Path(image), 0, objects[:, 2:], objects[:, 0].astype(int), none)


def detect(detector: caffe.Detector, image: str, boxes: np.ndarray) -> list[np.ndarray]:
    """For each class (D, 5), boxes and chances, none overlapping a better one by over 0.3."""
    windows = boxes[:, [1, 0, 3, 2]]  # as caffe.Detector has them: ymin, xmin, ymax, xmax
    found = detector.detect_windows([(image, windows)])
    chances = np.stack([each["prediction"] for each in found])
    detections = []
    for label in range(1, len(KINDS) + 1):
        scored = np.column_stack([boxes, chances[:, label]])
        scored = scored[chances[:, label] > 0.05]
        detections.append(scored[nms(scored, 0.3)])
    return detections


def draw(image: str, detections: list[np.ndarray]) -> np.ndarray:
    """The picture, enlarged, with the boxes whose chance is above a half."""
    large = cv2.resize(cv2.imread(image), None, fx=1.25, fy=1.25)
    for name, colour, found in zip(KINDS, COLOURS, detections):
        for x1, y1, x2, y2, chance in found[found[:, 4] > 0.5]:
            corners = [(int(1.25 * x), int(1.25 * y)) for x, y in ((x1, y1), (x2, y2))]
            cv2.rectangle(large, *corners, colour, 1)
            place = (corners[0][0], max(corners[0][1] - 2, 8))
            text = f"{name} {chance:.2f}"
            cv2.putText(large, text, place, cv2.FONT_HERSHEY_SIMPLEX, 0.33, colour, 1, cv2.LINE_AA)
    return large


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("windows", type=Path)
    parser.add_argument("deploy")
    parser.add_argument("weights")
    parser.add_argument("--picture", required=True)
    options = parser.parse_args()
    detector = caffe.Detector(
        options.deploy,
        options.weights,
        mean=np.full(3, 128.0),
        input_scale=1 / 128,
        raw_scale=255,
        channel_swap=(2, 1, 0),
        context_pad=CONTEXT,
    )
    entries = []
    found = []
    shown = []
    for image, rows in read_windows(options.windows):
        entries.append(entry(image, rows))
        found.append(detect(detector, image, rows[:, 2:]))
        if len(shown) < SHOWN:
            shown.append(draw(image, found[-1]))
    rows = [np.hstack(shown[start : start + 5]) for start in range(0, len(shown) - 4, 5)]
    cv2.imwrite(options.picture, np.vstack(rows or shown))
    precisions = []
    for label in range(1, len(KINDS) + 1):
        precisions.append(voc_eval([each[label - 1] for each in found], entries, label))
    print(f"{np.nanmean(precisions):.4f}")


if __name__ == "__main__":
    main()
