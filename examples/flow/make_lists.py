"""Prepares a folder in the layout of FlyingChairs for training and test.

    python make_lists.py FOLDER --out FOLDER [--height 96 --width 128 --limit 2000]

img0.txt, img1.txt   the pictures of the pairs for training, for ImageData layers
flow.h5, flow.txt    their flows, (N, 2, height, width) float32, and the list for HDF5Data
test.txt             the numbers of the pairs for the test

Flows become as large as the pictures that the net sees, and their vectors longer or shorter alike.
The folder needs FlyingChairs_train_val.txt; where it has none, each tenth pair is for the test.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import h5py
import numpy as np
from flo import read_flow, resize_flow
from make_data import SPLIT


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--height", type=int, default=64)
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--limit", type=int, default=2000, help="pairs for training at most")
    parser.add_argument("--tested", type=int, default=100, help="pairs for the test at most")
    options = parser.parse_args()
    if options.height % 8 or options.width % 8:
        sys.exit(f"{options.height} x {options.width}: needed are multiples of 8")
    train, test = split(options.folder)
    train = train[: options.limit]
    for i in (0, 1):
        lines = [f"{options.folder}/{name}_img{i + 1}.ppm 0\n" for name in train]
        (options.out / f"img{i}.txt").write_text("".join(lines))
    with h5py.File(options.out / "flow.h5", "w") as file:
        shape = (len(train), 2, options.height, options.width)
        flows = file.create_dataset("flow_gt", shape, np.float32)
        for i, name in enumerate(train):
            flow = read_flow(options.folder / f"{name}_flow.flo")
            flows[i] = resize_flow(flow, options.height, options.width).transpose(2, 0, 1)
    (options.out / "flow.txt").write_text(f"{options.out}/flow.h5\n")
    (options.out / "test.txt").write_text("".join(f"{name}\n" for name in test[: options.tested]))


def split(folder: Path) -> tuple[list[str], list[str]]:
    """The names of the pairs for training, and of those for the test."""
    names = sorted(path.name.removesuffix("_flow.flo") for path in folder.glob("*_flow.flo"))
    if (folder / SPLIT).is_file():
        kinds = (folder / SPLIT).read_text(encoding="utf-8").split()
        if len(kinds) != len(names):
            sys.exit(
                f"{folder / SPLIT}: {len(kinds)} lines; needed: {len(names)}, one for each pair"
            )
    else:
        kinds = ["2" if i % 10 == 9 else "1" for i in range(len(names))]
    train = [name for name, kind in zip(names, kinds) if kind == "1"]
    test = [name for name, kind in zip(names, kinds) if kind != "1"]
    if not train or not test:
        sys.exit(
            f"{folder}: {len(train)} pairs for training, {len(test)} for the test; needed: some"
        )
    return train, test


if __name__ == "__main__":
    main()
