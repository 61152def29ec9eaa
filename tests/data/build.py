"""Pictures, lists, databases and layer parameters for the tests of this folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from caffepy.data.datum import encode
from caffepy.data.source import Source
from caffepy.data.stores import open_write
from caffepy.layers.core.random import CaffeRandom
from caffepy.proto import caffe_pb2
from caffepy.proto.text import parse

TRAIN, TEST = 0, 1
Pixels = npt.NDArray[np.uint8]


def write_movie(path: Path, frames: Sequence[Pixels]) -> Path:
    """A video file of (H, W, 3) pixels, in the codec that OpenCV itself brings."""
    height, width = frames[0].shape[:2]
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter_fourcc(*"MJPG"), 10, (width, height))
    for frame in frames:
        writer.write(frame)
    writer.release()
    return path


def all_frames(path: Path) -> list[Pixels]:
    """What OpenCV decodes of a video file."""
    video = cv2.VideoCapture(str(path))
    frames = []
    while True:
        there, image = video.read()
        if not there:
            return frames
        frames.append(np.asarray(image, np.uint8))


def layer(text: str) -> Any:
    """The LayerParameter of ``layer { ... }``'s inside."""
    param = caffe_pb2.LayerParameter()
    parse(text, param, file="test")
    return param


def picture(seed: int, height: int = 6, width: int = 8) -> Pixels:
    """Some (H, W, 3) pixels."""
    return np.random.default_rng(seed).integers(0, 256, (height, width, 3), np.uint8)


def write_images(folder: Path, count: int, *, height: int = 6, width: int = 8) -> Path:
    """``0.png``, ``1.png``, ... and ``list.txt`` with labels 10, 11, ...; the list's path."""
    folder.mkdir(parents=True, exist_ok=True)
    for i in range(count):
        cv2.imwrite(str(folder / f"{i}.png"), picture(i, height, width))
    listed = folder / "list.txt"
    listed.write_text("".join(f"{i}.png {10 + i}\n" for i in range(count)))
    return listed


def raw(image: Pixels, label: int, *, encoded: bool | None = None) -> bytes:
    """A raw Datum of (H, W, 3) pixels."""
    return encode(
        image.transpose(2, 0, 1).tobytes(),
        shape=(3, *image.shape[:2]),
        label=label,
        encoded=encoded,
    )


def png(image: Pixels, label: int) -> bytes:
    """An encoded Datum."""
    return encode(cv2.imencode(".png", image)[1].tobytes(), label=label, encoded=True)


def write_database(path: Path, records: Sequence[bytes], *, backend: str = "lmdb") -> str:
    """A database with keys 00000000, 00000001, ..."""
    with open_write(str(path), backend) as writer:
        for i, record in enumerate(records):
            writer.put(b"%08d" % i, record)
    return str(path)


def seeded(source: Source, seed: int = 1701) -> Source:
    """The source after it drew its seeds from a net's stream."""
    source.seed(CaffeRandom(seed))
    return source


def take(source: Source, batches: int) -> tuple[npt.NDArray[np.float32], ...]:
    """The next batches, joined, one array a top."""
    made = [[top.numpy().copy() for top in source.next()] for _ in range(batches)]
    return tuple(np.concatenate(tops) for tops in zip(*made))
