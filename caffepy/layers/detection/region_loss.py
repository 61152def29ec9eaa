"""The loss of YOLO's second version."""

# N batch, A anchors, C classes, H W cells, T boxes of an item, R rows of boxes of all items

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from caffepy.errors import LayerError
from caffepy.layers.common.boxes import present
from caffepy.layers.common.grid_boxes import (
    COORDINATES,
    anchors_of,
    boxes_of,
    check_map,
    common_part,
)
from caffepy.layers.common.loss import Given, LossLayer
from caffepy.layers.core.autograd import apply
from caffepy.layers.core.base import TRAIN, Run, Shape, count, is_readable
from caffepy.layers.core.places import inside
from caffepy.layers.core.registry import register_layer
from caffepy.layers.core.state import COUNT, passes_before

EARLY_SCALE = 0.01
"""Weight of the error that draws boxes to their anchors, see anchor_images."""
ROW = 5
INTELS_ROW = 8
"""Numbers of a box in bottom 1."""
NEAR = 1.0
"""Errors of coordinates are at most this, with Intel's rows."""
ITEM, BOX, CLASS, KINDS = 1, 2, 3, 4
"""What can be wrong in a row of boxes."""
HALF = 2**40


@register_layer("RegionLoss")
class RegionLossLayer(LossLayer):
    """Squared errors of boxes, scores and classes of a grid of anchors.  Caffe type ``RegionLoss``.

    Bottom: (N, A * (5 + C), H, W) float; for each anchor: x and y in the cell, logs of width and
            height relative to the anchor's, the score, the classes. x, y and the score are before
            the logistic function, the classes before the softmax.
            [1] (N, ..., 5) float: class, x, y, width, height of T boxes of each item, as fractions
            of the picture; the first box without a width ends them. Or (..., 8) (Intel), as
            AnnotatedData makes them, for the boxes of all items: item (-1: no box), class from 1
            on, a number that is not used, xmin, ymin, xmax, ymax, another such number.
    Top:    () float; the sum of the squared errors, divided by N (Intel: not divided).
    Params: none
    Proto:  region_loss_param { num (A), num_class (C), coords (4), biases (A times width and
            height, in cells), bias_match, rescore, object_scale, noobject_scale, class_scale,
            coord_scale, thresh; class_map (Intel: a file with the index of each class in the
            bottom); anchor_images (caffepy's own: for so many first images of a training every box
            is drawn to its anchor, in the middle of its cell; 12800 gives what MobileNet-YOLO did
            up to January 2019) }; side, softmax, jitter, absolute, random, softmax_tree (refused
            with Intel's rows) and (with rows of 5) class_map have no effect, as in the fork
    Differs from torch: no counterpart. A box is learnt in the cell of its middle, by the anchor
            whose shape is most like it. The gradient of the bottom is the error divided by N
            (coordinates and scores times the slope of the logistic function), not the derivative of
            the top. With Intel's rows errors of coordinates are at most 1, the error of the score s
            of an object is 2 (1 - s)^3, and rescore has no effect. The images of anchor_images are
            those that this layer sees in TRAIN (in the fork: that the program sees).
    Source: MobileNet-YOLO and Intel Caffe, region_loss_layer; Redmon and Farhadi 2017
    """

    fork_fields = frozenset({"LayerParameter.region_loss_param"})

    def setup(self, bottoms: Sequence[Shape]) -> None:
        p = self.param.region_loss_param
        if p.coords != COORDINATES:
            raise self.fail(f"coords is {p.coords}; needed: {COORDINATES}")
        self.classes = int(p.num_class)
        if not self.classes or not p.num:
            raise self.fail(f"num is {p.num} and num_class {self.classes}; needed: at least 1 each")
        self.anchors = anchors_of(self, p.biases, int(p.num))
        self.intels = bool(bottoms[1]) and bottoms[1][-1] == INTELS_ROW
        self.batches = replace(self.batches, padding_rows=(1,) if self.intels else ())
        self.places = (
            self._places(p.class_map) if self.intels and p.class_map else np.arange(self.classes)
        )
        if self.intels and p.softmax_tree:
            raise self.fail(f"softmax_tree is '{p.softmax_tree}'; needed: classes without a tree")

    def _places(self, path: str) -> npt.NDArray[np.int64]:
        """The index of each class in the bottom, which a file lists."""
        try:
            places = np.array(Path(path).read_text().split(), np.int64)
        except (OSError, ValueError) as error:
            raise self.fail(
                f"class_map '{path}' cannot be read ({error}); needed: a file of numbers,"
                " the place of each class"
            ) from error
        if not len(places) or places.min() < 0 or places.max() >= self.classes:
            raise self.fail(
                f"class_map '{path}' has {len(places)} numbers; needed: at least one,"
                f" each from 0 to {self.classes - 1}"
            )
        return places

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        tops = super().reshape([bottoms[0], bottoms[0] if self.intels else bottoms[1]])
        check_map(self, 0, bottoms[0], len(self.anchors), self.classes)
        row = INTELS_ROW if self.intels else ROW
        if not bottoms[1] or bottoms[1][-1] != row:
            raise self.fail(
                f"bottom 1 is {bottoms[1]}; needed: (N, ..., {row}), a class and a box in each row"
            )
        return tops

    def state_shapes(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        """A count of the passes, if anchor_images is given."""
        return (
            COUNT if self.phase == TRAIN and self.param.region_loss_param.anchor_images > 0 else ()
        )

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        """The loss and its gradient together."""
        n, _, height, width = bottoms[0].shape
        x = bottoms[0].detach().float().reshape(n, len(self.anchors), -1, height, width)
        anchors = run.constant("anchors", x, lambda: torch.from_numpy(self.anchors))
        objects = self._objects(bottoms[1].detach().float(), n, run)
        grid = _Grid.of(x, anchors)
        errors = self._without(grid, objects, self._early(n, run, x.device))
        errors = self._with(errors, grid, objects, anchors, run)
        gradient = errors.view(bottoms[0].shape).to(bottoms[0].dtype) / max(1, n)
        total = errors.double().square().sum()
        loss = (total if self.intels else total / max(1, n)).to(bottoms[0].dtype)
        return (apply(Given, bottoms[0], loss, gradient, True),)

    def _early(self, n: int, run: Run, device: torch.device) -> Tensor | None:
        """Whether boxes are drawn to their anchors in this pass; None if they never are."""
        images = int(self.param.region_loss_param.anchor_images)
        return (
            passes_before(run, device) < images // max(1, n)
            if run.phase == TRAIN and images > 0
            else None
        )

    def _objects(self, bottom: Tensor, n: int, run: Run) -> _Objects:
        """The rows of all items."""
        if self.intels:
            rows = bottom.reshape(-1, INTELS_ROW)
            items = rows[:, 0].long()
            classes = (rows[:, 1] - 1).long()
            low = rows[:, 3:5]
            high = rows[:, 5:7]
            boxes = torch.cat(((low + high) / 2, high - low), 1)
            seen = sought = items >= 0
            foreign = (items < -1) | (items >= n)
        else:
            rows = bottom.reshape(n, count(bottom.shape, 1) // ROW, ROW)
            # Boxes are compared up to the first with an x of 0, and learnt up to the first without
            # a width.
            seen = (rows[:, :, 1] != 0).long().cumprod(1).flatten() > 0
            sought = (rows[:, :, 3] != 0).long().cumprod(1).flatten() > 0
            items = torch.arange(n, device=bottom.device).repeat_interleave(
                rows.shape[1], output_size=len(seen)
            )
            classes = rows[:, :, 0].flatten().long()
            boxes = rows[:, :, 1:].reshape(-1, 4)
            foreign = torch.zeros_like(seen)
        sound = self._sound(items, foreign, sought, classes, boxes, n, run)
        seen = seen & sound
        sought = sought & sound
        at = present(seen | sought)
        return _Objects(
            items[at].clamp(0, max(0, n - 1)),
            classes[at].clamp(0, len(self.places) - 1),
            boxes[at],
            seen[at],
            sought[at],
        )

    def _sound(
        self,
        items: Tensor,
        foreign: Tensor,
        sought: Tensor,
        classes: Tensor,
        boxes: Tensor,
        n: int,
        run: Run,
    ) -> Tensor:
        """Which rows (R,) are valid. LayerError for one that is not, on a GPU at a later check."""
        places = (boxes[:, :2] >= 0).all(1) & (boxes[:, :2] <= 1).all(1) & (boxes[:, 2:] > 0).all(1)
        unknown = (classes < 0) | (classes >= len(self.places))
        # A single number tells the kind of error and the item or class.
        kind = torch.where(
            foreign,
            ITEM,
            torch.where(sought & ~places, BOX, torch.where(sought & unknown, CLASS, 0)),
        )
        code = -(torch.where(foreign, items, classes) * KINDS + kind + HALF)
        wrong = torch.where(kind > 0, code, 0)
        first = 1 if self.intels else 0

        def refusal(code: float, box: str = "") -> LayerError:
            value, kind = divmod(-int(code) - HALF, KINDS)
            if kind == ITEM:
                return self.fail(
                    f"item {value} found in bottom 1; needed: 0 to {n - 1}, or -1 for none"
                )
            if kind == CLASS:
                return self.fail(
                    f"class {value + first} found;"
                    f" needed: {first} to {len(self.places) - 1 + first}"
                )
            return self.fail(f"box {box}found; needed: x and y from 0 to 1, width and height > 0")

        if is_readable(wrong) and wrong.any():
            row = int(wrong.nonzero()[0, 0])
            raise refusal(int(wrong[row]), ", ".join(f"{v:g}" for v in boxes[row].tolist()) + " ")
        return inside(wrong, 1, run, refusal) == wrong

    def _without(self, grid: _Grid, objects: _Objects, early: Tensor | None) -> Tensor:
        """Errors (N, A, 5 + C, H, W) as if no box were to become an object."""
        p = self.param.region_loss_param
        score = grid.score
        x = grid.x
        best = torch.full_like(score, -torch.inf)
        common = common_part(grid.boxes[objects.items], objects.boxes[:, None, None, None])
        common = torch.where(objects.seen.view(-1, 1, 1, 1), common, -torch.inf)
        best = best.scatter_reduce(
            0, objects.items.view(-1, 1, 1, 1).expand_as(common), common, "amax"
        )
        errors = torch.zeros_like(x)
        errors[:, :, 4] = (p.noobject_scale * score * score * (1 - score)).masked_fill(
            best > p.thresh, 0
        )
        if early is not None:
            middle = torch.cat(
                (torch.full_like(grid.own[:, :, :2], 0.5), torch.zeros_like(grid.own[:, :, 2:])), 2
            )
            errors[:, :, :4] = torch.where(
                early, EARLY_SCALE * (grid.own - middle) * grid.slopes, 0
            )
        return errors

    def _with(
        self, errors: Tensor, grid: _Grid, objects: _Objects, anchors: Tensor, run: Run
    ) -> Tensor:
        """``errors`` with those of the boxes that are to become the objects.

        If several objects fall on one box, the last counts.
        """
        p = self.param.region_loss_param
        height, width = errors.shape[3:]
        # Middles and sides of the objects, in cells.
        cells = torch.stack((objects.boxes[:, 0] * width, objects.boxes[:, 1] * height), 1)
        parts = torch.stack((objects.boxes[:, 2] * width, objects.boxes[:, 3] * height), 1)
        column = cells[:, 0].long().clamp(0, width - 1)
        line = cells[:, 1].long().clamp(0, height - 1)
        sides = torch.stack((anchors[:, 0] / width, anchors[:, 1] / height), 1)
        if not p.bias_match:
            sides = grid.boxes[objects.items, :, line, column, 2:]
        anchor = common_part(_centred(sides), _centred(objects.boxes[:, None, 2:])).argmax(1)
        at = (objects.items, anchor, line, column)
        own = grid.own.movedim(2, 4)[at]
        slopes = grid.slopes.movedim(2, 4)[at]
        classes = grid.classes.movedim(2, 4)[at]
        target = torch.cat(
            (cells - torch.stack((column, line), 1), (parts / anchors[anchor]).log()), 1
        )
        off = own - target
        score = grid.score[at]
        scale: float | Tensor
        if self.intels:
            scale = p.coord_scale
            off = off.clamp(-NEAR, NEAR)
            missing = -2 * (1 - score) ** 3
        else:
            scale = (
                p.coord_scale
                if p.rescore
                else p.coord_scale * (2 - objects.boxes[:, 2:].prod(1)).unsqueeze(1)
            )
            missing = score - (common_part(grid.boxes[at], objects.boxes) if p.rescore else 1)
        wanted = objects.classes
        if self.intels and p.class_map:
            wanted = run.constant("places", wanted, lambda: torch.from_numpy(self.places))[wanted]
        rows = (
            scale * off * slopes,
            (p.object_scale * missing * score * (1 - score)).unsqueeze(1),
            p.class_scale
            * (
                classes
                - (torch.arange(self.classes, device=wanted.device) == wanted.unsqueeze(1)).float()
            ),
        )
        return _written(errors, at, torch.cat(rows, 1), objects.sought)


@dataclass(frozen=True)
class _Objects:
    """Objects of all items: ``items`` and ``classes`` (R,), ``boxes`` (R, 4).

    ``seen`` (R,): boxes of the grid are compared with it.
    ``sought`` (R,): a box of the grid learns to become it.
    """

    items: Tensor
    classes: Tensor
    boxes: Tensor
    seen: Tensor
    sought: Tensor


@dataclass(frozen=True)
class _Grid:
    """The bottom ``x`` (N, A, 5 + C, H, W), and what it predicts.

    ``own`` (N, A, 4, H, W): coordinates, x and y after the logistic function.
    ``slopes`` (N, A, 4, H, W): derivatives of ``own`` by ``x``.
    ``score`` (N, A, H, W), ``classes`` (N, A, C, H, W): probabilities.
    ``boxes`` (N, A, H, W, 4): middles and sides as fractions of the picture.
    """

    x: Tensor
    own: Tensor
    slopes: Tensor
    score: Tensor
    classes: Tensor
    boxes: Tensor

    @staticmethod
    def of(x: Tensor, anchors: Tensor) -> _Grid:
        """Apply the logistic function and the softmax, and compute the boxes."""
        middles = x[:, :, :2].sigmoid()
        sides = x[:, :, 2:4]
        slopes = torch.cat((middles * (1 - middles), torch.ones_like(sides)), 2)
        own = torch.cat((middles, sides), 2)
        return _Grid(
            x,
            own,
            slopes,
            x[:, :, 4].sigmoid(),
            x[:, :, 5:].softmax(2),
            boxes_of(x[:, :, :4], anchors),
        )


def _places(errors: Tensor, at: Sequence[Tensor]) -> Tensor:
    """(R,): the number of each row's box among all boxes of the batch."""
    items, anchor, line, column = at
    _, anchors, _, height, width = errors.shape
    return ((items * anchors + anchor) * height + line) * width + column


def _written(errors: Tensor, at: Sequence[Tensor], rows: Tensor, sought: Tensor) -> Tensor:
    """``errors`` (N, A, 5 + C, H, W), overwritten by the ``rows`` (R, 5 + C) that are ``sought``.

    ``at``: item, anchor, line and column of each row. The last of several rows in one place counts.
    """
    place = _places(errors, at)
    room = errors.movedim(2, 4).reshape(-1, rows.shape[1])
    # The row added at the end takes those that are not sought.
    room = torch.cat((room, room.new_zeros(1, rows.shape[1])))
    order = torch.arange(len(rows), device=rows.device).masked_fill(~sought, -1)
    last = order.new_full((len(room),), -1).scatter_reduce(0, place, order, "amax")[place]
    room = room.index_copy(0, torch.where(sought & (last == order), place, len(room) - 1), rows)
    return room[:-1].view(*errors.movedim(2, 4).shape).movedim(4, 2).contiguous()


def _centred(sides: Tensor) -> Tensor:
    """Boxes of these sides with their middles at 0."""
    return torch.cat((torch.zeros_like(sides), sides), -1)
