"""Draws pairs of pictures with their true flow, the flows of both nets, and the last one's errors.

python draw.py FOLDER --list test.txt --out flow.png FlowNet-C=FOLDER1 stacked=FOLDER2
"""

from __future__ import annotations

import argparse
from pathlib import Path

import cv2
import matplotlib as mpl
import numpy as np
from flo import colours, end_point_errors, read_flow, resize_flow
from predict import read_picture

mpl.use("Agg")
from matplotlib import pyplot as plt

ROWS = 4
LARGEST_ERROR = 3.0
"""Pixels that are drawn in the full colour of the errors."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("nets", nargs="+", help="NAME=FOLDER with the flows of a net")
    parser.add_argument("--list", type=Path, required=True)
    parser.add_argument("--out", required=True)
    options = parser.parse_args()
    names = options.list.read_text().split()[:ROWS]
    nets = dict(given.split("=", 1) for given in options.nets)
    headings = ["first", "second", "true flow", *nets, f"error, black to {LARGEST_ERROR:g} px"]
    size = (1.6 * len(headings), 1.6 * len(names) + 0.3)
    figure, table = plt.subplots(len(names), len(headings), figsize=size, dpi=80, squeeze=False)
    for row, name in zip(table, names):
        flows = [read_flow(Path(folder) / f"{name}_flow.flo") for folder in nets.values()]
        for axes, image in zip(row, panels(options.folder, name, flows)):
            axes.imshow(image)
            axes.axis("off")
        error = end_point_errors(flows[-1], truth_of(options.folder, name, flows[-1])).mean()
        row[-1].text(0.03, 0.05, f"{error:.2f} px", color="w", transform=row[-1].transAxes)
    for axes, heading in zip(table[0], headings):
        axes.set_title(heading, fontsize=8)
    figure.tight_layout(pad=0.3)
    figure.savefig(options.out)


def truth_of(folder: Path, name: str, flow: np.ndarray) -> np.ndarray:
    """The true flow, in the size of another flow."""
    return resize_flow(read_flow(folder / f"{name}_flow.flo"), *flow.shape[:2])


def panels(folder: Path, name: str, flows: list[np.ndarray]) -> list[np.ndarray]:
    """A row of pictures, RGB: the pair, the true flow, the flows, the errors of the last one."""
    truth = truth_of(folder, name, flows[-1])
    longest = float(np.nanmax(np.linalg.norm(truth, axis=2)))
    images = []
    for i in (1, 2):
        images.append(read_picture(folder / f"{name}_img{i}.ppm", *truth.shape[:2])[:, :, ::-1])
    images.extend(colours(flow, longest) for flow in (truth, *flows))
    error = np.nan_to_num(np.linalg.norm(flows[-1] - truth, axis=2)) / LARGEST_ERROR
    shades = (np.clip(error, 0, 1) * 255).astype(np.uint8)
    images.append(cv2.applyColorMap(shades, cv2.COLORMAP_HOT)[:, :, ::-1])
    return images


if __name__ == "__main__":
    main()
