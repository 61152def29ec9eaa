"""Videos of a shape that moves one way or stays where it is, and their optical flow.

    python make_data.py --out FOLDER --train 1500 --test 120
    python make_data.py --out FOLDER --ucf101 UCF-101 --splits ucfTrainTestlist

FOLDER/videos/train_0001.avi            Motion JPEG, or a folder of image_0001.jpg, ... where OpenCV has no such codec
FOLDER/flow/train_0001/flow_x_0001.jpg  how far each pixel moves to the next frame, 128 where it does not
FOLDER/train_rgb.txt, train_flow.txt    lines of VideoData: video or folder, number of frames, class
FOLDER/classes.txt                      the names of the classes

A frame tells nothing of the class: a shape is as likely at one place as at another, whatever it does.
What leaves the picture on one side comes in on the other.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np

MOTIONS = ("left", "right", "up", "down", "still")
KINDS = ("circle", "square", "triangle", "cross")
SIDE = 24
FRAMES = 20
DIRECTIONS = {"left": (-1, 0), "right": (1, 0), "up": (0, -1), "down": (0, 1)}
FLOW_SCALE = 16  # gray values for a pixel of motion
CODEC = "MJPG"


@dataclass(frozen=True)
class Shape:
    """A shape and what does not change of it over time."""

    kind: str
    turn: float
    colour: np.ndarray

    def mask(self, centre: np.ndarray, radius: float) -> np.ndarray:
        """The part of each pixel that it covers, (24, 24) float, drawn at four times the size.

        What is beyond one edge is drawn at the other.
        """
        finer = 4
        mask = np.zeros((SIDE * finer, SIDE * finer), np.uint8)
        for outline in self._outlines(radius):
            for x in _copies(centre[0], radius):
                for y in _copies(centre[1], radius):
                    points = np.round((outline + np.array([x, y])) * finer).astype(np.int32)
                    cv2.fillPoly(mask, [points], 255)
        smaller = cv2.resize(mask, (SIDE, SIDE), interpolation=cv2.INTER_AREA)
        return smaller.astype(np.float32) / 255

    def _outlines(self, radius: float) -> list[np.ndarray]:
        if self.kind == "cross":
            arm = np.array([[1, 0.35], [-1, 0.35], [-1, -0.35], [1, -0.35]])
            outlines = [arm, arm[:, ::-1]]
        else:
            corners = {"circle": 24, "square": 4, "triangle": 3}[self.kind]
            angles = 2 * np.pi * np.arange(corners) / corners
            outlines = [np.stack([np.cos(angles), np.sin(angles)], axis=1)]
        cosine = np.cos(self.turn)
        sine = np.sin(self.turn)
        rotation = np.array([[cosine, -sine], [sine, cosine]])
        return [radius * outline @ rotation.T for outline in outlines]


def _copies(place: float, radius: float) -> list[float]:
    """Where a shape is along one axis, and where its copies beyond the edges can be seen."""
    return [
        x for x in (place - SIDE, place, place + SIDE) if -1.1 * radius < x < SIDE + 1.1 * radius
    ]


def draw_video(rng: np.random.Generator, motion: str) -> np.ndarray:
    """The frames of a video, (20, 24, 24, 3) uint8, BGR."""
    paper = rng.uniform(20, 100, 3)
    shape = Shape(str(rng.choice(KINDS)), rng.uniform(0, 2 * np.pi), rng.uniform(150, 255, 3))
    centre = rng.uniform(0, SIDE, 2)
    radius = rng.uniform(4, 7)
    speed = np.array(DIRECTIONS.get(motion, (0, 0))) * rng.uniform(1.8, 2.8)
    frames = []
    for time in range(FRAMES):
        mask = shape.mask((centre + speed * time) % SIDE, radius)[:, :, None]
        frame = paper * (1 - mask) + shape.colour * mask + rng.normal(0, 4, (SIDE, SIDE, 3))
        frames.append(np.clip(frame, 0, 255).astype(np.uint8))
    return np.stack(frames)


def write_video(path: Path, frames: np.ndarray) -> Path:
    """PATH.avi, or a folder PATH of pictures where OpenCV cannot write one."""
    height, width = frames.shape[1:3]
    file = path.with_suffix(".avi")
    writer = cv2.VideoWriter(str(file), cv2.VideoWriter_fourcc(*CODEC), 10, (width, height))
    if writer.isOpened():
        for frame in frames:
            writer.write(frame)
        writer.release()
        return file
    file.unlink(missing_ok=True)
    path.mkdir(parents=True, exist_ok=True)
    for number, frame in enumerate(frames, 1):
        cv2.imwrite(str(path / f"image_{number:04d}.jpg"), frame)
    return path


def write_flow(path: Path, frames: np.ndarray) -> int:
    """Farneback's flow between frames as gray pictures in a folder; how many there are of each axis."""
    path.mkdir(parents=True, exist_ok=True)
    grays = [cv2.cvtColor(frame, cv2.COLOR_BGR2GRAY) for frame in frames]
    for number, (before, after) in enumerate(pairwise(grays), 1):
        flow = cv2.calcOpticalFlowFarneback(before, after, None, 0.5, 2, 9, 2, 5, 1.1, 0)
        coded = np.clip(128 + FLOW_SCALE * flow, 0, 255).astype(np.uint8)
        for axis, name in enumerate(("x", "y")):
            cv2.imwrite(str(path / f"flow_{name}_{number:04d}.jpg"), coded[:, :, axis])
    return len(grays) - 1


def read_video(path: Path) -> np.ndarray:
    """All frames of a video file, made as large as the drawn ones."""
    video = cv2.VideoCapture(str(path))
    frames = []
    while True:
        there, frame = video.read()
        if not there:
            break
        frames.append(cv2.resize(frame, (SIDE, SIDE), interpolation=cv2.INTER_AREA))
    video.release()
    if len(frames) < 2:
        sys.exit(f"{path} is no video with two frames or more that OpenCV can decode")
    return np.stack(frames)


class Lists:
    """The lists of one part, which VideoData reads: a video's or folder's name, its number of frames, its class."""

    def __init__(self, out: Path, part: str) -> None:
        self.out = out
        self.part = part
        self.rgb: list[str] = []
        self.flow: list[str] = []

    def add(self, video: Path, frames: np.ndarray, label: int) -> None:
        """Add a video, and write its flow."""
        folder = self.out / "flow" / video.stem
        self.rgb.append(f"{video} {len(frames)} {label}\n")
        self.flow.append(f"{folder} {write_flow(folder, frames)} {label}\n")

    def write(self) -> None:
        for kind, lines in (("rgb", self.rgb), ("flow", self.flow)):
            (self.out / f"{self.part}_{kind}.txt").write_text("".join(lines))


def generate(out: Path, part: str, seed: int, count: int) -> None:
    """Draw the videos of one part, as many of each class."""
    rng = np.random.default_rng(seed)
    lists = Lists(out, part)
    for number in range(count):
        label = number % len(MOTIONS)
        frames = draw_video(rng, MOTIONS[label])
        video = write_video(out / "videos" / f"{part}_{number:04d}", frames)
        lists.add(video, frames, label)
    lists.write()


def take_ucf101(out: Path, videos: Path, splits: Path) -> list[str]:
    """The videos of UCF-101 and its first split. Returns the names of the classes."""
    lines = (splits / "classInd.txt").read_text().splitlines()
    names = [line.split()[1] for line in lines if line.strip()]
    for part in ("train", "test"):
        lists = Lists(out, part)
        for line in (splits / f"{part}list01.txt").read_text().splitlines():
            if not line.strip():
                continue
            name = line.split()[0]  # ApplyEyeMakeup/v_ApplyEyeMakeup_g08_c01.avi
            path = videos / name
            lists.add(path, read_video(path), names.index(name.partition("/")[0]))
        lists.write()
    return names


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--train", type=int, default=1500)
    parser.add_argument("--test", type=int, default=120)
    parser.add_argument("--ucf101", type=Path, help="the folder with a folder for each class")
    parser.add_argument(
        "--splits", type=Path, help="the folder of classInd.txt, trainlist01.txt, ..."
    )
    options = parser.parse_args()
    cv2.setNumThreads(1)  # the pictures are too small for more
    if min(options.train, options.test) < 1:
        sys.exit("--train and --test: needed: at least 1 video each")
    if (options.ucf101 is None) != (options.splits is None):
        sys.exit("--ucf101 and --splits: needed: both, or none")
    (options.out / "videos").mkdir(parents=True, exist_ok=True)
    names = list(MOTIONS)
    if options.ucf101 is None:
        generate(options.out, "train", 1, options.train)
        generate(options.out, "test", 2, options.test)
    else:
        names = take_ucf101(options.out, options.ucf101, options.splits)
    (options.out / "classes.txt").write_text("".join(f"{name}\n" for name in names))


if __name__ == "__main__":
    main()
