"""Two tasks on pictures: which shape it is (many), and which shape in which style (few).

FOLDER/shapes/*.jpg, shapes_train.txt, shapes_test.txt    labels 0 to 3, as in shapes.KINDS
FOLDER/styles/*.jpg, style_train.txt, style_test.txt      labels 0 to 7, see STYLES
"""

from __future__ import annotations

import argparse
from pathlib import Path

import cv2
import numpy as np
from shapes import KINDS, draw_scene

SIZE = 64


def outlined(image: np.ndarray) -> np.ndarray:
    """Drawn with a pencil: dark where the brightness changes."""
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    edges = np.abs(cv2.Laplacian(cv2.GaussianBlur(grey, (0, 0), 1), cv2.CV_32F, ksize=3))
    return cv2.cvtColor((255 - edges * 4).clip(0, 255).astype(np.uint8), cv2.COLOR_GRAY2BGR)


STYLES = (*KINDS, *(f"drawn {kind}" for kind in KINDS))
"""The classes of the second task."""


def draw_shape(rng: np.random.Generator) -> tuple[np.ndarray, int]:
    """A picture of one shape, and the number of its kind."""
    scene = draw_scene(rng, SIZE, count=(1, 1), scale=(0.4, 0.7))
    return scene.image, KINDS.index(scene.shapes[0].kind)


def draw_style(rng: np.random.Generator) -> tuple[np.ndarray, int]:
    """A picture of one shape, painted or drawn with a pencil, and its place in `STYLES`."""
    image, kind = draw_shape(rng)
    if rng.random() < 0.5:
        return image, kind
    return outlined(image), len(KINDS) + kind


def write(folder: Path, room: str, name: str, count: int, seed: int) -> None:
    """Write `count` pictures into FOLDER/ROOM, and their list FOLDER/NAME.txt for ImageData."""
    rng = np.random.default_rng(seed)
    draw = draw_shape if room == "shapes" else draw_style
    (folder / room).mkdir(parents=True, exist_ok=True)
    lines = []
    for number in range(count):
        image, label = draw(rng)
        path = folder / room / f"{name}_{number:05d}.jpg"
        cv2.imwrite(str(path), image)
        lines.append(f"{path} {label}\n")
    (folder / f"{name}.txt").write_text("".join(lines))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--shapes", type=int, default=2000)
    parser.add_argument("--styles", type=int, default=200)
    parser.add_argument("--test", type=int, default=400)
    options = parser.parse_args()
    write(options.folder, "shapes", "shapes_train", options.shapes, 0)
    write(options.folder, "shapes", "shapes_test", options.test, 1)
    write(options.folder, "styles", "style_train", options.styles, 2)
    write(options.folder, "styles", "style_test", options.test, 3)


if __name__ == "__main__":
    main()
