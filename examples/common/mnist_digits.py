"""Drawn digits in the files of MNIST, for where MNIST cannot be had.

    python mnist_digits.py FOLDER --train 6000 --test 1000

FOLDER gets train-images-idx3-ubyte, train-labels-idx1-ubyte, t10k-images-idx3-ubyte and t10k-labels-idx1-ubyte.
"""

from __future__ import annotations

import argparse
import struct
from pathlib import Path

import cv2
import numpy as np

SIZE = 28
FONTS = (cv2.FONT_HERSHEY_SIMPLEX, cv2.FONT_HERSHEY_DUPLEX, cv2.FONT_HERSHEY_COMPLEX)


def draw_digit(rng: np.random.Generator, digit: int) -> np.ndarray:
    """One digit, (28, 28) uint8, white on black as in MNIST: turned, slanted, thick or thin."""
    large = np.zeros((4 * SIZE, 4 * SIZE), np.uint8)
    font = FONTS[rng.integers(len(FONTS))]
    thickness = int(rng.integers(5, 11))
    scale = rng.uniform(2.3, 2.9)
    (width, height), _ = cv2.getTextSize(str(digit), font, scale, thickness)
    corner = (2 * SIZE - width // 2, 2 * SIZE + height // 2)
    cv2.putText(large, str(digit), corner, font, scale, 255, thickness, cv2.LINE_AA)
    turn = rng.normal(0, 0.12)
    slant = rng.normal(0.1, 0.15)
    linear = np.array([[np.cos(turn), -np.sin(turn) + slant], [np.sin(turn), np.cos(turn)]])
    centre = np.full(2, 2 * SIZE)
    offset = centre - linear @ centre + rng.normal(0, 3, 2)
    moved = cv2.warpAffine(large, np.column_stack([linear, offset]), large.shape)
    small = cv2.resize(moved, (SIZE, SIZE), interpolation=cv2.INTER_AREA)
    return np.clip(small * rng.uniform(1.0, 1.4), 0, 255).astype(np.uint8)


def draw_digits(rng: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Pictures (count, 28, 28) and their digits (count,)."""
    digits = rng.integers(10, size=count).astype(np.uint8)
    pictures = np.stack([draw_digit(rng, int(digit)) for digit in digits])
    return pictures, digits


def write_idx(path: Path, values: np.ndarray) -> None:
    """Write uint8 values in MNIST's format: magic number, sizes, bytes."""
    header = struct.pack(f">{values.ndim + 1}i", 0x800 + values.ndim, *values.shape)
    path.write_bytes(header + values.tobytes())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--train", type=int, default=6000)
    parser.add_argument("--test", type=int, default=1000)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    for seed, (name, count) in enumerate((("train", options.train), ("t10k", options.test))):
        pictures, digits = draw_digits(np.random.default_rng(seed), count)
        write_idx(options.folder / f"{name}-images-idx3-ubyte", pictures)
        write_idx(options.folder / f"{name}-labels-idx1-ubyte", digits)


if __name__ == "__main__":
    main()
