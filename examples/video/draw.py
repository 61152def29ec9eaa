"""A picture of some videos of the test, what three nets say of them, and curves of accuracy.

python draw.py --out FOLDER
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path

import caffe
import cv2
import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt

NETS = ("lrcn", "c3d", "tsn")
SCORES = {"lrcn": "fc8-final", "c3d": "fc8", "tsn": "scores"}
SHOWN = 6  # videos
TESTED = re.compile(r"Iteration (\d+), Testing net|Test net output #\d+: accuracy = (\S+)")


def newest(out: Path, net: str) -> Path:
    """The trained weights of a net."""
    files = out.glob(f"{net}_iter_*.caffemodel")
    return max(files, key=lambda path: int(path.stem.rpartition("_")[2]))


def predict(out: Path, net: str, batches: int) -> tuple[np.ndarray, np.ndarray]:
    """Classes (steps, N) that a net gives to the test's videos, and the right ones (N,).

    LRCN has as many steps as frames, the others one.
    """
    trained = caffe.Net(str(out / f"{net}.prototxt"), caffe.TEST, weights=str(newest(out, net)))
    classes = []
    labels = []
    for _ in range(batches):
        trained.forward()
        scores = trained.blobs[SCORES[net]].data
        best = scores.argmax(scores.ndim - 1)
        classes.append(best.copy() if best.ndim == 2 else best[None].copy())
        labels.append(trained.blobs["label"].data.flatten().astype(int))
    return np.concatenate(classes, axis=1), np.concatenate(labels)


def curve(log: str) -> tuple[list[int], list[float]]:
    """Iterations and accuracies of a training's tests."""
    iterations: list[int] = []
    accuracies: list[float] = []
    for iteration, accuracy in TESTED.findall(log):
        if iteration:
            iterations.append(int(iteration))
        else:
            accuracies.append(float(accuracy))
    return iterations[: len(accuracies)], accuracies


def frames(line: str, count: int = 8) -> np.ndarray:
    """Frames from the middle of a listed video, as VideoData takes them, side by side and RGB."""
    name, number, _ = line.rsplit(" ", 2)
    start = (int(number) - count + 1) // 2
    images = []
    video = cv2.VideoCapture(name)
    for i in range(start + count):
        if Path(name).is_dir():
            image = cv2.imread(str(Path(name) / f"image_{i + 1:04d}.jpg"))
        else:
            image = video.read()[1]
        image = cv2.resize(image, (64, 64), interpolation=cv2.INTER_NEAREST)
        images.append(np.pad(image, ((0, 0), (2, 2), (0, 0)), constant_values=255))
    video.release()
    return cv2.cvtColor(np.concatenate(images[start:], axis=1), cv2.COLOR_BGR2RGB)


def choose(labels: np.ndarray) -> list[int]:
    """The first video of each class, of six classes at most."""
    return [int(np.flatnonzero(labels == label)[0]) for label in np.unique(labels)[:SHOWN]]


def draw_rows(axes: np.ndarray, lines: list[str], texts: list[str]) -> None:
    """The frames of each video, with a text above."""
    for axis, line, text in zip(axes, lines, texts):
        axis.imshow(frames(line))
        axis.set_title(text, fontsize=8, pad=2, loc="left")
        axis.axis("off")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    out = parser.parse_args().out
    names = (out / "classes.txt").read_text().split("\n")
    lines = (out / "test_rgb.txt").read_text().splitlines()
    found = {net: predict(out, net, (len(lines) + 19) // 20) for net in NETS}
    labels = found["lrcn"][1]

    figure = plt.figure(figsize=(8, 5), layout="constrained")
    left, right = figure.subfigures(1, 2, width_ratios=[5, 3])
    shown = choose(labels)
    texts = []
    for i in shown:
        said = ", ".join(f"{net.upper()} {names[found[net][0][-1, i]]}" for net in NETS)
        texts.append(f"{names[labels[i]]}  ({said})")
    draw_rows(left.subplots(len(shown), 1, squeeze=False)[:, 0], [lines[i] for i in shown], texts)

    top, bottom = right.subplots(2, 1)
    before = 0
    for net in NETS:
        log = (out / f"train_to_{net}.log").read_text()
        top.plot(*curve(log[before:]), marker=".", label=net.upper())
        before = len(log)
    top.set(xlabel="iteration", ylabel="accuracy", ylim=(0, 1.03))
    top.legend(fontsize=8, loc="lower right")
    steps = (found["lrcn"][0] == labels).mean(1)
    bottom.plot(range(1, len(steps) + 1), steps, marker="o")
    bottom.axhline(1 / len(set(labels)), color="gray", linestyle=":", label="by chance")
    bottom.set(xlabel="frames that LRCN has seen", ylabel="accuracy", ylim=(0, 1.03))
    bottom.legend(fontsize=8, loc="lower right")
    figure.savefig(out / "video.png", dpi=100)


if __name__ == "__main__":
    main()
