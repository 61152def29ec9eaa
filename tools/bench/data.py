#!/usr/bin/env python3
"""How fast data come: caffepy's sources and converter beside plain loops over the same records, taking turns in one process.

Per core: the process stays on one core, and figures are microseconds of processor time an image. The plain loop reads an LMDB
as its binding's examples do, parses each Datum with protobuf, and crops, mirrors and subtracts with numpy. Decoding is compared
with a bare ``cv2.imdecode`` of the same bytes, converting with a bare ``cv2.imread`` and ``cv2.resize`` of the same files.
Then ``convert_imageset`` on all cores by the clock, and the share of a training iteration that waits for data.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import cv2
import lmdb
import numpy as np
import numpy.typing as npt

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from caffepy.data.convert.imageset import Options, convert  # noqa: E402
from caffepy.data.database import DataSource  # noqa: E402
from caffepy.data.datum import encode  # noqa: E402
from caffepy.data.stores import open_write  # noqa: E402
from caffepy.proto import caffe_pb2  # noqa: E402
from caffepy.proto.text import parse  # noqa: E402
from caffepy.proto.weights import write_blob  # noqa: E402

Pixels = npt.NDArray[np.uint8]
TRAIN = 0
LAYER = """
layer {{ name: "data" type: "Data" top: "data" top: "label"
  transform_param {{ mirror: {mirror} crop_size: {crop} mean_file: "{mean}" }}
  data_param {{ source: "{source}" batch_size: {batch} backend: LMDB }} }}
"""


def photo(height: int, width: int, seed: int) -> Pixels:
    """A picture (H, W, 3) with the detail of a photograph: clouds of several sizes, and grain; its JPEGs are as big as those of real ones."""
    generator = np.random.default_rng(seed)
    total = np.zeros((height, width, 3), np.float32)
    for cells in (3, 7, 19, 47):
        coarse = generator.normal(0, 90 / cells**0.4, (cells, cells, 3)).astype(np.float32)
        total += cv2.resize(coarse, (width, height), interpolation=cv2.INTER_CUBIC)
    return np.clip(total + generator.normal(128, 7, total.shape), 0, 255).astype(np.uint8)


class Records:
    """An LMDB of pictures with its mean file, and three ways to make batches of it."""

    def __init__(self, folder: Path, *, side: int, count: int, batch: int, crop: int = 0, mirror: bool = False, jpeg: bool = False) -> None:
        self.path, self.mean_file, self.batch, self.crop, self.mirror = str(folder), f"{folder}.binaryproto", batch, crop, mirror
        self.side, self.mean = side, np.random.default_rng(0).random((3, side, side), np.float32) * 255
        self.images: list[bytes] = []
        with open_write(self.path, "lmdb") as writer:
            for i in range(count):
                pixels = photo(side, side, i % 50)
                if jpeg:
                    self.images.append(cv2.imencode(".jpg", pixels)[1].tobytes())
                    datum = encode(self.images[-1], label=i % 10, encoded=True)
                else:
                    datum = encode(pixels.transpose(2, 0, 1).tobytes(), shape=(3, side, side), label=i % 10, encoded=False)
                writer.put(b"%08d" % i, datum)
        write_blob(self.mean_file, self.mean[None])
        shutil.copytree(folder, f"{folder}.copy")  # one process can open a database only once

    def ours(self) -> Callable[[], object]:
        """Makes the next batch as the Data layer does."""
        layer = LAYER.format(mirror=str(self.mirror).lower(), crop=self.crop, mean=self.mean_file, source=self.path, batch=self.batch)
        net = caffe_pb2.NetParameter()
        parse(layer, net, file="bench")
        return DataSource(net.layer[0], TRAIN).next

    def plain(self) -> Callable[[], object]:
        """The loop that one would write."""
        transaction = lmdb.open(f"{self.path}.copy", readonly=True, lock=False).begin()
        cursor = transaction.cursor()
        size = self.crop or self.side
        most = self.side - size + 1

        def next_batch() -> object:
            data = np.empty((self.batch, 3, size, size), np.float32)
            labels = np.empty(self.batch, np.float32)
            for i in range(self.batch):
                if not cursor.next():
                    cursor.first()
                datum = caffe_pb2.Datum.FromString(cursor.value())
                image = np.frombuffer(datum.data, np.uint8).reshape(datum.channels, datum.height, datum.width)
                top, left = random.randrange(most), random.randrange(most)
                window = np.s_[:, top : top + size, left : left + size]
                values = image[window].astype(np.float32) - self.mean[window]
                data[i] = values[:, :, ::-1] if self.mirror and random.random() < 0.5 else values
                labels[i] = datum.label
            return data, labels

        return next_batch

    def decoded(self) -> Callable[[], object]:
        """Only decodes as many JPEGs as a batch has."""
        place = 0

        def next_batch() -> object:
            nonlocal place
            found = [
                cv2.imdecode(np.frombuffer(self.images[(place + i) % len(self.images)], np.uint8), cv2.IMREAD_COLOR)
                for i in range(self.batch)
            ]
            place += self.batch
            return found

        return next_batch


def alternate(
    ours: Callable[[], object], theirs: Callable[[], object], images: int, options: argparse.Namespace
) -> tuple[float, float, float]:
    """Microseconds an image of both, medians over the rounds, and the median of theirs / ours."""
    clock = time.process_time if options.clock == "cpu" else time.perf_counter
    times: tuple[list[float], list[float]] = ([], [])
    ours(), theirs()
    for turn in range(options.rounds):
        for which in (0, 1) if turn % 2 == 0 else (1, 0):
            done, started = 0, clock()
            while done == 0 or clock() - started < options.block_s:
                (ours, theirs)[which]()
                done += images
            times[which].append((clock() - started) / done * 1e6)
    return median(times[0]), median(times[1]), median(b / a for a, b in zip(*times))


def report(name: str, figures: tuple[float, float, float], needed: str, *, ratio_of_ours: bool = False) -> None:
    """One row of the table."""
    ours, theirs, ratio = figures
    shown = 1 / ratio if ratio_of_ours else ratio
    print(f"{name:44} {ours:10.1f} {theirs:10.1f} {1e6 / ours:10.0f} {shown:7.2f}  {needed}", flush=True)


def convert_images(folder: Path, options: argparse.Namespace) -> None:
    """``convert_imageset -resize_width=256 -resize_height=256`` on photographs of 500x375."""
    count = options.images
    pictures = folder / "pictures"
    pictures.mkdir()
    for i in range(count):
        cv2.imwrite(str(pictures / f"{i}.jpg"), photo(375, 500, i % 50))
    (folder / "list.txt").write_text("".join(f"{i}.jpg {i % 10}\n" for i in range(count)))
    made = 0

    def ours() -> None:
        nonlocal made
        made += 1
        convert(f"{pictures}/", str(folder / "list.txt"), str(folder / f"made{made}"), Options(resize_width=256, resize_height=256))

    def theirs() -> None:
        for i in range(count):
            cv2.resize(cv2.imread(str(pictures / f"{i}.jpg")), (256, 256))

    report("convert_imageset 500x375 to 256 / imread+resize", alternate(ours, theirs, count, options), "<= 1.15", ratio_of_ours=True)


def main() -> None:
    """Measure and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9, help="turns of each side")
    parser.add_argument("--block-s", type=float, default=0.4, help="seconds of one turn")
    parser.add_argument("--images", type=int, default=200, help="photographs to convert")
    parser.add_argument("--clock", choices=("cpu", "wall"), default="cpu", help="cpu: processor time, for a machine in use")
    options = parser.parse_args()
    cores = os.sched_getaffinity(0)
    cv2.setNumThreads(1)
    print(f"{'one core':44} {'caffepy us':>10} {'other us':>10} {'images/s':>10} {'ratio':>7}  needed")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.sched_setaffinity(0, {min(cores)})
        raw = Records(folder / "raw", side=256, count=200, batch=32, crop=227, mirror=True)
        report("raw 256x256x3, crop 227, mirror, mean file", alternate(raw.ours(), raw.plain(), 32, options), ">= 1.70")
        small = Records(folder / "small", side=32, count=5000, batch=100)
        report("raw 32x32x3, mean file", alternate(small.ours(), small.plain(), 100, options), ">= 2.50")
        jpeg = Records(folder / "jpeg", side=256, count=200, batch=32, crop=227, mirror=True, jpeg=True)
        report("JPEG 256x256, the same / cv2.imdecode", alternate(jpeg.ours(), jpeg.decoded(), 32, options), "<= 1.15", ratio_of_ours=True)
        convert_images(folder, options)


if __name__ == "__main__":
    main()
