"""Boxes in a grid, the starting points of SSD's detections."""

# H W of the feature map, P priors a cell

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from caffepy.layers.core.base import Layer, Run, Shape, exactly
from caffepy.layers.core.registry import register_layer
from caffepy.layers.core.traits import Memory, Quirks


@register_layer("PriorBox")
class PriorBoxLayer(Layer):
    """Boxes of given sizes and ratios around the center of each cell.  Caffe type ``PriorBox``.

    Bottom: feature map (N, C, H, W) and picture (N, C, h, w); only their sizes matter.
    Top:    (1, 2, 4 * P * H * W) float: xmin, ymin, xmax, ymax of each box as fractions of the
            picture's sides, cells row by row; then as many variances. The boxes of a cell are, for
            each min_size: the square, a square of side sqrt(min_size * max_size), then the aspect
            ratios other than 1, with ``flip`` each followed by its inverse. Sizes are truncated to
            integers.
    Params: none
    Proto:  prior_box_param { min_size, max_size, aspect_ratio, flip, clip, variance, img_size |
            img_h, img_w, step | step_h, step_w, offset }
    Differs from torch: no counterpart. No gradient.
    Source: SSD, prior_box_layer; Liu et al. 2016
    """

    fork_fields = frozenset({"LayerParameter.prior_box_param"})
    bottoms = exactly(2)
    memory = Memory(aliases_bottom=True)
    quirks = Quirks(copies_tops=True)

    def setup(self, bottoms: Sequence[Shape]) -> None:
        """Widths and heights of the boxes of a cell, and the variances."""
        p = self.param.prior_box_param
        if not p.min_size or any(int(size) < 1 for size in p.min_size):
            raise self.fail(f"min_size is {list(p.min_size)}; needed: at least one, each 1 or more")
        if p.max_size and len(p.max_size) != len(p.min_size):
            raise self.fail(
                f"max_size is given {len(p.max_size)} times; needed: never,"
                f" or once for each min_size, {len(p.min_size)}"
            )
        for least, most in zip(p.min_size, p.max_size):
            if not most > least:
                raise self.fail(
                    f"max_size is {most:g} for min_size {least:g}; needed: a larger one"
                )
        if len(p.variance) not in (0, 1, 4) or not all(v > 0 for v in p.variance):
            raise self.fail(f"variance is {list(p.variance)}; needed: none, 1 or 4 numbers above 0")
        self.variances = (list(p.variance) or [0.1]) * (4 if len(p.variance) < 2 else 1)
        self.boxes = self._boxes()
        self.picture = self._pair("img_size", "img_h", "img_w")
        self.step = self._pair("step", "step_h", "step_w")

    def _boxes(self) -> list[tuple[float, float]]:
        """(width, height) of each box of a cell, in pixels."""
        p = self.param.prior_box_param
        ratios = [1.0]
        for ratio in p.aspect_ratio:
            if not ratio > 0:
                raise self.fail(f"aspect_ratio is {ratio:g}; needed: above 0")
            if all(abs(ratio - known) >= 1e-6 for known in ratios):
                ratios += [ratio, 1 / ratio] if p.flip else [ratio]
        boxes = []
        for i, size in enumerate(int(size) for size in p.min_size):
            boxes.append((float(size), float(size)))
            if p.max_size:
                boxes.append((math.sqrt(size * int(p.max_size[i])),) * 2)
            boxes += [
                (size * math.sqrt(ratio), size / math.sqrt(ratio))
                for ratio in ratios
                if abs(ratio - 1) >= 1e-6
            ]
        return boxes

    def _pair(self, both: str, first: str, second: str) -> tuple[float, float] | None:
        """A size for height and width, from one field or two; None if none is given."""
        p = self.param.prior_box_param
        given = [name for name in (first, second) if p.HasField(name)]
        if given and p.HasField(both):
            raise self.fail(
                f"{both} and {' and '.join(given)} are given; needed: {both},"
                f" or {first} and {second}"
            )
        if not given and not p.HasField(both):
            return None
        values = (getattr(p, first), getattr(p, second)) if given else (getattr(p, both),) * 2
        if not all(value > 0 for value in values):
            named = zip((first, second), values) if given else ((both, values[0]),)
            told = " and ".join(f"{name} is {value:g}" for name, value in named)
            raise self.fail(f"{told}; needed: above 0")
        return values

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        """Two numbers for each edge of each box."""
        for i, shape in enumerate(bottoms):
            if len(shape) != 4:
                raise self.fail(
                    f"bottom {i} has {len(shape)} axes; needed: 4 (number, channels, height, width)"
                )
        self.sizes = (*bottoms[0][2:], *bottoms[1][2:])
        return ((1, 2, 4 * len(self.boxes) * self.sizes[0] * self.sizes[1]),)

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        """The boxes, which are made once for each size of feature map and picture."""
        return (run.constant(f"priors {self.sizes}", bottoms[0], self._priors),)

    def _priors(self) -> Tensor:
        p = self.param.prior_box_param
        rows, columns, *picture = self.sizes
        height, width = self.picture or picture
        step_h, step_w = self.step or (height / rows, width / columns)
        y = ((torch.arange(rows, dtype=torch.float64) + p.offset) * step_h).view(-1, 1, 1)
        x = ((torch.arange(columns, dtype=torch.float64) + p.offset) * step_w).view(1, -1, 1)
        w, h = torch.tensor(self.boxes, dtype=torch.float64).unbind(1)
        edges = (
            (x - w / 2) / width,
            (y - h / 2) / height,
            (x + w / 2) / width,
            (y + h / 2) / height,
        )
        boxes = torch.stack(
            [edge.expand(rows, columns, len(self.boxes)) for edge in edges], -1
        ).flatten()
        if p.clip:
            boxes = boxes.clamp(0, 1)
        variances = torch.tensor(self.variances, dtype=torch.float64).repeat(len(boxes) // 4)
        return torch.stack((boxes, variances)).unsqueeze(0)
