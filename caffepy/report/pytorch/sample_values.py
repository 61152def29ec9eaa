"""What values the bottoms of a layer must have, where any will not do: labels, regions, marks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from caffepy.net.graph import Graph, Node

Makes = Callable[[np.random.Generator, "tuple[int, ...]"], Any]
"""Makes values of a shape."""
Asks = Callable[[Any, "list[tuple[int, ...]]"], Mapping[int, Makes]]
"""What a layer, with the shapes of its bottoms, asks of them, by their place."""


def normal(random: np.random.Generator, shape: tuple[int, ...]) -> Any:
    """Values of a layer that takes any."""
    return random.standard_normal(shape)


@dataclass(frozen=True)
class Integers:
    """Makes numbers from ``least`` to below ``most``, in any shape."""

    most: int
    least: int = 0

    def __call__(self, random: np.random.Generator, shape: tuple[int, ...]) -> Any:
        """The numbers."""
        return random.integers(self.least, max(self.most, self.least + 1), shape)


def asked(graph: Graph, node: Node) -> Mapping[int, Makes]:
    """What a layer's bottoms must hold, by their indices in graph.values."""
    shapes = [graph.values[value].shape for value in node.bottoms]
    if node.type in ("Upsample", "Unpooling") and len(shapes) > 1:
        height, width = graph.values[node.tops[0]].shape[2:]
        return {node.bottoms[1]: _apart(height * width)}
    ask = ASKS.get(node.type)
    found = ask(node.layer, shapes) if ask else {}
    return {node.bottoms[place]: make for place, make in found.items() if place < len(node.bottoms)}


def _apart(places: int) -> Makes:
    """A place of its own for each value of a plane."""

    def make(random: np.random.Generator, shape: tuple[int, ...]) -> Any:
        planes = []
        for _ in range(shape[0] * shape[1]):
            planes.append(random.permutation(places)[: shape[2] * shape[3]])
        return np.stack(planes).reshape(shape)

    return make


def _regions(image: tuple[int, ...], scale: float) -> Makes:
    """Items of the batch and corners, inside the picture."""

    def make(random: np.random.Generator, shape: tuple[int, ...]) -> Any:
        size = (np.array(image[2:]) - 1) / scale
        corners = np.sort(random.random((shape[0], 2, 2)), axis=1) * size
        items = random.integers(0, image[0], shape[0])
        top, left, bottom, right = (corners[:, i, j] for i in (0, 1) for j in (0, 1))
        return np.stack([items, left, top, right, bottom], 1)

    return make


def _picture(features: tuple[int, ...], stride: int) -> Makes:
    """Height, width and scales of a picture, as Proposal reads them."""
    sizes = [features[2] * stride, features[3] * stride, 1, 1]
    return lambda random, shape: np.resize(sizes, shape)


def _objects(items: int, classes: int, background: int) -> Makes:
    """Rows of SSD's objects: item, label, instance, corners, difficult."""

    def make(random: np.random.Generator, shape: tuple[int, ...]) -> Any:
        rows = np.zeros((shape[2], 8))
        labels = [label for label in range(classes) if label != background]
        rows[:, 0] = np.sort(random.integers(0, items, len(rows)))
        rows[:, 1] = random.choice(labels, len(rows))
        corners = np.sort(random.random((len(rows), 2, 2)), axis=1)
        rows[:, 3:7] = corners.reshape(-1, 4)
        return rows

    return make


def _priors(random: np.random.Generator, shape: tuple[int, ...]) -> Any:
    """Boxes in the picture and their variances, as PriorBox makes them."""
    corners = np.sort(random.random((shape[2] // 4, 2, 2)), axis=1).reshape(-1)
    return np.stack([corners, np.full(shape[2], 0.1)])


def _yolo_objects(classes: int) -> Makes:
    """Rows of class, middle and sides; the last of an item is none."""

    def make(random: np.random.Generator, shape: tuple[int, ...]) -> Any:
        rows = np.zeros((shape[0], int(np.prod(shape[1:])) // 5, 5))
        rows[..., 0] = random.integers(0, classes, rows.shape[:2])
        rows[..., 1:3] = random.uniform(0.1, 0.9, (*rows.shape[:2], 2))
        rows[..., 3:] = random.uniform(0.1, 0.6, (*rows.shape[:2], 2))
        rows[:, -1] = 0
        return rows

    return make


def _begins(random: np.random.Generator, shape: tuple[int, ...]) -> Any:
    """1, but 0 in the first time step."""
    return (np.arange(shape[0])[:, None] > 0) + np.zeros(shape)


def _labels(steps: int, classes: int, blank: int) -> Makes:
    """Labels (L, N), at most half as many as time steps, then -1."""

    def make(random: np.random.Generator, shape: tuple[int, ...]) -> Any:
        known = [label for label in range(classes) if label != blank]
        labels = random.choice(known, shape)
        labels[max(1, steps // 2) :] = -1
        return labels

    return make


def _rows_of_labels(steps: int, classes: int, blank: int) -> Makes:
    """Likewise (N, L), then blanks."""

    def make(random: np.random.Generator, shape: tuple[int, ...]) -> Any:
        labels = _labels(steps, classes, blank)(random, (int(np.prod(shape[1:])), shape[0])).T
        return np.where(labels < 0, blank, labels)

    return make


def _alternating(random: np.random.Generator, shape: tuple[int, ...]) -> Any:
    return np.arange(np.prod(shape)).reshape(shape) % 2


def _by_axis(layer: Any, shapes: list[tuple[int, ...]]) -> Mapping[int, Makes]:
    """Labels of the classes along the layer's axis."""
    return {1: Integers(shapes[0][layer.axis])}


def _pairs(layer: Any, shapes: list[tuple[int, ...]]) -> Mapping[int, Makes]:
    return {len(shapes) - 1: Integers(2)}


def _multibox(layer: Any, shapes: list[tuple[int, ...]]) -> Mapping[int, Makes]:
    background = layer.param.multibox_loss_param.background_label_id
    return {2: _priors, 3: _objects(shapes[0][0], layer.classes, background)}


ASKS: Mapping[str, Asks] = {
    "BatchReindex": lambda layer, shapes: {1: Integers(shapes[0][0])},
    "BoxAnnotatorOHEM": lambda layer, shapes: {0: Integers(2)},
    "CTCGreedyDecoder": lambda layer, shapes: {
        1: _begins,
        2: _labels(shapes[0][0], shapes[0][2], layer.blank),
    },
    "CTCLoss": lambda layer, shapes: {
        1: _begins,
        2: _labels(shapes[0][0] - layer.delay, shapes[0][2], layer.blank),
    },
    "CenterLoss": lambda layer, shapes: {1: Integers(layer.blobs[0].shape[0])},
    "ContrastiveLoss": _pairs,
    "CtcLoss": lambda layer, shapes: {
        1: _rows_of_labels(layer.steps, layer.classes, layer.blank),
    },
    "Embed": lambda layer, shapes: {0: Integers(layer.input_dim, -1)},
    "Filter": lambda layer, shapes: {len(shapes) - 1: _alternating},
    "HingeLoss": lambda layer, shapes: {1: Integers(shapes[0][1])},
    "InfogainLoss": _by_axis,
    "LSTM": lambda layer, shapes: {1: Integers(2)},
    "LSTMUnit": lambda layer, shapes: {2: Integers(2)},
    "LabelSpecificAdd": lambda layer, shapes: {1: Integers(shapes[0][1])},
    "Lstm": lambda layer, shapes: {1: Integers(2)},
    "MultiBoxLoss": _multibox,
    "MultinomialLogisticLoss": lambda layer, shapes: {1: Integers(shapes[0][1])},
    "PSROIPooling": lambda layer, shapes: {1: _regions(shapes[0], layer.scale)},
    "Proposal": lambda layer, shapes: {
        2: _picture(shapes[0], layer.param.proposal_param.feat_stride),
    },
    "RNN": lambda layer, shapes: {1: Integers(2)},
    "ROIAlign": lambda layer, shapes: {1: _regions(shapes[0], layer.scale)},
    "ROIPooling": lambda layer, shapes: {
        1: _regions(shapes[0], layer.param.roi_pooling_param.spatial_scale),
    },
    "RegionLoss": lambda layer, shapes: {1: _yolo_objects(layer.classes)},
    "SigmoidCrossEntropyLoss": _pairs,
    "SmoothL1LossOHEM": lambda layer, shapes: {2: Integers(2)},
    "SoftmaxWithLoss": _by_axis,
    "SoftmaxWithLossOHEM": _by_axis,
    "Yolov3": lambda layer, shapes: {1: _yolo_objects(layer.classes)},
}
