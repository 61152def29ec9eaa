"""Writes pairs of pictures with known flow, in the layout of FlyingChairs.

    python make_data.py FOLDER --train 2000 --test 100

FOLDER/00001_img1.ppm, 00001_img2.ppm, 00001_flow.flo
FOLDER/FlyingChairs_train_val.txt   a line for each pair: 1 for training, 2 for the test

A textured background and some textured patches before it, each with a shift, a turn and a zoom of
its own.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from flo import write_flow

SPLIT = "FlyingChairs_train_val.txt"


@dataclass(frozen=True)
class Motion:
    """How far what is drawn at random moves at most."""

    shift: float  # pixels
    turn: float  # degrees
    zoom: float


BACKGROUND = Motion(shift=5, turn=2, zoom=0.02)
PATCH = Motion(shift=4, turn=8, zoom=0.05)
"""A patch's motion comes on top of the background's."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--train", type=int, default=2000)
    parser.add_argument("--test", type=int, default=100)
    parser.add_argument("--size", type=int, default=64)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(options.seed)
    for i in range(1, options.train + options.test + 1):
        first, second, flow = draw_pair(rng, options.size)
        cv2.imwrite(str(options.folder / f"{i:05d}_img1.ppm"), first)
        cv2.imwrite(str(options.folder / f"{i:05d}_img2.ppm"), second)
        write_flow(options.folder / f"{i:05d}_flow.flo", flow)
    (options.folder / SPLIT).write_text("1\n" * options.train + "2\n" * options.test)


def draw_pair(rng: np.random.Generator, size: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Both pictures (size, size, 3) uint8, and the flow (size, size, 2)."""
    ground = draw_matrix(rng, BACKGROUND, (size / 2, size / 2))
    texture, margin = draw_texture(rng, size)
    first = texture[margin:-margin, margin:-margin].copy()
    second = warp(texture, ground, margin, size)
    flow = flow_of(ground, size)
    for _ in range(rng.integers(1, 3)):
        mask, middle = draw_mask(rng, size)
        matrix = draw_matrix(rng, PATCH, middle) @ ground
        texture, margin = draw_texture(rng, size)
        before = cv2.copyMakeBorder(mask, margin, margin, margin, margin, cv2.BORDER_CONSTANT)
        after = warp(before, matrix, margin, size)
        first = blend(first, texture[margin:-margin, margin:-margin], mask)
        second = blend(second, warp(texture, matrix, margin, size), after)
        flow = np.where(mask[:, :, None] > 0.5, flow_of(matrix, size), flow)
    shown = [np.clip(image + rng.normal(0, 2, image.shape), 0, 255) for image in (first, second)]
    return shown[0].astype(np.uint8), shown[1].astype(np.uint8), flow.astype(np.float32)


def draw_texture(rng: np.random.Generator, size: int) -> tuple[np.ndarray, int]:
    """Colours with coarse and fine detail, wider than the picture by a margin on each side."""
    margin = size // 4
    wide = size + 2 * margin
    texture = np.zeros((wide, wide, 3), np.float32)
    for cells, strength in ((6, 25), (16, 55), (32, 55)):
        coarse = rng.normal(0, strength, (cells, cells, 3)).astype(np.float32)
        texture += cv2.resize(coarse, (wide, wide), interpolation=cv2.INTER_CUBIC)
    return np.clip(texture + rng.uniform(105, 150, 3), 0, 255).astype(np.float32), margin


def draw_matrix(
    rng: np.random.Generator, motion: Motion, middle: tuple[float, float]
) -> np.ndarray:
    """(3, 3): where a point (x, y, 1) of the first picture is in the second."""
    angle = np.deg2rad(rng.uniform(-motion.turn, motion.turn))
    zoom = 1 + rng.uniform(-motion.zoom, motion.zoom)
    cos = np.cos(angle) * zoom
    sin = np.sin(angle) * zoom
    turn = np.array([[cos, -sin], [sin, cos]])
    shift = np.array(middle) - turn @ np.array(middle)
    matrix = np.eye(3)
    matrix[:2, :2] = turn
    matrix[:2, 2] = shift + rng.uniform(-motion.shift, motion.shift, 2)
    return matrix


def draw_mask(rng: np.random.Generator, size: int) -> tuple[np.ndarray, tuple[float, float]]:
    """A patch's pixels, 0 to 1 at its smooth edge, and its middle: a polygon or an ellipse."""
    x, y = rng.uniform(0.15, 0.85, 2) * size
    radius = rng.uniform(0.12, 0.28) * size
    mask = np.zeros((size, size), np.uint8)
    corners = int(rng.integers(3, 8))
    angles = 2 * np.pi * (np.arange(corners) + rng.uniform(0, 0.5, corners)) / corners
    points = np.stack([x + np.cos(angles) * radius, y + np.sin(angles) * radius], axis=1)
    if corners == 7:
        axes = (round(radius), round(radius * rng.uniform(0.5, 1)))
        turn = rng.uniform(0, 180)
        cv2.ellipse(mask, (round(x), round(y)), axes, turn, 0, 360, 255, -1, cv2.LINE_AA)
    else:
        cv2.fillPoly(mask, [np.round(points).astype(np.int32)], 255, cv2.LINE_AA)
    return mask.astype(np.float32) / 255, (float(x), float(y))


def warp(image: np.ndarray, matrix: np.ndarray, margin: int, size: int) -> np.ndarray:
    """The second picture's view of what has a margin in the first one."""
    inner = np.eye(3)
    inner[:2, 2] = -margin
    warped: np.ndarray = cv2.warpAffine(
        image, (matrix @ inner)[:2], (size, size), flags=cv2.INTER_LINEAR
    )
    return warped


def blend(image: np.ndarray, over: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """A picture with another one over it where the mask is 1."""
    part = mask[:, :, None]
    blended: np.ndarray = image * (1 - part) + over * part
    return blended


def flow_of(matrix: np.ndarray, size: int) -> np.ndarray:
    """The flow (size, size, 2) of a motion."""
    y, x = np.mgrid[:size, :size]
    points = np.stack([x, y, np.ones_like(x)], axis=2)
    flow: np.ndarray = points @ matrix[:2].T - points[:, :, :2]
    return flow


if __name__ == "__main__":
    main()
