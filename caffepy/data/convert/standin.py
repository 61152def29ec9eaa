"""A substitute for CIFAR-10: ten kinds of shapes, in CIFAR-10's binary format.

``python -m caffepy.data.convert.standin FOLDER``. Every image has its own colours, place, size,
tilt, background and noise. So what the images of a class have in common has to be learned. Test
images differ from all training images. All are drawn from fixed seeds. Accuracies on them say
nothing about CIFAR-10.
"""

# N pictures, H W 32

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from caffepy.data.convert.cifar import BATCH_IMAGES, CLASSES, SHAPE, TRAIN_BATCHES
from caffepy.data.stores import STAND_IN
from caffepy.proto.atomic import atomic_write

Floats = npt.NDArray[np.float32]

SIDE = SHAPE[1]
PIECE = 500

# each: (x, y) relative to the centre, in units of the shape's size, (N, H, W) -> how far inside,
# above 0 inside
SHAPES: dict[str, Callable[[Floats, Floats], npt.NDArray[np.floating[Any]]]] = {
    "disc": lambda x, y: 1 - np.hypot(x, y),
    "ring": lambda x, y: 0.25 - abs(0.8 - np.hypot(x, y)),
    "square": lambda x, y: 0.85 - np.maximum(abs(x), abs(y)),
    "frame": lambda x, y: 0.2 - abs(0.75 - np.maximum(abs(x), abs(y))),
    "plus": lambda x, y: np.minimum(
        0.3 - np.minimum(abs(x), abs(y)), 1 - np.maximum(abs(x), abs(y))
    ),
    "triangle": lambda x, y: np.minimum(0.7 - y, 0.55 * (y + 1.1) - abs(x)),
    "bars": lambda x, y: np.minimum(np.sin(6 * x) / 6, 1 - np.maximum(abs(x), abs(y))),
    "checks": lambda x, y: np.minimum(
        np.sin(5 * x) * np.sin(5 * y) / 5, 1 - np.maximum(abs(x), abs(y))
    ),
    "crescent": lambda x, y: np.minimum(1 - np.hypot(x, y), np.hypot(x - 0.5, y) - 0.75),
    "dots": lambda x, y: 0.35 - np.hypot(abs(x) - 0.6, abs(y) - 0.6),
}


def pictures(labels: npt.NDArray[np.uint8], random: np.random.Generator) -> npt.NDArray[np.uint8]:
    """One image for each label, (N, 3, H, W)."""
    n = len(labels)

    def uniform(low: float, high: float, *shape: int) -> Floats:
        return random.uniform(low, high, (n, *shape)).astype(np.float32)

    grid = np.arange(SIDE, dtype=np.float32)
    size = uniform(7, 11, 1, 1)
    tilt = uniform(-0.4, 0.4, 1, 1)
    x, y = (grid - uniform(13, 18, 1, 1)) / size, (grid[:, None] - uniform(13, 18, 1, 1)) / size
    x, y = x * np.cos(tilt) - y * np.sin(tilt), x * np.sin(tilt) + y * np.cos(tilt)
    inside = np.empty_like(x)
    for label, shape in enumerate(SHAPES.values()):
        chosen = labels == label
        inside[chosen] = shape(x[chosen], y[chosen])
    cover = np.clip(0.5 + inside * size, 0, 1)[:, None]  # soft edges, a pixel wide
    back = (
        uniform(0, 255, 3, 1, 1)
        + uniform(-3, 3, 3, 1, 1) * (grid - 16)
        + uniform(-3, 3, 3, 1, 1) * (grid[:, None] - 16)
    )
    front = uniform(0, 255, 3, 1, 1)
    noise = random.standard_normal((n, 3, SIDE, SIDE), np.float32) * uniform(5, 60, 1, 1, 1)
    values: Floats = np.clip(back + (front - back) * cover + noise, 0, 255)
    return values.astype(np.uint8)


def write_batch(path: str, number: int, images: int = BATCH_IMAGES) -> None:
    """The batch file with this number; each number has its own images."""
    random = np.random.Generator(np.random.PCG64(number))
    labels = random.integers(0, CLASSES, images).astype(np.uint8)
    with atomic_write(path) as aside, open(aside, "wb") as file:
        for start in range(0, images, PIECE):
            piece = labels[start : start + PIECE]
            file.write(
                np.hstack(
                    [piece[:, None], pictures(piece, random).reshape(len(piece), -1)]
                ).tobytes()
            )


def write_all(folder: str) -> None:
    """All files of CIFAR-10's binary version, and ``STAND_IN``, which says what they are."""
    with open(os.path.join(folder, STAND_IN), "w") as file:
        file.write(
            "The .bin files here are generated shapes in CIFAR-10's format, not CIFAR-10;"
            " get_cifar10.sh replaces them when it can.\n"
        )
    for batch in range(TRAIN_BATCHES):
        write_batch(os.path.join(folder, f"data_batch_{batch + 1}.bin"), batch + 1)
    write_batch(os.path.join(folder, "test_batch.bin"), 0)
    with open(os.path.join(folder, "batches.meta.txt"), "w") as file:
        file.writelines(f"{name}\n" for name in SHAPES)


if __name__ == "__main__":
    write_all(sys.argv[1])
