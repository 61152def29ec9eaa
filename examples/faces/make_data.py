"""Writes pictures of people who do not exist, in the layout of LFW.

    python make_data.py FOLDER --people 300 --pictures 16

FOLDER/person_0001/person_0001_0001.jpg   the pictures, people from 1 and pictures from 1
FOLDER/pairs.txt                          pairs of the last `--test` people, as LFW's pairs.txt:
    folds, tab, pairs of each sort in a fold; then in each fold lines `name i j` of one person,
    and lines `name i name j` of two
"""

from __future__ import annotations

import argparse
from pathlib import Path

import cv2
import numpy as np
from draw_face import draw_person, draw_picture


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--people", type=int, default=300, help="people to train on")
    parser.add_argument("--test", type=int, default=60, help="people of the pairs")
    parser.add_argument("--pictures", type=int, default=16, help="pictures of each person")
    parser.add_argument("--folds", type=int, default=10)
    parser.add_argument("--pairs", type=int, default=150, help="pairs of each sort in a fold")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    names = [f"person_{i:04d}" for i in range(1, options.people + options.test + 1)]
    for name in names:
        write_person(options.folder, name, options.pictures, rng)
    pairs = draw_pairs(names[options.people :], options.pictures, options.folds, options.pairs, rng)
    (options.folder / "pairs.txt").write_text(pairs)


def write_person(folder: Path, name: str, pictures: int, rng: np.random.Generator) -> None:
    """A new person's pictures."""
    (folder / name).mkdir(parents=True, exist_ok=True)
    person = draw_person(rng)
    for i in range(1, pictures + 1):
        path = folder / name / f"{name}_{i:04d}.jpg"
        cv2.imwrite(str(path), draw_picture(rng, person), [cv2.IMWRITE_JPEG_QUALITY, 95])


def draw_pairs(
    names: list[str], pictures: int, folds: int, pairs: int, rng: np.random.Generator
) -> str:
    """The text of pairs.txt. A fold has its own people, as in LFW."""
    lines = [f"{folds}\t{pairs}"]
    for fold in range(folds):
        people = names[fold::folds]
        for _ in range(pairs):
            first, second = rng.choice(pictures, 2, replace=False) + 1
            lines.append(f"{rng.choice(people)}\t{first}\t{second}")
        for _ in range(pairs):
            one, other = rng.choice(people, 2, replace=False)
            first, second = rng.integers(1, pictures + 1, 2)
            lines.append(f"{one}\t{first}\t{other}\t{second}")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
