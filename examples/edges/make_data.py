"""Pictures of shapes and of their outlines, in the layout of HED-BSDS.

    python make_data.py FOLDER --train 200 --test 40

FOLDER/{train,test}/000001.jpg      the pictures
FOLDER/{train,test}_gt/000001.png   255 on the outlines, 0 elsewhere
FOLDER/{train,test}_pair.lst        lines `PICTURE OUTLINES`, relative to FOLDER
"""

from __future__ import annotations

import argparse
from pathlib import Path

import cv2
import numpy as np
from shapes import draw_scene


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--train", type=int, required=True, help="number of pictures to train with")
    parser.add_argument("--test", type=int, required=True, help="number of pictures to test with")
    parser.add_argument("--size", type=int, default=96, help="height and width of the pictures")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    for split, count in (("train", options.train), ("test", options.test)):
        lines = []
        for part in (split, f"{split}_gt"):
            (options.folder / part).mkdir(parents=True, exist_ok=True)
        for number in range(1, count + 1):
            scene = draw_scene(rng, options.size, count=(2, 5), scale=(0.25, 0.6))
            picture = f"{split}/{number:06d}.jpg"
            outlines = f"{split}_gt/{number:06d}.png"
            cv2.imwrite(str(options.folder / picture), scene.image, [cv2.IMWRITE_JPEG_QUALITY, 95])
            cv2.imwrite(str(options.folder / outlines), scene.outlines().astype(np.uint8) * 255)
            lines.append(f"{picture} {outlines}\n")
        (options.folder / f"{split}_pair.lst").write_text("".join(lines))


if __name__ == "__main__":
    main()
