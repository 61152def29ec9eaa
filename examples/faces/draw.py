"""Draws faces and the ROC curves of several nets.

    python draw.py FOLDER --out faces.png CenterLoss=centerface.txt A-Softmax=sphereface.txt ...

FOLDER has the layout of LFW, with pairs.txt; the files are those that verify.py wrote.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import cv2
import matplotlib as mpl
import numpy as np
from pairs import area, read_pairs

mpl.use("Agg")
from matplotlib import pyplot as plt
from matplotlib.axes import Axes

ROWS, COLUMNS = 6, 6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("curves", nargs="+", help="NAME=FILE of scores")
    parser.add_argument("--out", required=True)
    options = parser.parse_args()
    figure, (left, right) = plt.subplots(1, 2, figsize=(8, 4), dpi=100)
    left.imshow(faces(options.folder))
    left.set_title("people that no net has seen, one in each row", fontsize=9)
    left.axis("off")
    for curve in options.curves:
        name, file = curve.split("=", 1)
        draw_curve(right, name, Path(file))
    right.set(xlabel="other people taken for the same", ylabel="same people recognised")
    right.set(xlim=(0, 0.5), ylim=(0.5, 1.005))
    right.grid(alpha=0.3)
    right.legend(loc="lower right", fontsize=8)
    figure.tight_layout()
    figure.savefig(options.out)


def faces(folder: Path) -> np.ndarray:
    """Some people of pairs.txt, RGB: a row for each, with some of the pictures."""
    people = []
    for pair in read_pairs(folder):
        if pair.left.parent not in people:
            people.append(pair.left.parent)
    people.sort(key=lambda person: -len(list(person.glob("*.jpg"))))
    rows = [row_of_faces(person) for person in people[:ROWS]]
    return np.vstack(rows)


def row_of_faces(person: Path) -> np.ndarray:
    """The first pictures of a person, beside one another."""
    row = np.full((84, 72 * COLUMNS, 3), 255, np.uint8)
    for column, path in enumerate(sorted(person.glob("*.jpg"))[:COLUMNS]):
        image = cv2.resize(cv2.imread(str(path)), (72, 84), interpolation=cv2.INTER_CUBIC)
        row[:, column * 72 : (column + 1) * 72] = image[:, :, ::-1]
    return row


def draw_curve(axes: Axes, name: str, file: Path) -> None:
    """A ROC curve, with the area under it in the legend."""
    table = np.loadtxt(file)
    scores = table[:, 0]
    same = table[:, 1] > 0
    ranked = same[np.argsort(-scores)]
    accepted = np.cumsum(ranked) / same.sum()
    wrong = np.cumsum(~ranked) / (~same).sum()
    axes.plot(wrong, accepted, label=f"{name}: AUC {area(scores, same):.3f}")


if __name__ == "__main__":
    main()
