"""Pictures of coloured shapes, with what the jobs of the forks need of them: boxes, masks, outlines.

    scene = draw_scene(np.random.default_rng(1), 128)
    scene.image           (128, 128, 3) uint8, BGR
    scene.shapes[0].kind  "circle", .box (xmin, ymin, xmax, ymax), .mask (128, 128) bool
    scene.labels()        (128, 128) uint8: 0 background, 1 circle, 2 square, ... in the order of KINDS
    scene.outlines()      (128, 128) bool

A shape may cover part of another one; box and mask are of the part that is seen.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

KINDS = ("circle", "square", "triangle", "cross")


@dataclass(frozen=True)
class Shape:
    """One shape of a scene: its kind, its visible pixels, and whether others cover a quarter of it."""

    kind: str
    mask: np.ndarray
    difficult: bool

    @property
    def box(self) -> tuple[int, int, int, int]:
        """(xmin, ymin, xmax, ymax) in pixels from 0; the maxima are the last pixels."""
        rows, columns = np.nonzero(self.mask)
        return int(columns.min()), int(rows.min()), int(columns.max()), int(rows.max())


@dataclass(frozen=True)
class Scene:
    """A picture, BGR, and its shapes."""

    image: np.ndarray
    shapes: tuple[Shape, ...]

    def labels(self, kinds: tuple[str, ...] = KINDS) -> np.ndarray:
        """A class for each pixel, 0 for the background, else the kind's position in `kinds` + 1."""
        labels = np.zeros(self.image.shape[:2], np.uint8)
        for shape in self.shapes:
            labels[shape.mask] = kinds.index(shape.kind) + 1
        return labels

    def outlines(self) -> np.ndarray:
        """The pixels of each shape that touch another shape or the background."""
        outlines = np.zeros(self.image.shape[:2], bool)
        for shape in self.shapes:
            inner = cv2.erode(shape.mask.astype(np.uint8), np.ones((3, 3), np.uint8))
            outlines |= shape.mask & (inner == 0)
        return outlines


def draw_scene(
    rng: np.random.Generator,
    size: int | tuple[int, int],
    kinds: tuple[str, ...] = KINDS,
    count: tuple[int, int] = (1, 4),
    scale: tuple[float, float] = (0.2, 0.45),
) -> Scene:
    """A scene of `size` (one number, or height and width).

    It has `count` shapes (at least, at most), each as wide as `scale` of the picture's smaller side.
    Of each shape at least six tenths stay visible; one that finds no such place is left out.
    """
    height, width = (size, size) if isinstance(size, int) else size
    image = _background(rng, height, width)
    masks: list[np.ndarray] = []
    names: list[str] = []
    areas: list[int] = []
    for _ in range(rng.integers(count[0], count[1] + 1)):
        kind = kinds[rng.integers(len(kinds))]
        for _ in range(20):  # tries to find a place
            mask = _shape_mask(rng, kind, height, width, scale)
            visible = [int((other & ~mask).sum()) for other in masks]
            if all(now > 0.6 * area for now, area in zip(visible, areas)):
                break
        else:
            continue
        masks = [other & ~mask for other in masks]
        masks.append(mask)
        names.append(kind)
        areas.append(int(mask.sum()))
        _paint(rng, image, mask)
    noise = rng.normal(0, 4, image.shape)
    image = np.clip(image + noise, 0, 255).astype(np.uint8)
    shapes = []
    for kind, mask, area in zip(names, masks, areas):
        shapes.append(Shape(kind, mask, difficult=bool(mask.sum() < 0.75 * area)))
    return Scene(image, tuple(shapes))


def _background(rng: np.random.Generator, height: int, width: int) -> np.ndarray:
    coarse = rng.uniform(40, 215, (4, 4, 3)).astype(np.float32)
    smooth = cv2.resize(coarse, (width, height), interpolation=cv2.INTER_CUBIC)
    fine = cv2.GaussianBlur(rng.normal(0, 25, (height, width, 3)).astype(np.float32), (0, 0), 2)
    return np.clip(smooth * 0.6 + 50 + fine, 0, 255)


def _shape_mask(
    rng: np.random.Generator, kind: str, height: int, width: int, scale: tuple[float, float]
) -> np.ndarray:
    radius = rng.uniform(*scale) * min(height, width) / 2
    centre = np.array([rng.uniform(radius, width - radius), rng.uniform(radius, height - radius)])
    mask = np.zeros((height, width), np.uint8)
    if kind == "circle":
        cv2.circle(mask, tuple(int(value) for value in centre), round(radius), 1, -1)
        return mask.astype(bool)
    turn = rng.uniform(0, 2 * np.pi)
    if kind == "cross":
        arm = np.array([[1, 0.3], [-1, 0.3], [-1, -0.3], [1, -0.3]]) * radius
        polygons = [arm, arm[:, ::-1]]
    else:
        corners = {"square": 4, "triangle": 3}[kind]
        angles = 2 * np.pi * np.arange(corners) / corners
        polygons = [np.stack([np.cos(angles), np.sin(angles)], axis=1) * radius]
    rotation = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    for polygon in polygons:
        points = np.round(polygon @ rotation.T + centre).astype(np.int32)
        cv2.fillPoly(mask, [points], 1)
    return mask.astype(bool)


def _paint(rng: np.random.Generator, image: np.ndarray, mask: np.ndarray) -> None:
    """Fill the mask with one colour that differs from what lies there."""
    below = image[mask].mean(axis=0)
    for _ in range(50):
        colour = rng.uniform(0, 255, 3)
        if np.abs(colour - below).sum() > 200:
            break
    image[mask] = colour
