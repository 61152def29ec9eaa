#!/usr/bin/env python3
"""How fast data come: caffepy's sources and converter beside plain loops over the same records, taking turns.

Per core: the processes stay on one core, and figures are microseconds of processor time an image. The plain loop reads an LMDB
as its binding's examples do, parses each Datum with protobuf, and crops, mirrors and subtracts with numpy. Decoding, by
simplejpeg where it is installed, is compared with a bare ``cv2.imdecode`` of the same bytes, converting with a bare ``cv2.imread`` and
``cv2.resize`` of the same files: in a process as it is by itself, whose images lie in new pages, and in one that keeps freed memory, as
caffepy does.
Then ``convert_imageset`` on all cores by the clock, and the share of a training iteration that waits for data.

``-threads 1 2``: in place of all this the same batches by one data thread and by two, by the clock.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tools.bench.needs import needs  # noqa: E402

needs()

import cv2  # noqa: E402
import numpy as np  # noqa: E402
import numpy.typing as npt  # noqa: E402

from caffepy.data.convert.imageset import Options, convert  # noqa: E402
from caffepy.data.datum import encode  # noqa: E402
from caffepy.data.jpeg import open_decoder  # noqa: E402
from caffepy.data.sources.data import DataSource  # noqa: E402
from caffepy.data.sources.image_data import ImageDataSource  # noqa: E402
from caffepy.data.stores import open_write  # noqa: E402
from caffepy.engine.allocator import keep_freed_memory  # noqa: E402
from caffepy.proto import caffe_pb2  # noqa: E402
from caffepy.proto.text import parse  # noqa: E402
from caffepy.proto.weights import write_blob  # noqa: E402
from caffepy.solver.solver import Solver  # noqa: E402
from tools.bench.data_loops import CLOCKS, Loop, time_of  # noqa: E402
from tools.bench.data_threads import threads_table  # noqa: E402

Pixels = npt.NDArray[np.uint8]
TRAIN = 0
MEMORY = {False: "", True: ", memory kept"}
LAYER = """
layer {{ name: "data" type: "Data" top: "data" top: "label"
  transform_param {{ mirror: {mirror} crop_size: {crop} mean_file: "{mean}" }}
  data_param {{ source: "{source}" batch_size: {batch} backend: LMDB }} }}
"""
FILES = """
layer {{ name: "data" type: "ImageData" top: "data" top: "label" transform_param {{ mirror: true crop_size: 227 }}
  image_data_param {{ source: "{folder}/list.txt" root_folder: "{folder}/pictures/" batch_size: {batch} {size} }} }}
"""


def photo(height: int, width: int, seed: int) -> Pixels:
    """A picture (H, W, 3) as smooth and as grainy as photographs: its JPEG is as large as theirs."""
    generator = np.random.default_rng(seed)
    total = np.zeros((height, width, 3), np.float32)
    for cells in (3, 7, 19, 47):
        coarse = generator.normal(0, 90 / cells**0.4, (cells, cells, 3)).astype(np.float32)
        total += cv2.resize(coarse, (width, height), interpolation=cv2.INTER_CUBIC)
    return np.clip(total + generator.normal(128, 7, total.shape), 0, 255).astype(np.uint8)


class Records:
    """An LMDB of pictures with its mean file, and three ways to make batches of it; the plain one of square pictures."""

    def __init__(
        self, folder: Path, *, side: int, width: int = 0, count: int, batch: int, crop: int = 0, mirror: bool = False, jpeg: bool = False
    ) -> None:
        self.path, self.mean_file, self.batch, self.crop, self.mirror = str(folder), f"{folder}.binaryproto", batch, crop, mirror
        width = width or side
        self.side, self.mean = side, np.random.default_rng(0).random((3, side, width), np.float32) * 255
        self.images: list[bytes] = []
        with open_write(self.path, "lmdb") as writer:
            for i in range(count):
                pixels = photo(side, width, i % 50)
                if jpeg:
                    self.images.append(cv2.imencode(".jpg", pixels)[1].tobytes())
                    datum = encode(self.images[-1], label=i % 10, encoded=True)
                else:
                    datum = encode(pixels.transpose(2, 0, 1).tobytes(), shape=(3, side, width), label=i % 10, encoded=False)
                writer.put(b"%08d" % i, datum)
        write_blob(self.mean_file, self.mean[None])
        np.save(f"{folder}.npy", self.mean)

    def ours(self) -> Callable[[], object]:
        """Makes the next batch as the Data layer does."""
        layer = LAYER.format(mirror=str(self.mirror).lower(), crop=self.crop, mean=self.mean_file, source=self.path, batch=self.batch)
        net = caffe_pb2.NetParameter()
        parse(layer, net, file="bench")
        return DataSource(net.layer[0], TRAIN).next

    def plain(self, clock: str) -> Loop:
        """The loop that one would write."""
        return Loop("plain", self.path, clock, mean=f"{self.path}.npy", batch=self.batch, crop=self.crop, mirror=self.mirror)

    def decoded(self, clock: str, *, kept: bool) -> Loop:
        """Only decodes as many JPEGs as a batch has."""
        return Loop("decoded", self.path, clock, kept=kept, batch=self.batch)


def alternate(ours: Callable[[], object], theirs: Loop, images: int, options: argparse.Namespace) -> tuple[float, float, float]:
    """Microseconds an image of both, medians over the rounds, and the median of theirs / ours."""
    turns = (lambda seconds: time_of(ours, images, CLOCKS[options.clock], seconds), theirs.turn)
    times: tuple[list[float], list[float]] = ([], [])
    ours()
    for round_ in range(options.rounds):
        for which in (0, 1) if round_ % 2 == 0 else (1, 0):
            times[which].append(turns[which](options.block_s))
    theirs.close()
    return median(times[0]), median(times[1]), median(b / a for a, b in zip(*times))


def report(name: str, figures: tuple[float, float, float], needed: str, *, ratio_of_ours: bool = False) -> None:
    """One row of the table."""
    ours, theirs, ratio = figures
    shown = 1 / ratio if ratio_of_ours else ratio
    print(f"{name:60} {ours:10.1f} {theirs:10.1f} {1e6 / ours:10.0f} {shown:7.2f}  {needed}", flush=True)


class Conversion:
    """``convert_imageset -resize_width=256 -resize_height=256`` on photographs of 500x375, and the bare loop."""

    def __init__(self, folder: Path, count: int) -> None:
        self.folder, self.count, self.made = folder, count, 0
        (folder / "pictures").mkdir()
        for i in range(count):
            cv2.imwrite(str(folder / f"pictures/{i}.jpg"), photo(375, 500, i % 50))
        (folder / "list.txt").write_text("".join(f"{i}.jpg {i % 10}\n" for i in range(count)))

    def ours(self) -> None:
        """Into a database that is then removed."""
        db = str(self.folder / f"made{self.made}")
        convert(f"{self.folder}/pictures/", str(self.folder / "list.txt"), db, Options(resize_width=256, resize_height=256))
        shutil.rmtree(db)
        self.made += 1

    def image_data(self, side: int) -> Callable[[], object]:
        """Makes all of them a batch as the ImageData layer does, crop 227 and mirror; of this size, or with 0 as they are."""
        size = f"new_height: {side} new_width: {side}" if side else ""
        net = caffe_pb2.NetParameter()
        parse(FILES.format(folder=self.folder, batch=self.count, size=size), net, file="bench")
        return ImageDataSource(net.layer[0], TRAIN).next

    def plain(self, clock: str, *, kept: bool, side: int = 256) -> Loop:
        """Read and resize, no more."""
        return Loop("resized", f"{self.folder}/pictures", clock, kept=kept, batch=self.count, side=side)

    def seconds(self, cores: set[int], rounds: int) -> float:
        """By the clock, on these cores."""
        os.sched_setaffinity(0, cores)
        times = []
        for _ in range(rounds):
            started = time.perf_counter()
            self.ours()
            times.append(time.perf_counter() - started)
        return median(times)


def waiting(records: Records, folder: Path, iterations: int) -> None:
    """Train cifar10_quick from these records and tell how long an iteration waits for its batch."""
    net = (ROOT / "examples/cifar10/cifar10_quick_train_test.prototxt").read_text()
    net = re.sub(r'source: ".*"', f'source: "{records.path}"', re.sub(r'mean_file: ".*"', f'mean_file: "{records.mean_file}"', net))
    (folder / "net.prototxt").write_text(net)
    (folder / "solver.prototxt").write_text(f'net: "{folder}/net.prototxt" base_lr: 0.001 lr_policy: "fixed" momentum: 0.9 max_iter: 10000')
    solver = Solver.from_file(str(folder / "solver.prototxt"))
    (source,) = solver.train_engine.graph.sources.values()
    solver.step(5)
    before, started = source.clock(), time.perf_counter()
    solver.step(iterations)
    iteration_ms = 1e3 * (time.perf_counter() - started) / iterations
    pace = source.clock().since(before)
    solver.close()
    print(
        f"cifar10_quick, batch {records.batch}: an iteration takes {iteration_ms:.1f} ms and waits {pace.waited_ms:.3f} ms of it for data"
    )
    print(f"({100 * pace.waited_ms / iteration_ms:.2f} %); a batch is made in {pace.made_ms:.2f} ms by a thread")


def scale(folder: Path, options: argparse.Namespace) -> None:
    """The table of data threads."""
    raw = Records(folder / "raw", side=256, count=200, batch=32, crop=227, mirror=True)
    jpeg = {
        width: Records(folder / f"jpeg{width}", side=height, width=width, count=200, batch=32, crop=227, mirror=True, jpeg=True)
        for height, width in ((256, 256), (375, 500))
    }
    work = {"raw 256x256x3, crop 227, mirror, mean file": raw}
    threads_table(work | {f"JPEG {records.side}x{width}, the same": records for width, records in jpeg.items()}, jpeg[256], options)


def main() -> None:
    """Measure and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9, help="turns of each side")
    parser.add_argument("--block-s", type=float, default=0.4, help="seconds of one turn")
    parser.add_argument("--images", type=int, default=200, help="photographs to convert")
    parser.add_argument("--iterations", type=int, default=100, help="of cifar10_quick, to see how long they wait")
    parser.add_argument("--clock", choices=CLOCKS, default="cpu", help="cpu: processor time, for a machine in use")
    parser.add_argument("-threads", "--threads", type=int, nargs="+", metavar="N", help="data threads, one number after the other")
    options = parser.parse_args()
    cores = os.sched_getaffinity(0)
    cv2.setNumThreads(1)
    keep_freed_memory()  # as the commands do
    if options.threads:
        with tempfile.TemporaryDirectory() as name:
            scale(Path(name), options)
        return
    print(f"JPEGs are decoded by {'OpenCV' if open_decoder() is None else 'simplejpeg, down to the end of the crop'}")
    print(f"{'one core':60} {'caffepy us':>10} {'other us':>10} {'images/s':>10} {'ratio':>7}  needed")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.sched_setaffinity(0, {min(cores)})
        raw = Records(folder / "raw", side=256, count=200, batch=32, crop=227, mirror=True)
        report("raw 256x256x3, crop 227, mirror, mean file", alternate(raw.ours(), raw.plain(options.clock), 32, options), ">= 1.70")
        small = Records(folder / "small", side=32, count=5000, batch=100)
        report("raw 32x32x3, mean file", alternate(small.ours(), small.plain(options.clock), 100, options), ">= 2.50")
        turned = Records(folder / "turned", side=32, count=5000, batch=100, crop=28, mirror=True)
        report("raw 32x32x3, crop 28, mirror, mean file", alternate(turned.ours(), turned.plain(options.clock), 100, options), ">= 2.50")
        for height, width in ((256, 256), (375, 500)):
            jpeg = Records(folder / f"jpeg{width}", side=height, width=width, count=200, batch=32, crop=227, mirror=True, jpeg=True)
            ours = jpeg.ours()
            for kept in (False, True):
                figures = alternate(ours, jpeg.decoded(options.clock, kept=kept), 32, options)
                report(f"JPEG {width}x{height}, crop 227, ... / imdecode{MEMORY[kept]}", figures, "<= 1.15", ratio_of_ours=True)
        made = Conversion(folder, options.images)
        for kept in (False, True):
            figures = alternate(made.ours, made.plain(options.clock, kept=kept), made.count, options)
            report(f"convert_imageset 500x375 to 256 / imread+resize{MEMORY[kept]}", figures, "<= 1.15", ratio_of_ours=True)
        for side, name in ((256, "500x375 to 256, crop 227 ... / imread+resize"), (0, "500x375, crop 227 ... / imread")):
            files = made.image_data(side)
            for kept in (False, True):
                figures = alternate(files, made.plain(options.clock, kept=kept, side=side), made.count, options)
                report(f"ImageData {name}{MEMORY[kept]}", figures, "<= 1.15", ratio_of_ours=True)
        one, all_of_them = made.seconds({min(cores)}, 3), made.seconds(cores, 3)
        print(f"convert_imageset by the clock: {made.count / one:.0f} images/s on one core, {made.count / all_of_them:.0f} on {len(cores)}")
        waiting(small, folder, options.iterations)


if __name__ == "__main__":
    main()
