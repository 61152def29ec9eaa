"""Two tasks on pictures: which shape it is (many pictures), and in which style it is shown (few pictures).

FOLDER/shapes/*.jpg, shapes_train.txt, shapes_test.txt    labels 0 to 3, as in shapes.KINDS
FOLDER/styles/*.jpg, style_train.txt, style_test.txt      labels 0 to 4, see STYLES
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
from shapes import KINDS, draw_scene

SIZE = 64


def blurred(image: np.ndarray) -> np.ndarray:
    """Out of focus."""
    return cv2.GaussianBlur(image, (0, 0), 3)


def outlined(image: np.ndarray) -> np.ndarray:
    """Drawn with a pencil: dark where the brightness changes."""
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    edges = np.abs(cv2.Laplacian(cv2.GaussianBlur(grey, (0, 0), 1), cv2.CV_32F, ksize=3))
    return cv2.cvtColor((255 - edges * 4).clip(0, 255).astype(np.uint8), cv2.COLOR_GRAY2BGR)


def bordered(image: np.ndarray) -> np.ndarray:
    """A print with a thin dark frame inside of its edge."""
    framed = image.copy()
    cv2.rectangle(framed, (4, 4), (SIZE - 5, SIZE - 5), (30, 30, 30), 2)
    return framed


def striped(image: np.ndarray) -> np.ndarray:
    """On an old screen: each third row is dark."""
    lined = image.copy()
    lined[::3] = lined[::3] // 3
    return lined


def plain(image: np.ndarray) -> np.ndarray:
    """As it is."""
    return image


STYLES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "plain": plain,
    "blurred": blurred,
    "outlined": outlined,
    "bordered": bordered,
    "striped": striped,
}


def draw_shape(rng: np.random.Generator) -> tuple[np.ndarray, int]:
    """A picture of one shape, and the number of its kind."""
    scene = draw_scene(rng, SIZE, count=(1, 1), scale=(0.4, 0.7))
    return scene.image, KINDS.index(scene.shapes[0].kind)


def draw_style(rng: np.random.Generator) -> tuple[np.ndarray, int]:
    """A picture of some shapes in a style, and the style's number."""
    image = draw_scene(rng, SIZE, count=(1, 3), scale=(0.3, 0.6)).image
    style = int(rng.integers(len(STYLES)))
    return list(STYLES.values())[style](image), style


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
    parser.add_argument("--styles", type=int, default=300)
    parser.add_argument("--test", type=int, default=400)
    options = parser.parse_args()
    write(options.folder, "shapes", "shapes_train", options.shapes, 0)
    write(options.folder, "shapes", "shapes_test", options.test, 1)
    write(options.folder, "styles", "style_train", options.styles, 2)
    write(options.folder, "styles", "style_test", options.test, 3)


if __name__ == "__main__":
    main()
