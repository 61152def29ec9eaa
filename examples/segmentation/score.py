"""Mean intersection over union of nets on their test pictures, and a picture of what they predict.

    python score.py OUT fcn=WEIGHTS.caffemodel segnet=WEIGHTS.caffemodel deeplab=WEIGHTS.caffemodel

Writes OUT/iou.txt, a line `NAME VALUE` for each net, and OUT/segmentation.png.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import caffe
import cv2
import numpy as np
from voc import palette

SHOWN = 4  # test pictures in the picture
SIDE = 150  # pixels of each of them
MARGIN = 6
TITLE = 22


@dataclass(frozen=True)
class Kind:
    """One of the three nets: its prototxt, the blob of its scores, the list of its test pictures.

    Its test phase reads the pictures in the order of the list.
    """

    title: str
    model: str
    scores: str
    pictures: str


KINDS = {
    "fcn": Kind("FCN", "fcn/train_val.prototxt", "score", "deeplab_val.txt"),
    "segnet": Kind("SegNet", "segnet/test.prototxt", "conv1_1_D", "segnet_test.txt"),
    "deeplab": Kind("DeepLab", "deeplab/train_val.prototxt", "fc8_interp", "deeplab_val.txt"),
}


def predictions(
    net: caffe.Net, scores: str, count: int
) -> Iterator[tuple[np.ndarray, np.ndarray, int]]:
    """For each test picture: labels (H, W), predicted classes (H, W), the number of classes."""
    for _ in range(count):
        net.forward()
        labels = net.blobs["label"].data[0, 0].astype(int)
        found = net.blobs[scores].data[0]
        yield labels, found.argmax(axis=0), len(found)


def confusion(labels: np.ndarray, predicted: np.ndarray, classes: int) -> np.ndarray:
    """(classes, classes): how many pixels of a label have which prediction.

    A label that is no class is not counted: 255 in VOC, 11 in CamVid.
    """
    counted = labels < classes
    pairs = labels[counted] * classes + predicted[counted]
    return np.bincount(pairs, minlength=classes * classes).reshape(classes, classes)


def mean_iou(table: np.ndarray) -> float:
    """The mean, over the classes that occur, of hits / (labelled or predicted pixels)."""
    hits = np.diag(table)
    union = table.sum(0) + table.sum(1) - hits
    return float((hits[union > 0] / union[union > 0]).mean())


def coloured(labels: np.ndarray, classes: int) -> np.ndarray:
    """Labels (H, W) in VOC's colours, BGR; what is no class as VOC's 255."""
    return palette()[np.where(labels < classes, labels, 255)][:, :, ::-1]


def column(title: str, pictures: list[np.ndarray]) -> np.ndarray:
    """A title above pictures (H, W, 3) uint8, each made SIDE x SIDE."""
    head = np.full((TITLE, SIDE + MARGIN, 3), 255, np.uint8)
    cv2.putText(head, title, (2, 16), cv2.FONT_HERSHEY_SIMPLEX, 0.5, (0, 0, 0), 1, cv2.LINE_AA)
    parts = [head]
    for picture in pictures:
        part = np.full((SIDE + MARGIN, SIDE + MARGIN, 3), 255, np.uint8)
        part[:SIDE, :SIDE] = cv2.resize(picture, (SIDE, SIDE), interpolation=cv2.INTER_NEAREST)
        parts.append(part)
    return np.concatenate(parts)


class Tested:
    """A net's mean IoU, and of the first test pictures: image, truth and prediction."""

    def __init__(self, out: Path, kind: Kind, weights: str) -> None:
        images = [line.split()[0] for line in (out / kind.pictures).read_text().splitlines()]
        net = caffe.Net(str(out / kind.model), weights, caffe.TEST)
        self.images: list[np.ndarray] = []
        self.truths: list[np.ndarray] = []
        self.predictions: list[np.ndarray] = []
        tables = []
        for path, (labels, predicted, classes) in zip(
            images, predictions(net, kind.scores, len(images))
        ):
            tables.append(confusion(labels, predicted, classes))
            if len(self.images) < SHOWN:
                image = cv2.imread(path)
                height, width = image.shape[:2]  # DeepLab's labels go beyond it
                self.images.append(image)
                self.truths.append(coloured(labels, classes)[:height, :width])
                self.predictions.append(coloured(predicted, classes)[:height, :width])
        self.iou = mean_iou(np.sum(tables, axis=0))


def same(first: list[np.ndarray], second: list[np.ndarray]) -> bool:
    """Whether two nets were tested on the same pictures."""
    return len(first) == len(second) and all(map(np.array_equal, first, second))


def main() -> None:
    out = Path(sys.argv[1])
    caffe.set_mode_cpu()
    columns: list[np.ndarray] = []
    lines: list[str] = []
    truths: list[np.ndarray] = []
    for argument in sys.argv[2:]:
        name, weights = argument.split("=", 1)
        kind = KINDS[name]
        tested = Tested(out, kind, weights)
        lines.append(f"{name} {tested.iou:.4f}\n")
        if not same(tested.truths, truths):
            columns += [column("image", tested.images), column("truth", tested.truths)]
            truths = tested.truths
        columns.append(column(kind.title, tested.predictions))
    (out / "iou.txt").write_text("".join(lines))
    cv2.imwrite(str(out / "segmentation.png"), np.concatenate(columns, axis=1))


if __name__ == "__main__":
    main()
