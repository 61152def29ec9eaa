"""Pictures of shapes with their boxes, in the layout of PASCAL VOC.

    python make_data.py FOLDER --train 600 --test 200

FOLDER takes the place of VOCdevkit/VOC2007, with the lists trainval and test.
Some pictures are wider than high, the others higher than wide.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from shapes import draw_scene
from voc import write_list, write_scene

SIZES = ((80, 104), (104, 80), (88, 96))
"""Heights and widths."""
KINDS = ("circle", "triangle", "cross")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--train", type=int, default=600)
    parser.add_argument("--test", type=int, default=200)
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    names = [f"{number:06d}" for number in range(1, options.train + options.test + 1)]
    for name in names:
        size = SIZES[rng.integers(len(SIZES))]
        write_scene(
            options.folder, name, draw_scene(rng, size, KINDS, count=(1, 2), scale=(0.35, 0.65))
        )
    write_list(options.folder, "trainval", names[: options.train])
    write_list(options.folder, "test", names[options.train :])


if __name__ == "__main__":
    main()
