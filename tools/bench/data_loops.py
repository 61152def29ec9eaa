"""The loops over records that one would write, each in a process of its own, as it would run: with memory as the C library has it,
or kept for the next image, as caffepy has it.

``python -m tools.bench.data_loops KIND ARGUMENTS CLOCK``; a line of standard input with a number lets the loop run for so many
seconds, and the line that answers has the microseconds that an image took.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import lmdb
import numpy as np
from numpy.typing import NDArray

from caffepy.proto import caffe_pb2

ROOT = Path(__file__).resolve().parents[2]
CLOCKS = {"cpu": time.process_time, "wall": time.perf_counter}

KEPT = {"MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": str(2**31 - 1)}
"""Environment with which glibc keeps the memory of what is freed."""

Batch = Callable[[], object]


def plain(path: str, *, mean: str, batch: int, crop: int, mirror: bool) -> Batch:
    """Raw square records of an LMDB as its binding's examples read them, parsed by protobuf; crop, mirror and mean by numpy."""
    cursor = lmdb.open(path, readonly=True, lock=False).begin().cursor()
    means: NDArray[np.float32] = np.load(mean)
    size = crop or means.shape[1]
    most = means.shape[1] - size + 1

    def next_batch() -> object:
        data = np.empty((batch, 3, size, size), np.float32)
        labels = np.empty(batch, np.float32)
        for i in range(batch):
            if not cursor.next():
                cursor.first()
            datum = caffe_pb2.Datum.FromString(cursor.value())
            image = np.frombuffer(datum.data, np.uint8).reshape(datum.channels, datum.height, datum.width)
            top, left = random.randrange(most), random.randrange(most)
            window = np.s_[:, top : top + size, left : left + size]
            values = image[window].astype(np.float32) - means[window]
            data[i] = values[:, :, ::-1] if mirror and random.random() < 0.5 else values
            labels[i] = datum.label
        return data, labels

    return next_batch


def decoded(path: str, *, batch: int) -> Batch:
    """Only ``cv2.imdecode`` of as many JPEGs as a batch has, all of them in memory."""
    with lmdb.open(path, readonly=True, lock=False).begin() as transaction:
        images = [np.frombuffer(caffe_pb2.Datum.FromString(value).data, np.uint8) for _, value in transaction.cursor()]
    place = 0

    def next_batch() -> object:
        nonlocal place
        found = [cv2.imdecode(images[(place + i) % len(images)], cv2.IMREAD_COLOR) for i in range(batch)]
        place += batch
        return found

    return next_batch


def resized(path: str, *, batch: int, side: int = 256) -> Batch:
    """Only ``cv2.imread`` and ``cv2.resize`` of ``batch`` photographs; without a side they are not resized."""

    def next_batch() -> object:
        for i in range(batch):
            image = cv2.imread(f"{path}/{i}.jpg")
            if side:
                cv2.resize(image, (side, side))
        return None

    return next_batch


KINDS: dict[str, Callable[..., Batch]] = {"plain": plain, "decoded": decoded, "resized": resized}


def time_of(work: Batch, images: int, clock: Callable[[], float], seconds: float) -> float:
    """Microseconds an image, of batches of ``images`` one after the other."""
    done, started = 0, clock()
    while done == 0 or clock() - started < seconds:
        work()
        done += images
    return (clock() - started) / done * 1e6


class Loop:
    """One of `KINDS` in a process of its own, on the cores of this one."""

    def __init__(self, kind: str, path: str, clock: str, *, kept: bool = False, **arguments: Any) -> None:
        words = [sys.executable, "-m", "tools.bench.data_loops", kind, json.dumps({"path": path, **arguments}), clock]
        path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
        environment = os.environ | {"PYTHONPATH": path} | (KEPT if kept else {})
        self._process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, text=True)

    def turn(self, seconds: float) -> float:
        """Let it run; microseconds an image."""
        self.begin(seconds)
        return self.end()

    def begin(self, seconds: float) -> None:
        """Let it run, and do not wait for it."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{seconds}\n")
        self._process.stdin.flush()

    def end(self) -> float:
        """Wait for it; microseconds an image."""
        assert self._process.stdout is not None
        return float(self._process.stdout.readline())

    def close(self) -> None:
        """End it."""
        self._process.communicate(timeout=30)


def main() -> None:
    """Answer until there are no more lines."""
    kind, arguments, clock = sys.argv[1:]
    cv2.setNumThreads(1)
    given = json.loads(arguments)
    work = KINDS[kind](given.pop("path"), **given)
    work()
    for line in sys.stdin:
        print(time_of(work, given["batch"], CLOCKS[clock], float(line)), flush=True)


if __name__ == "__main__":
    main()
