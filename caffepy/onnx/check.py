"""An ONNX model run by onnxruntime beside our own forward pass."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx
import torch
from torch import Tensor

from caffepy.engine.predictions import Part
from caffepy.onnx.session import Session
from caffepy.onnx.site import Array

TOLERANCE = 1e-4


@dataclass(frozen=True)
class Difference:
    """Of one output: its name and shape, the largest difference, and the largest value."""

    name: str
    shape: tuple[int, ...]
    largest: float
    scale: float

    @property
    def relative(self) -> float:
        """The largest difference against the blob's scale."""
        return self.largest / self.scale if self.scale else self.largest

    @property
    def fine(self) -> bool:
        """The difference is no more than rounding."""
        return bool(self.relative <= TOLERANCE)


def compare(
    model: onnx.ModelProto, part: Part, blobs: Mapping[int, Tensor], *, more: int = 0, axis: int = 0
) -> list[Difference]:
    """How far both results are apart for the same random inputs.

    With ``more`` items in the batch than the part has; the batch is ``axis``.
    """
    shapes = part.input_shapes(more=more, axis=axis)
    feeds = {
        value: torch.from_numpy(values) for value, values in random_inputs(part, shapes).items()
    }
    ours = part.reshaped(shapes).forward(feeds, blobs)
    part.reshaped(part.input_shapes())
    theirs = Session(model).run([feeds[value].numpy() for value in part.inputs])
    return [
        difference(part, value, ours[value].numpy(), other)
        for value, other in zip(part.outputs, theirs)
    ]


def difference(part: Part, value: int, ours: Array, theirs: Array) -> Difference:
    """How far two results of an output are apart.

    Infinitely where their shapes differ, or where only one of them is finite.
    """
    name = part.name(value)
    if ours.shape != theirs.shape or (np.isfinite(ours) != np.isfinite(theirs)).any():
        return Difference(name, ours.shape, float("inf"), 1.0)
    finite = np.isfinite(ours)
    apart = np.abs(np.where(finite, ours, 0) - np.where(finite, theirs, 0))
    return Difference(
        name, ours.shape, float(apart.max(initial=0)), float(np.abs(ours[finite]).max(initial=0))
    )


def random_inputs(part: Part, shapes: Mapping[int, tuple[int, ...]]) -> dict[int, Array]:
    """Values for the inputs, the same in each run.

    Normally distributed; where a layer takes them as indices, such as it can find.
    """
    random = np.random.default_rng(1701)
    feeds = {
        value: np.asarray(random.standard_normal(shape), np.float32)
        for value, shape in shapes.items()
    }
    for node in part.nodes:
        layer: Any = node.layer
        if node.type == "Embed" and node.bottoms[0] in feeds:
            feeds[node.bottoms[0]] = random.integers(
                -1, layer.input_dim, shapes[node.bottoms[0]]
            ).astype(np.float32)
        elif node.type == "BatchReindex" and node.bottoms[1] in feeds:
            feeds[node.bottoms[1]] = random.integers(
                0, part.shape(node.bottoms[0])[0], shapes[node.bottoms[1]]
            ).astype(np.float32)
        elif node.type == "ROIPooling" and node.bottoms[1] in feeds:
            scale = layer.param.roi_pooling_param.spatial_scale
            feeds[node.bottoms[1]] = _regions(
                random, shapes[node.bottoms[1]], part.shape(node.bottoms[0]), scale
            )
    return feeds


def _regions(
    random: np.random.Generator, shape: tuple[int, ...], image: tuple[int, ...], scale: float
) -> Array:
    """Item of the batch and corners, inside the image.

    ``scale``: size of the image over that of the picture in which corners are given.
    """
    size = (np.array(image[2:]) - 1) / scale
    corners = np.sort(random.random((shape[0], 2, 2)), axis=1) * size
    items = random.integers(0, image[0], shape[0])
    top, left, bottom, right = (corners[:, i, j] for i in (0, 1) for j in (0, 1))
    return np.float32(np.stack([items, left, top, right, bottom], 1)).reshape(shape)
