"""Resizes planes as FlowNet does."""

# N batch, C channels, H W, OH OW output

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from caffepy.layers.core.base import Layer, Run, Shape, between
from caffepy.layers.core.registry import register_layer
from caffepy.layers.core.traits import Gradients
from caffepy.proto import caffe_pb2

NEAREST = caffe_pb2.ResampleParameter.NEAREST
LINEAR = caffe_pb2.ResampleParameter.LINEAR
CUBIC = caffe_pb2.ResampleParameter.CUBIC
REACH = {LINEAR: 2, CUBIC: 4}
"""Pixels to each side of a place that a kernel reads, before it is widened."""
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Taps:
    """The pixels that each place of the output reads in one axis, and their weights.

    Both are (output, taps).
    """

    places: npt.NDArray[np.int64]
    weights: Floats

    @classmethod
    def around(
        cls, centers: Floats, radius: int, length: int, weigh: Callable[[Floats], Floats]
    ) -> Taps:
        """The pixels up to ``radius`` away from the pixel nearest to each center.

        ``weigh``: computes their weights from how far they are to the left of the center.
        ``length``: number of pixels; those outside get weight 0.
        """
        places = nearest(centers)[:, None] + np.arange(-radius, radius + 1)
        weights = weigh(centers[:, None] - places.astype(np.float32))
        weights[(places < 0) | (places >= length)] = 0
        return cls(places.clip(0, length - 1), weights)

    def sum(self, x: Tensor, axis: int, run: Run) -> Tensor:
        """``x`` resized in this axis: the weighted sums of the pixels."""
        key = f"{axis}: {x.shape[axis]} to {len(self.places)}"
        places = run.constant(f"places of {key}", x, lambda: torch.from_numpy(self.places.T)).long()
        weights = run.constant(f"weights of {key}", x, lambda: torch.from_numpy(self.weights.T))
        shape = [1] * x.dim()
        shape[axis] = -1
        parts = (
            x.index_select(axis, place) * weight.view(shape)
            for place, weight in zip(places.unbind(), weights.unbind())
        )
        total = next(parts)
        for part in parts:
            total = total + part
        return total


def nearest(centers: Floats) -> npt.NDArray[np.int64]:
    """The nearest integers; halves go up."""
    return np.floor(centers.astype(np.float64) + 0.5).astype(np.int64)


def triangle(x: Floats) -> Floats:
    """The linear kernel: 1 at 0, falling to 0 at a distance of 1."""
    return np.maximum(np.float32(1) - np.abs(x), np.float32(0))


def cubic(x: Floats) -> Floats:
    """Keys' cubic kernel with a = -1/2."""
    x = np.abs(x)
    within = x * x * (np.float32(1.5) * x - np.float32(2.5)) + np.float32(1)
    beyond = x * (x * (np.float32(-0.5) * x + np.float32(2.5)) - np.float32(4)) + np.float32(2)
    return np.where(x <= 1, within, np.where(x < 2, beyond, np.float32(0)))


class ResizingLayer(Layer):
    """Base of layers that resize planes, to the size in their fields or that of a second bottom."""

    bottoms = between(1, 2)
    gradients = Gradients(backward=False)
    size_fields: ClassVar[tuple[str, str, str]]
    """The layer's message, and its fields for height and width."""

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        """The top has the size that the fields or bottom 1 ask for."""
        for i, shape in enumerate(bottoms):
            if len(shape) != 4:
                raise self.fail(
                    f"bottom {i} has {len(shape)} axes; needed: 4 (number, channels, height, width)"
                )
        message, *sides = self.size_fields
        given = getattr(self.param, message)
        self.size = (
            bottoms[1][2:]
            if len(bottoms) > 1
            else tuple(int(getattr(given, side)) for side in sides)
        )
        if min(self.size) < 1 or min(bottoms[0][2:]) < 1:
            raise self.fail(
                f"{bottoms[0][2:]} becomes {self.size}; needed: at least 1 in each axis"
            )
        return ((*bottoms[0][:2], *self.size),)


@register_layer("Resample")
class ResampleLayer(ResizingLayer):
    """Planes resized by a linear or cubic kernel or to the nearest pixel.  Caffe type ``Resample``.

    Bottom: (N, C, H, W) float; [1] (..., OH, OW) of the size that is wanted.
    Top:    (N, C, OH, OW) float. Column ow is read at ow * fx + fy / 2 - 0.5 with fx = W / OW and
            fy = H / OH, row oh at oh * fy + fx / 2 - 0.5, by LINEAR (default), CUBIC or NEAREST. If
            fx or fy is above 1, the kernels LINEAR and CUBIC are widened by fx and fy, unless
            antialias is false. Weights are divided by their sum. No gradient.
    Params: none
    Proto:  resample_param { height, width, type, antialias }
    Differs from torch: interpolate reads at (ow + 0.5) * fx - 0.5, which is the same only if fx
            equals fy.
    Source: FlowNet2, resample_layer
    """

    fork_fields = frozenset({"LayerParameter.resample_param"})
    size_fields = ("resample_param", "height", "width")

    def setup(self, bottoms: Sequence[Shape]) -> None:
        if self.param.resample_param.type not in {NEAREST, LINEAR, CUBIC}:
            raise self.fail("type is AREA; needed: NEAREST, LINEAR or CUBIC")

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        """Resize one axis after the other."""
        x = bottoms[0].detach()
        for axis, taps in enumerate(self.taps(x.shape[2:]), 2):
            x = taps.sum(x, axis, run)
        return (x,)

    def taps(self, planes: Sequence[int]) -> list[Taps]:
        """The taps of height and width, for planes of this size."""
        height, width = planes
        new_height, new_width = self.size
        fy = np.float32(height) / np.float32(new_height)
        fx = np.float32(width) / np.float32(new_width)
        return [self._taps(height, new_height, fy, fx), self._taps(width, new_width, fx, fy)]

    def _taps(self, old: int, new: int, factor: np.float32, other: np.float32) -> Taps:
        p = self.param.resample_param
        centers = (
            np.arange(new, dtype=np.float32) * factor + other / np.float32(2) - np.float32(0.5)
        )
        if p.type == NEAREST:
            return Taps(nearest(centers).clip(0, old - 1)[:, None], np.ones((new, 1), np.float32))
        wider = p.antialias and max(factor, other) > 1
        scale = np.float32(1) / factor if wider else np.float32(1)
        radius = 2 if factor < 1 else int(np.ceil(np.float32(REACH[p.type]) / scale))
        kernel = cubic if p.type == CUBIC else triangle
        taps = Taps.around(centers, radius, old, lambda left: scale * kernel(scale * left))
        total = taps.weights.sum(1, keepdims=True)
        return Taps(
            taps.places,
            np.divide(taps.weights, total, out=np.zeros_like(taps.weights), where=total != 0),
        )
