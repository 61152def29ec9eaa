"""Pictures of shapes in VOC's layout.

python make_data.py FOLDER --train 400 --test 100
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from shapes import draw_scene
from voc import write_list, write_scene

SIZES = ((192, 240), (240, 192))
"""Heights and widths: a net that detects takes any."""


def make_set(folder: Path, image_set: str, names: list[str], rng: np.random.Generator) -> None:
    """Draw the pictures of one set."""
    for name in names:
        size = SIZES[rng.integers(len(SIZES))]
        write_scene(folder, name, draw_scene(rng, size, count=(4, 8), scale=(0.17, 0.33)))
    write_list(folder, image_set, names)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--train", type=int, default=400)
    parser.add_argument("--test", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    names = [f"{number:06d}" for number in range(1, options.train + options.test + 1)]
    make_set(options.folder, "train", names[: options.train], rng)
    make_set(options.folder, "test", names[options.train :], rng)


if __name__ == "__main__":
    main()
