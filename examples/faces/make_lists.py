"""Lists for training, from a folder in the layout of LFW.

    python make_lists.py FOLDER --out FOLDER [--people FOLDER] --triplets 20000

train.txt                            a line `picture person` for each picture; people from 0
anchor.txt, positive.txt, negative.txt
                                     triplets: line i of anchor and positive are pictures of one
                                     person, line i of negative is of another

People who are named in pairs.txt are left out: they are for the test.
`--people` names another folder for training, with people of whom pairs.txt knows nothing.
The last line that is printed is the number of people.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--people", type=Path, help="people to train on (default: the same folder)")
    parser.add_argument("--least", type=int, default=4, help="pictures that a person needs")
    parser.add_argument("--triplets", type=int, default=12800)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    tested = named_people(options.folder / "pairs.txt")
    people = find_people(options.people or options.folder, tested, options.least)
    if len(people) < 2:
        sys.exit(
            f"{options.people or options.folder}: {len(people)} people have {options.least} pictures"
            " and are not in pairs.txt; needed: at least 2"
        )
    lines = []
    for label, pictures in enumerate(people):
        lines.extend(f"{path} {label}\n" for path in pictures)
    (options.out / "train.txt").write_text("".join(lines))
    rng = np.random.default_rng(options.seed)
    for name, column in zip(
        ("anchor", "positive", "negative"), draw_triplets(people, options.triplets, rng)
    ):
        (options.out / f"{name}.txt").write_text("".join(column))
    print(len(people))


def named_people(pairs: Path) -> set[str]:
    """The people of pairs.txt."""
    if not pairs.is_file():
        sys.exit(f"{pairs} is missing; needed: LFW's list of pairs for the test")
    names = set()
    for line in pairs.read_text(encoding="utf-8").splitlines()[1:]:
        words = line.split("\t")
        names.update(words[::2] if len(words) == 4 else words[:1])
    return names


def find_people(folder: Path, tested: set[str], least: int) -> list[list[Path]]:
    """The pictures of each person who is not tested and has at least `least` of them."""
    people = []
    for person in sorted(folder.iterdir()):
        if person.is_dir() and person.name not in tested:
            pictures = sorted(person.glob("*.jpg"))
            if len(pictures) >= least:
                people.append(pictures)
    return people


def draw_triplets(
    people: list[list[Path]], count: int, rng: np.random.Generator
) -> tuple[list[str], list[str], list[str]]:
    """Lines for the three lists."""
    columns: tuple[list[str], list[str], list[str]] = ([], [], [])
    for _ in range(count):
        one, other = rng.choice(len(people), 2, replace=False)
        first, second = rng.choice(len(people[one]), 2, replace=False)
        columns[0].append(f"{people[one][first]} {one}\n")
        columns[1].append(f"{people[one][second]} {one}\n")
        columns[2].append(f"{people[other][rng.integers(len(people[other]))]} {other}\n")
    return columns


if __name__ == "__main__":
    main()
