"""Programs killed while they write: what stands under its name is whole, and the next writing removes what was left.

    python -m tools.campaign.kill -n 1000 -seed 1

Each kill is of a process of its own, at a random moment of a conversion (convert_imageset, compute_image_mean, partition_data; LMDB and
LevelDB) or of a training that snapshots after every iteration (BINARYPROTO and HDF5). The processes are forked from one that has
everything imported, so that most of their time is writing.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np

from caffepy.data.stores import BACKENDS
from tools.campaign import jobs, report

PICTURES = 60
SIDE = 48
PARTS = 3


@dataclass
class Figures:
    """What came of it."""

    kills: int = 0
    broken_files: int = 0
    leftovers: int = 0
    failures: int = 0
    """Of the writing after a kill."""


@dataclass
class Work:
    """``words``: a program and its arguments. ``made``: what it makes. ``whole``: raises if one of these is not."""

    name: str
    words: list[str]
    made: list[str]
    whole: Callable[[Path], None]
    lasts_s: float = 0.0
    first: list[str] = field(default_factory=list)
    """Run once before it, in the same folder."""


def works() -> list[Work]:
    """All kinds."""
    found = []
    for backend in BACKENDS:
        convert = ["convert_imageset", "-backend", backend, "-shuffle=false", "./", "list.txt", "db"]
        parts = [f"db_{part}" for part in range(PARTS)]
        partition = ["partition_data", "-backend", backend, "-num_partitions", str(PARTS), "db"]
        mean = ["compute_image_mean", "-backend", backend, "db", "mean.binaryproto"]
        found += [
            Work(f"convert_imageset {backend}", convert, ["db"], _has_records(backend, 1)),
            Work(f"partition_data {backend}", partition, parts, _has_records(backend, PARTS), first=convert),
            Work(f"compute_image_mean {backend}", mean, ["mean.binaryproto"], _is_mean, first=convert),
        ]
    for kind, end in (("BINARYPROTO", ""), ("HDF5", ".h5")):
        made = [f"s_iter_{i}.{what}{end}" for i in range(1, 6) for what in ("caffemodel", "solverstate")]
        found.append(Work(f"snapshot {kind}", ["caffe", "train", "-solver", f"{kind}.prototxt"], made, _is_snapshot))
    return found


def _has_records(backend: str, parts: int) -> Callable[[Path], None]:
    def check(path: Path) -> None:
        from caffepy.data.datum import decode
        from caffepy.data.stores import open_read

        with open_read(str(path), backend) as store:
            count = sum(len(decode(value).data) == 3 * SIDE * SIDE for _, value in store.items())
        if count != PICTURES // parts:
            raise ValueError(f"{count} records; needed: {PICTURES // parts}")

    return check


def _is_mean(path: Path) -> None:
    from caffepy.data.mean_file import read_mean

    if read_mean(str(path)).size != 3 * SIDE * SIDE:
        raise ValueError("a mean of another size")


def _is_snapshot(path: Path) -> None:
    broken = [line for line in jobs.broken_files(path.parent) if line.startswith(path.name)]
    if broken:
        raise ValueError(broken[0])


def make_folder(folder: Path) -> None:
    """Pictures, their list, and two solvers for a net with a megabyte of weights."""
    generator = np.random.default_rng(1)
    names = [f"{i:03d}.png" for i in range(PICTURES)]
    for name in names:
        cv2.imwrite(str(folder / name), generator.integers(0, 256, (SIDE, SIDE, 3)).astype(np.uint8))
    (folder / "list.txt").write_text("".join(f"{name} {i % 10}\n" for i, name in enumerate(names)))
    (folder / "net.prototxt").write_text("""
layer { name: "x" type: "DummyData" top: "x" top: "z" dummy_data_param { shape { dim: 2 dim: 500 } shape { dim: 2 dim: 500 } } }
layer { name: "ip" type: "InnerProduct" bottom: "x" top: "y" inner_product_param { num_output: 500 } }
layer { name: "loss" type: "EuclideanLoss" bottom: "y" bottom: "z" top: "loss" }
""")
    for kind in ("BINARYPROTO", "HDF5"):
        fields = 'net: "net.prototxt" base_lr: 0.01 lr_policy: "fixed" momentum: 0.9 max_iter: 5 snapshot: 1 snapshot_prefix: "s"'
        (folder / f"{kind}.prototxt").write_text(f"{fields} snapshot_format: {kind}\n")


def start(words: list[str], folder: Path) -> int:
    """Fork a process that runs a program in ``folder``; its number."""
    from caffepy.cli.main import run

    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        os.chdir(folder)
        said = os.open("said.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
        os.dup2(said, 1)
        os.dup2(said, 2)
        code = run(words[0], words[1:])
    finally:
        os._exit(code)


def finish(words: list[str], folder: Path) -> tuple[int, float]:
    """Run a program to its end; its exit code, and the seconds it took."""
    began = time.monotonic()
    _, status = os.waitpid(start(words, folder), 0)
    return os.waitstatus_to_exitcode(status), time.monotonic() - began


def one(work: Work, moment: float, template: Path, folder: Path, figures: Figures) -> None:
    """One kill, what stands after it, and the next writing."""
    shutil.copytree(template, folder)
    if work.first:
        finish(work.first, folder)
    before = set(os.listdir(folder)) | {"said.txt"}
    if not work.lasts_s:
        code, work.lasts_s = finish(work.words, folder)
        figures.failures += code != 0
        _clear(work, folder)
    pid = start(work.words, folder)
    time.sleep(moment * work.lasts_s)
    os.kill(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    if os.waitstatus_to_exitcode(status) != -signal.SIGKILL:
        work.lasts_s *= 0.98  # it was over before: come earlier from now on
        shutil.rmtree(folder)
        return
    figures.kills += 1
    work.lasts_s *= 1.001
    wrong = _look(work, folder, figures)
    _clear(work, folder)
    code, _ = finish(work.words, folder)
    if code != 0:
        figures.failures += 1
        wrong.append(f"the next writing ended with {code}: {(folder / 'said.txt').read_text()[-300:]}")
    wrong += _look(work, folder, figures)
    left = sorted(name for name in set(os.listdir(folder)) - before if name not in work.made)
    figures.leftovers += len(left)
    if wrong or left:
        print(f"{work.name} at {moment * work.lasts_s:.3f} s: {wrong}, left: {left}", file=sys.stderr, flush=True)
    shutil.rmtree(folder)


def _look(work: Work, folder: Path, figures: Figures) -> list[str]:
    """What stands under its name and is not whole."""
    wrong = []
    for name in work.made:
        if os.path.lexists(folder / name):
            try:
                work.whole(folder / name)
            except Exception as error:  # noqa: BLE001 - whatever makes it unreadable
                wrong.append(f"{name}: {error}")
    figures.broken_files += len(wrong)
    return wrong


def _clear(work: Work, folder: Path) -> None:
    """Remove what stands under its name, as a user would who wants it anew."""
    for name in work.made:
        path = folder / name
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)


def run(n: int, seed: int) -> tuple[str, bool]:
    """The campaign; its line, and whether it is as it should be."""
    import torch

    torch.set_num_threads(1)
    for module in ("caffepy.cli.train", "caffepy.solver.solver", "h5py", "lmdb"):
        __import__(module)
    chance, figures, found = random.Random(seed), Figures(), works()
    with tempfile.TemporaryDirectory(dir=jobs.memory()) as top:
        template = Path(top) / "template"
        template.mkdir()
        make_folder(template)
        while figures.kills < n:
            one(found[figures.kills % len(found)], chance.random(), template, Path(top) / "work", figures)
    return report.line("kill", seed, **vars(figures)), not (figures.broken_files or figures.leftovers or figures.failures)


def main() -> None:
    """The command."""
    asked = report.arguments("Programs killed while they write.", n=1000, what="kills")
    sys.exit(not run(asked.n, asked.seed)[1])


if __name__ == "__main__":
    main()
