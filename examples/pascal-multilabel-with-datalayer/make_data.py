"""Pictures of shapes in VOC's layout, for the data layer."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from shapes import draw_scene
from voc import write_list, write_scene

SIZE = 64


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--train", type=int, default=2000)
    parser.add_argument("--test", type=int, default=400)
    options = parser.parse_args()
    rng = np.random.default_rng(0)
    number = 0
    for split, count in (("train", options.train), ("val", options.test)):
        names = []
        for _ in range(count):
            number += 1
            names.append(f"{number:06d}")
            scene = draw_scene(rng, SIZE, count=(1, 3), scale=(0.35, 0.6))
            write_scene(options.folder, names[-1], scene)
        write_list(options.folder, split, names)


if __name__ == "__main__":
    main()
