"""Pictures of shapes with windows that were proposed for them, as a window file of R-CNN's.

A window file has for each picture `# NUMBER`, its path, channels, height, width, how many windows, and for
each window `CLASS OVERLAP X1 Y1 X2 Y2`: the class of the object that it overlaps most, and their
intersection over union.  Windows around the objects, off by some pixels or more, and windows anywhere
stand for those of selective search.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import cv2
import numpy as np
from shapes import KINDS, Scene, draw_scene

SIZE = 128
NEAR = 12
"""Windows around each object."""
ANYWHERE = 24
"""Windows that know of no object."""

Box = tuple[int, int, int, int]


def overlap(a: Box, b: Box) -> float:
    """Intersection over union of two boxes whose last pixels belong to them."""
    width = min(a[2], b[2]) - max(a[0], b[0]) + 1
    height = min(a[3], b[3]) - max(a[1], b[1]) + 1
    if width <= 0 or height <= 0:
        return 0.0
    areas = [(box[2] - box[0] + 1) * (box[3] - box[1] + 1) for box in (a, b)]
    return width * height / (sum(areas) - width * height)


def propose(rng: np.random.Generator, scene: Scene) -> list[Box]:
    """The objects' own boxes, boxes near them, and boxes anywhere."""
    boxes = [shape.box for shape in scene.shapes]
    for shape in scene.shapes:
        box = np.array(shape.box, float)
        extent = np.array([box[2] - box[0], box[3] - box[1]] * 2)
        for _ in range(NEAR):
            moved = box + rng.normal(0, 0.12, 4) * extent
            boxes.append(_inside(moved))
    for _ in range(ANYWHERE):
        extent = rng.uniform(0.15, 0.6, 2) * SIZE
        corner = rng.uniform(0, SIZE - extent)
        boxes.append(_inside(np.concatenate([corner, corner + extent])))
    return [box for box in boxes if box[2] - box[0] >= 8 and box[3] - box[1] >= 8]


def label(scene: Scene, box: Box) -> tuple[int, float]:
    """The class, from 1, of the object that a window overlaps most, and how much; 0 where it overlaps none."""
    best = (0, 0.0)
    for shape in scene.shapes:
        amount = overlap(shape.box, box)
        if amount > best[1]:
            best = (KINDS.index(shape.kind) + 1, amount)
    return best


def write(folder: Path, name: str, count: int, seed: int) -> None:
    """Write pictures and their window file FOLDER/window_file_NAME.txt."""
    rng = np.random.default_rng(seed)
    (folder / name).mkdir(parents=True, exist_ok=True)
    lines = []
    for number in range(count):
        scene = draw_scene(rng, SIZE, count=(1, 4), scale=(0.2, 0.5))
        path = folder / name / f"{number:05d}.jpg"
        cv2.imwrite(str(path), scene.image)
        boxes = propose(rng, scene)
        lines += [f"# {number}", str(path), "3", str(SIZE), str(SIZE), str(len(boxes))]
        for box in boxes:
            kind, amount = label(scene, box)
            lines.append(f"{kind} {amount:.4f} {box[0]} {box[1]} {box[2]} {box[3]}")
    (folder / f"window_file_{name}.txt").write_text("\n".join(lines) + "\n")


def _inside(box: np.ndarray) -> Box:
    x1, y1, x2, y2 = (int(value) for value in np.clip(np.round(box), 0, SIZE - 1))
    return x1, y1, x2, y2


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--train", type=int, default=600)
    parser.add_argument("--test", type=int, default=100)
    options = parser.parse_args()
    write(options.folder, "train", options.train, 0)
    write(options.folder, "test", options.test, 1)


if __name__ == "__main__":
    main()
