"""Pictures of shapes: a set to train and one to test in VOC's layout, and small ones for the trunk.

    python make_data.py FOLDER --train 400 --test 100 --small 3000

FOLDER/VOC2007             several shapes in a picture
FOLDER/pretrain/list.txt   small pictures of one shape each, and its class from 0
"""

from __future__ import annotations

import argparse
from pathlib import Path

import cv2
import numpy as np

from shapes import KINDS, draw_scene
from voc import write_list, write_scene

SIZES = ((192, 240), (240, 192))
"""Heights and widths: a net that detects takes any."""


def make_set(folder: Path, image_set: str, names: list[str], rng: np.random.Generator) -> None:
    """Draw the pictures of one set."""
    for name in names:
        size = SIZES[rng.integers(len(SIZES))]
        write_scene(folder, name, draw_scene(rng, size, count=(4, 8), scale=(0.17, 0.33)))
    write_list(folder, image_set, names)


def make_small(folder: Path, count: int, rng: np.random.Generator) -> None:
    """Draw pictures that a shape fills, and list them for ImageData."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = []
    for number in range(count):
        scene = draw_scene(rng, 48, count=(1, 1), scale=(0.6, 1.0))
        path = folder / f"{number:06d}.png"
        cv2.imwrite(str(path), scene.image)
        lines.append(f"{path} {KINDS.index(scene.shapes[0].kind)}\n")
    (folder / "list.txt").write_text("".join(lines))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--train", type=int, default=400)
    parser.add_argument("--test", type=int, default=100)
    parser.add_argument("--small", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    names = [f"{number:06d}" for number in range(1, options.train + options.test + 1)]
    voc = options.folder / "VOC2007"
    for image_set, part in (("train", names[: options.train]), ("test", names[options.train :])):
        if part:
            make_set(voc, image_set, part, rng)
    make_small(options.folder / "pretrain", options.small, rng)


if __name__ == "__main__":
    main()
