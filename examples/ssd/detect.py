"""Finds the objects of a picture by a deploy net, as SSD's ssd_detect.py does.

detector = Detector("deploy.prototxt", "weights.caffemodel", "test.prototxt")
for label, score, box in detector.detect(cv2.imread("a.jpg")):
    ...
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import caffe
import cv2
import numpy as np
from caffe.proto import caffe_pb2
from google.protobuf import text_format


class Detection(NamedTuple):
    """A box that was found: its class, its score, and xmin, ymin, xmax, ymax in pixels."""

    label: int
    score: float
    box: tuple[float, float, float, float]


class Detector:
    """A deploy net with an input of one picture, and DetectionOutput or the like at its end."""

    def __init__(self, model: str, weights: str, tested: str) -> None:
        """``tested``: the prototxt whose data layer says how pictures are prepared."""
        self._net = caffe.Net(model, caffe.TEST, weights=weights)
        param = caffe_pb2.NetParameter()
        text_format.Parse(Path(tested).read_text(), param)
        data = next(layer for layer in param.layer if layer.type == "AnnotatedData")
        self._transform = data.transform_param

    def predictions(self) -> list[np.ndarray]:
        """What the output layer made its boxes of, of the last picture."""
        blobs = self._net.bottom_names[self._net._layer_names[-1]]
        return [self._net.blobs[name].data.copy() for name in blobs]

    def detect(self, image: np.ndarray, threshold: float = 0.0) -> list[Detection]:
        """The objects of a BGR picture (H, W, 3) with at least this score, the best first."""
        blob = self._net.blobs[self._net.inputs[0]]
        height, width = blob.shape[2:]
        resized = cv2.resize(image, (width, height)).astype(np.float32)
        prepared = resized - np.array(self._transform.mean_value, np.float32)
        blob.data[...] = prepared.transpose(2, 0, 1) * self._transform.scale
        rows = self._net.forward()[self._net.outputs[0]].reshape(-1, 7)
        size = np.array([image.shape[1], image.shape[0]] * 2)
        found = []
        for row in rows[(rows[:, 1] > 0) & (rows[:, 2] >= threshold)]:
            xmin, ymin, xmax, ymax = (float(value) for value in row[3:] * size)
            found.append(Detection(int(row[1]), float(row[2]), (xmin, ymin, xmax, ymax)))
        return sorted(found, key=lambda detection: -detection.score)


def label_names(path: str) -> dict[int, str]:
    """The classes of a label map by their numbers."""
    labels = caffe_pb2.LabelMap()
    text_format.Parse(Path(path).read_text(), labels)
    return {item.label: item.name for item in labels.item}


def listed_pictures(voc: str, list_file: str, number: int) -> list[np.ndarray]:
    """The first pictures of a list of create_list.py."""
    lines = Path(list_file).read_text().splitlines()[:number]
    images = []
    for line in lines:
        image = cv2.imread(f"{voc}/{line.split()[0]}")
        if image is None:
            raise SystemExit(f"{voc}/{line.split()[0]} cannot be read")
        images.append(image)
    return images
