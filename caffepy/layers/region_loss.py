"""The loss of YOLO's second version."""

# N batch, A anchors, C classes, H W cells, T boxes of an item

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from caffepy.layers.autograd import apply
from caffepy.layers.base import TRAIN, Run, Shape, count
from caffepy.layers.boxes import Floats, on_host
from caffepy.layers.carried import COUNT, passes_before
from caffepy.layers.grid_boxes import COORDINATES, anchors_of, boxes_of, check_map, common_part, sigmoid, softmax
from caffepy.layers.loss import Given, LossLayer
from caffepy.layers.registry import register_layer

EARLY_SCALE = np.float32(0.01)
"""How strongly boxes are drawn to their anchors, where they are."""
ROW, INTELS_ROW = 5, 8
NEAR = np.float32(1)
"""From there on Intel's errors of coordinates grow no more."""


@register_layer("RegionLoss")
class RegionLossLayer(LossLayer):
    """Squared errors of the boxes, scores and classes of a grid with anchors.  Caffe type ``RegionLoss``.

    Bottom: (N, A * (5 + C), H, W) float: for each anchor x and y in the cell and the scores (before the logistic function), logs of width
            and height by the anchor's, classes (before the softmax); [1] (N, ..., 5) float: class, x, y, width, height in parts of the
            picture for T boxes of each item, up to the first without a width. Or (..., 8) (Intel): item (-1: none), class from 1 on, one
            number, xmin, ymin, xmax, ymax, one number for each box of all items, as AnnotatedData makes them.
    Top:    () float; sum of the squares of the gradients below by N (Intel: not by N).
    Params: none
    Proto:  region_loss_param { num (A), num_class (C), coords (4), biases (A times width and height, in cells), bias_match, rescore,
            object_scale, noobject_scale, class_scale, coord_scale, thresh; class_map (Intel: a file of the places of classes);
            anchor_images (caffepy's own; 12800 in MobileNet-YOLO up to January 2019, which drew every box to its anchor, in the middle of
            its cell, for the first so many images of a training) }; side, softmax, jitter, absolute, random, softmax_tree (refused with
            Intel's rows) and (with rows of 5) class_map have no effect, as in the fork
    Differs from torch: no counterpart; a box learns in the cell of its middle, with the anchor that is most like it. The gradient by the
            bottom is the error by N (coordinates and scores times the slope of the logistic function), not the derivative of the top.
            With Intel's rows errors of coordinates are at most 1, and that of the score s of an object is 2 (1 - s)^3; rescore has no
            effect. The images of anchor_images are those that this layer sees in TRAIN (in the fork: that the program sees).
    Source: MobileNet-YOLO and Intel Caffe, region_loss_layer; Redmon and Farhadi 2017
    """

    fork_fields = frozenset({"LayerParameter.region_loss_param"})
    on_host = True

    def setup(self, bottoms: Sequence[Shape]) -> None:
        """Read the fields."""
        p = self.param.region_loss_param
        if p.coords != COORDINATES:
            raise self.fail(f"coords is {p.coords}; needed: {COORDINATES}")
        self.classes = int(p.num_class)
        if not self.classes or not p.num:
            raise self.fail(f"num is {p.num} and num_class {self.classes}; needed: at least 1 each")
        self.anchors = anchors_of(self, p.biases, int(p.num))
        self.intels = bool(bottoms[1]) and bottoms[1][-1] == INTELS_ROW
        self.places = self._places(p.class_map) if self.intels and p.class_map else np.arange(self.classes)
        if self.intels and p.softmax_tree:
            raise self.fail(f"softmax_tree is '{p.softmax_tree}'; needed: classes without a tree")

    def _places(self, path: str) -> npt.NDArray[np.int64]:
        """The place of each class among those of the bottom, which a file lists."""
        try:
            found = np.array(Path(path).read_text().split(), np.int64)
        except (OSError, ValueError) as error:
            raise self.fail(f"class_map '{path}' cannot be read ({error}); needed: a file of numbers, the place of each class") from error
        if not len(found) or found.min() < 0 or found.max() >= self.classes:
            raise self.fail(f"class_map '{path}' has {len(found)} numbers; needed: at least one, each from 0 to {self.classes - 1}")
        return found

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        """0 axes."""
        tops = super().reshape([bottoms[0], bottoms[0] if self.intels else bottoms[1]])
        check_map(self, 0, bottoms[0], len(self.anchors), self.classes)
        row = INTELS_ROW if self.intels else ROW
        if not bottoms[1] or bottoms[1][-1] != row:
            raise self.fail(f"bottom 1 is {bottoms[1]}; needed: (N, ..., {row}), a class and a box in each row")
        return tops

    def carries(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        """The number of passes, where it matters."""
        return COUNT if self.phase == TRAIN and self.param.region_loss_param.anchor_images > 0 else ()

    def forward(self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run) -> tuple[Tensor, ...]:
        """The loss and its gradient together, item by item."""
        n, _, height, width = bottoms[0].shape
        x = on_host(bottoms[0]).reshape(n, len(self.anchors), -1, height, width)
        early, objects = self._early(n, run), self._objects(on_host(bottoms[1]), n)
        errors = np.stack([self._errors(item, *own, early=early) for item, own in zip(x, objects)]) if n else x
        gradient = torch.from_numpy(errors.reshape(bottoms[0].shape)).to(bottoms[0]) / max(1, n)
        total = float(np.square(errors, dtype=np.float64).sum())
        loss = torch.tensor(total if self.intels else total / max(1, n)).to(bottoms[0])
        return (apply(Given, bottoms[0], loss, gradient, True),)

    def _early(self, n: int, run: Run) -> bool:
        """Whether this is one of the first passes of a training, which are counted where that matters."""
        images = int(self.param.region_loss_param.anchor_images)
        return run.phase == TRAIN and images > 0 and bool(passes_before(run, torch.device("cpu")) < images // max(1, n))

    def _objects(self, bottom: Floats, n: int) -> list[tuple[Floats, Floats]]:
        """Of each item the rows of class and box: those that boxes are compared with, and those that are to be found."""
        if not self.intels:
            items = bottom.reshape(n, count(bottom.shape, 1) // ROW, ROW)
            return [(_until(rows, 1), _until(rows, 3)) for rows in items]
        rows = bottom.reshape(-1, INTELS_ROW)
        items, classes, low, high = rows[:, 0].astype(int), rows[:, 1:2] - 1, rows[:, 3:5], rows[:, 5:7]
        if len(items) and not -1 <= items.min() <= items.max() < n:
            found = items.min() if items.min() < -1 else items.max()
            raise self.fail(f"item {found} found in bottom 1; needed: 0 to {n - 1}, or -1 for none")
        boxes = np.concatenate((classes, (low + high) / 2, high - low), 1).astype(np.float32)
        return [(boxes[items == i], boxes[items == i]) for i in range(n)]

    def _errors(self, x: Floats, seen: Floats, objects: Floats, *, early: bool) -> Floats:
        """Of one item's map (A, 5 + C, H, W)."""
        p, errors = self.param.region_loss_param, np.zeros_like(x)
        own, score, classes, boxes = _read(x, self.anchors)
        errors[:, 4] = np.float32(p.noobject_scale) * score * score * (1 - score)
        if len(seen):
            best = common_part(boxes[..., None, :], seen[:, 1:]).max(-1)
            errors[:, 4][best > np.float32(p.thresh)] = 0
        if early:
            middle = np.array([0.5, 0.5, 0, 0], np.float32)[:, None, None]
            errors[:, :4] = EARLY_SCALE * (own - middle) * _slopes(own)
        for row in objects:
            self._object(row, errors, own, score, classes, boxes)
        return errors

    def _object(self, row: Floats, errors: Floats, own: Floats, score: Floats, classes: Floats, boxes: Floats) -> None:
        """Write the errors of the box that is to become the one of ``row``."""
        p, (height, width) = self.param.region_loss_param, score.shape[1:]
        label, box = int(row[0]), row[1:]
        if not (0 <= box[0] <= 1 and 0 <= box[1] <= 1 and box[2] > 0 and box[3] > 0):
            raise self.fail(f"box {', '.join(f'{v:g}' for v in box)} found; needed: x and y from 0 to 1, width and height > 0")
        if not 0 <= label < len(self.places):
            first = 1 if self.intels else 0
            raise self.fail(f"class {label + first} found; needed: {first} to {len(self.places) - 1 + first}")
        grid = np.array([width, height], np.float32)
        column, line = (min(int(v), int(n) - 1) for v, n in zip(box[:2] * grid, grid))
        sides = self.anchors / grid if p.bias_match else boxes[:, line, column, 2:]
        at = (int(common_part(_centred(sides), _centred(box[2:])).argmax()), slice(None), line, column)
        place = (at[0], line, column)
        found = common_part(boxes[place], box)
        target = np.concatenate((box[:2] * grid - (column, line), np.log(box[2:] * grid / self.anchors[at[0]]))).astype(np.float32)
        scale, off, own_score = np.float32(p.coord_scale), own[at] - target, score[place]
        if self.intels:
            off, missing = off.clip(-NEAR, NEAR), -2 * (1 - own_score) ** 3
        else:
            scale *= np.float32(1) if p.rescore else 2 - box[2] * box[3]
            missing = own_score - (found if p.rescore else np.float32(1))
        errors[at][:4] = scale * off * _slopes(own)[at]
        errors[at][4] = np.float32(p.object_scale) * missing * own_score * (1 - own_score)
        errors[at][5:] = np.float32(p.class_scale) * (classes[at] - (np.arange(self.classes) == self.places[label]))


def _read(x: Floats, anchors: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Of a map: coordinates as they are compared (A, 4, H, W), scores (A, H, W), classes (A, C, H, W), boxes (A, H, W, 4)."""
    own = np.concatenate((sigmoid(x[:, :2]), x[:, 2:4]), 1)
    return own, sigmoid(x[:, 4]), softmax(x[:, 5:], 1), boxes_of(x[:, :4], anchors)


def _slopes(own: Floats) -> Floats:
    """Of what made the coordinates (A, 4, H, W): the logistic function, and nothing."""
    slopes = np.ones_like(own)
    slopes[:, :2] = own[:, :2] * (1 - own[:, :2])
    return slopes


def _until(rows: Floats, column: int) -> Floats:
    """The rows before the first with 0 in a column."""
    empty = np.nonzero(rows[:, column] == 0)[0]
    return rows[: empty[0]] if len(empty) else rows


def _centred(sides: Floats) -> Floats:
    """Boxes of these sizes in one place."""
    return np.concatenate((np.zeros_like(sides), sides), -1)
