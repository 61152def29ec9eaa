"""Points of two classes as HDF5 files for HDF5Data: four numbers each, of which two tell the class.

The border between the classes is a parabola, so that a line, as logistic regression draws it, is not
enough.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import h5py
import numpy as np


def draw_points(rng: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Points (count, 4) float32 and their classes (count,): 1 above a parabola.

    One class in fifty is wrong.
    """
    points = rng.normal(size=(count, 4)).astype(np.float32)
    classes = points[:, 1] > 0.8 * points[:, 0] ** 2 - 0.6
    wrong = rng.random(count) < 0.02
    return points, (classes ^ wrong).astype(np.float32)


def write(folder: Path, name: str, parts: list[tuple[np.ndarray, np.ndarray]]) -> None:
    """Write each part as NAME_I.h5, and their paths into NAME.txt, which HDF5Data reads."""
    paths = []
    for number, (points, classes) in enumerate(parts):
        path = folder / f"{name}_{number}.h5"
        with h5py.File(path, "w") as file:
            file["data"] = points
            file["label"] = classes
        paths.append(path)
    (folder / f"{name}.txt").write_text("".join(f"{path}\n" for path in paths))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--train", type=int, default=8000)
    parser.add_argument("--test", type=int, default=2000)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(0)
    half = options.train // 2
    write(options.folder, "train", [draw_points(rng, half), draw_points(rng, half)])
    write(options.folder, "test", [draw_points(rng, options.test)])


if __name__ == "__main__":
    main()
