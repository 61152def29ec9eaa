"""Lines of digits as pictures, in HDF5 files for both nets.

    python make_data.py --out FOLDER --train 4000 --test 512
    python make_data.py --out FOLDER --pictures MY_PICTURES

With `--pictures` the lines are those of a folder of files `NAME-DIGITS.png` (or .jpg), as
warpctc-caffe's own example has them; of every ten files the last is for the test.

Each file has three datasets:
    data    (N, 1, 24, 80) float, dark digits as 1 on 0
    label   (N, 5) float, the digits, and behind the last one the blank's number, 10 (CtcLoss)
    target  (N, 5) float, the digits, and behind the last one -1 (CTCLoss)
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import cv2
import h5py
import numpy as np

HEIGHT = 24
WIDTH = 80
MOST_DIGITS = 5
BLANK = 10
FONTS = (
    cv2.FONT_HERSHEY_SIMPLEX,
    cv2.FONT_HERSHEY_DUPLEX,
    cv2.FONT_HERSHEY_COMPLEX,
    cv2.FONT_HERSHEY_TRIPLEX,
    cv2.FONT_HERSHEY_COMPLEX | cv2.FONT_ITALIC,
)
ENDINGS = (".png", ".jpg", ".jpeg")


def draw_line(rng: np.random.Generator, digits: list[int]) -> np.ndarray:
    """A line of digits, (24, 80) float: one font, each digit with its own place, size and turn."""
    font = int(rng.choice(FONTS))
    thickness = int(rng.integers(1, 3))
    slant = rng.uniform(-0.25, 0.25)
    room = WIDTH / len(digits)
    step = rng.uniform(min(11.5, room), min(15, room))
    x = rng.uniform(0, WIDTH - step * len(digits))
    line = np.zeros((HEIGHT, WIDTH), np.float32)
    for digit in digits:
        glyph = draw_digit(digit, font, thickness)
        scale = rng.uniform(0.8, 1)
        turn = rng.uniform(-0.15, 0.15)
        centre = (x + step / 2 + rng.uniform(-1, 1), HEIGHT / 2 + rng.uniform(-2.5, 2.5))
        line = np.maximum(line, place(glyph, scale, turn, slant, centre))
        x += step
    return with_noise(rng, line)


def draw_digit(digit: int, font: int, thickness: int) -> np.ndarray:
    """One digit in the middle of a picture of 40 by 40, at twice its size."""
    glyph = np.zeros((40, 40), np.uint8)
    (width, height), _ = cv2.getTextSize(str(digit), font, 1.1, 2 * thickness)
    corner = (20 - width // 2, 20 + height // 2)
    cv2.putText(glyph, str(digit), corner, font, 1.1, 255, 2 * thickness, cv2.LINE_AA)
    return glyph


def place(
    glyph: np.ndarray, scale: float, turn: float, slant: float, centre: tuple[float, float]
) -> np.ndarray:
    """The digit at its place on an empty line, halved and then scaled, turned and slanted."""
    rotation = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    matrix = 0.5 * scale * rotation @ np.array([[1, -slant], [0, 1]])
    shift = np.array(centre) - matrix @ np.array([20.0, 20.0])
    affine = np.concatenate([matrix, shift[:, None]], axis=1)
    line = cv2.warpAffine(glyph, affine, (WIDTH, HEIGHT), flags=cv2.INTER_AREA)
    return line.astype(np.float32) / 255


def with_noise(rng: np.random.Generator, line: np.ndarray) -> np.ndarray:
    """Ink of one strength on paper with a shade, specks and grain."""
    paper = cv2.resize(rng.uniform(0, 0.3, (2, 4)).astype(np.float32), (WIDTH, HEIGHT))
    ink = rng.uniform(0.6, 1)
    grain = rng.normal(0, 0.06, line.shape)
    specks = (rng.uniform(size=line.shape) < 0.01) * 0.4
    return np.clip(paper + ink * line + grain + specks, 0, 1).astype(np.float32)


def generated(seed: int, count: int) -> tuple[np.ndarray, list[list[int]]]:
    """Pictures (N, 24, 80) of lines of 1 to 5 digits, and the digits."""
    rng = np.random.default_rng(seed)
    lines = []
    for _ in range(count):
        length = rng.integers(1, MOST_DIGITS + 1)
        lines.append([int(digit) for digit in rng.integers(0, 10, length)])
    return np.stack([draw_line(rng, digits) for digits in lines]), lines


def own(folder: Path) -> tuple[np.ndarray, list[list[int]]]:
    """The pictures of a folder of files NAME-DIGITS.png, resized, and their digits."""
    pictures = []
    lines = []
    for path in sorted(folder.iterdir()):
        text = path.stem.rpartition("-")[2]
        if path.suffix.lower() not in ENDINGS:
            continue
        if not (text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS):
            sys.exit(f"{path}: needed: a name NAME-DIGITS with 1 to {MOST_DIGITS} digits")
        image = cv2.imread(str(path), cv2.IMREAD_GRAYSCALE)
        if image is None:
            sys.exit(f"{path} is no picture that OpenCV can read")
        image = cv2.resize(image, (WIDTH, HEIGHT), interpolation=cv2.INTER_AREA)
        pictures.append(1 - image.astype(np.float32) / 255)
        lines.append([int(digit) for digit in text])
    if len(lines) < 10:
        sys.exit(f"{folder} has {len(lines)} pictures NAME-DIGITS.png; needed: at least 10")
    return np.stack(pictures), lines


def rows(lines: list[list[int]], behind: int) -> np.ndarray:
    """The digits as rows of one length, (N, 5) float, with `behind` after the last of each."""
    table = np.full((len(lines), MOST_DIGITS), behind, np.float32)
    for row, digits in zip(table, lines):
        row[: len(digits)] = digits
    return table


def write(out: Path, name: str, pictures: np.ndarray, lines: list[list[int]]) -> None:
    """Write NAME.h5, and NAME.txt, the list of one file that HDF5Data reads."""
    path = out / f"{name}.h5"
    with h5py.File(path, "w") as file:
        file["data"] = pictures[:, None]
        file["label"] = rows(lines, BLANK)
        file["target"] = rows(lines, -1)
    (out / f"{name}.txt").write_text(f"{path}\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--train", type=int, default=4000)
    parser.add_argument("--test", type=int, default=512)
    parser.add_argument("--pictures", type=Path)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    if options.pictures is None:
        write(options.out, "train", *generated(1, options.train))
        write(options.out, "test", *generated(2, options.test))
        return
    pictures, lines = own(options.pictures)
    last = np.arange(len(lines)) % 10 == 9
    for name, chosen in (("train", ~last), ("test", last)):
        places = np.flatnonzero(chosen)
        write(options.out, name, pictures[places], [lines[i] for i in places])


if __name__ == "__main__":
    main()
