"""A picture of lines of the test, what both nets read, and what they say at each time step.

python draw.py --out FOLDER --iterations 500
"""

from __future__ import annotations

import argparse
from pathlib import Path

import caffe
import h5py
import matplotlib
import numpy as np
from make_data import BLANK, MOST_DIGITS

matplotlib.use("Agg")
import matplotlib.pyplot as plt

NETS = ("lstm", "blstm")


def read_lines(out: Path, net: str, iterations: int, pictures: np.ndarray) -> np.ndarray:
    """Probabilities (N, time steps, classes) of pictures (N, 1, H, W), by the trained net."""
    reader = caffe.Net(
        str(out / f"{net}_ctc.prototxt"),
        caffe.TEST,
        weights=str(out / f"{net}_iter_{iterations}.caffemodel"),
        stages=["deploy"],
    )
    reader.blobs["data"].reshape(*pictures.shape)
    reader.reshape()
    reader.blobs["data"].data[...] = pictures
    prob = reader.forward()["prob"]
    # lstm_ctc.prototxt has the lines first, blstm_ctc.prototxt the time steps
    return prob if prob.shape[0] == len(pictures) else prob.transpose(1, 0, 2)


def decode(prob: np.ndarray) -> str:
    """The digits of one line's probabilities: the best of each step, repetitions merged, no blanks."""
    best = prob.argmax(1)
    changes = np.append(True, best[1:] != best[:-1])
    return "".join(str(digit) for digit in best[changes & (best != BLANK)])


def choose(labels: np.ndarray, count: int) -> list[int]:
    """Lines of every length in turn, as they come."""
    lengths = (labels != BLANK).sum(1)
    chosen: list[int] = []
    while len(chosen) < count:
        before = len(chosen)
        for length in range(MOST_DIGITS, 0, -1):
            left = [int(i) for i in np.flatnonzero(lengths == length) if i not in chosen]
            chosen += left[:1]
        if len(chosen) == before:
            break
    return chosen[:count]


def draw(pictures: np.ndarray, labels: np.ndarray, probs: list[np.ndarray], path: Path) -> None:
    """One row for each line: its picture, and a chart of probabilities for each net."""
    rows = len(pictures)
    figure, axes = plt.subplots(rows, 3, figsize=(8, 1.05 * rows), squeeze=False)
    for i, row in enumerate(axes):
        truth = "".join(str(int(digit)) for digit in labels[i] if digit != BLANK)
        row[0].imshow(1 - pictures[i, 0], cmap="gray", vmin=0, vmax=1)
        row[0].set_title(truth, fontsize=9, pad=2)
        row[0].set_xticks([])
        row[0].set_yticks([])
        for axis, net, prob in zip(row[1:], NETS, probs):
            read = decode(prob[i])
            colour = "black" if read == truth else "red"
            axis.imshow(prob[i].T, cmap="Blues", vmin=0, vmax=1, aspect="auto")
            axis.set_title(f"{net.upper()} reads {read}", fontsize=9, pad=2, color=colour)
            axis.set_xticks([])
            axis.set_yticks([0, 5, BLANK], ["0", "5", "blank"], fontsize=6)
    axes[-1][1].set_xlabel("time steps, one for 4 pixels", fontsize=7)
    axes[-1][2].set_xlabel("probability of each digit and of the blank", fontsize=7)
    figure.tight_layout(h_pad=0.3, w_pad=0.5)
    figure.savefig(path, dpi=100)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--iterations", type=int, required=True)
    options = parser.parse_args()
    with h5py.File(options.out / "test.h5") as file:
        labels = file["label"][:]
        chosen = choose(labels, 8)
        labels = labels[chosen]
        pictures = np.stack([file["data"][i] for i in chosen])
    probs = [read_lines(options.out, net, options.iterations, pictures) for net in NETS]
    draw(pictures, labels, probs, options.out / "ocr.png")


if __name__ == "__main__":
    main()
