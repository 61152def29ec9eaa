"""``long``: what long runs keep: memory, handles and threads stay flat, and the last pictures are as fast as the first.

``python -m tools.campaign.long -n 100000 -pictures 1000000`` trains a small net with tests, snapshots, a log and prefetching, then takes
so many PNG files of 32x32 through convert_imageset, compute_image_mean and an epoch of Data. Everything lies in a folder of ``-folder``
meanwhile (4 KiB a picture). The last tenth is held against the tenth after warming up: memory (without mapped files) may grow by
``MEMORY_BYTES``, handles and threads by nothing. A picture's processor time in the last tenth may be ``SLOWER`` times that in the slowest
tenth of the first half, where the run is long enough to tell (``JUDGED`` stretches of the log): other programs slow down some tenth.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np

from tools.campaign import report
from tools.campaign.samples import Sample, growth, leaked, paces, watch

ROOT = Path(__file__).resolve().parents[2]
MEMORY_BYTES = 4 << 20
SLOWER = 1.1
JUDGED = 50
SHOWN = 200
"""Lines of the log in a training, each a sample."""
BATCH = 100
FOLDER = 1000
"""Pictures in one folder."""
ITERATION = re.compile(r"Iteration (\d+) \(")
PROCESSED = re.compile(r"Processed (\d+) files")
NET = """
name: "small"
layer {{ name: "data" type: "Data" top: "data" top: "label" include {{ phase: TRAIN }}
  transform_param {{ mirror: true crop_size: 28 mean_file: "mean" scale: 0.01 }}
  data_param {{ source: "{train}" backend: LMDB batch_size: {batch} }} }}
layer {{ name: "data" type: "Data" top: "data" top: "label" include {{ phase: TEST }}
  transform_param {{ crop_size: 28 mean_file: "mean" scale: 0.01 }} data_param {{ source: "{test}" backend: LMDB batch_size: {batch} }} }}
layer {{ name: "pool" type: "Pooling" bottom: "data" top: "pool" pooling_param {{ pool: AVE kernel_size: 7 stride: 7 }} }}
layer {{ name: "ip" type: "InnerProduct" bottom: "pool" top: "ip"
  inner_product_param {{ num_output: 10 weight_filler {{ type: "xavier" }} }} }}
layer {{ name: "accuracy" type: "Accuracy" bottom: "ip" bottom: "label" top: "accuracy" include {{ phase: TEST }} }}
layer {{ name: "loss" type: "SoftmaxWithLoss" bottom: "ip" bottom: "label" top: "loss" }}
"""
SOLVER = """
net: "net" base_lr: 0.001 momentum: 0.9 weight_decay: 0.001 lr_policy: "inv" gamma: 0.0001 power: 0.75 random_seed: {seed}
max_iter: {iterations} display: {display} test_iter: 3 test_interval: {test} snapshot: {snapshot} snapshot_prefix: "s" type: "SGD"
"""


def pictures(folder: Path, count: int, seed: int) -> None:
    """So many PNG files and ``list`` of them; the names tell nothing of the labels."""
    random = np.random.default_rng(seed)
    pool = random.integers(0, 256, (256, 8, 8, 3), np.uint8)
    with (folder / "list").open("w") as names:
        for i in range(count):
            place = f"{i // FOLDER:04}"
            if i % FOLDER == 0:
                (folder / place).mkdir()
            image = np.repeat(np.repeat(pool[i % len(pool)], 4, 0), 4, 1)
            image[0, 0] = (i & 255, i >> 8 & 255, i >> 16 & 255)
            (folder / place / f"{i:07}.png").write_bytes(cv2.imencode(".png", image)[1].tobytes())
            names.write(f"{place}/{i:07}.png {i % 10}\n")


def command(program: str, *words: str, folder: Path, pattern: re.Pattern[str]) -> list[Sample]:
    """Run one of the programs in ``folder``."""
    environ = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "GLOG_logtostderr": "1"}
    return watch([sys.executable, "-m", "caffepy.cli.main", program, *words], pattern, folder=folder, environ=environ)


def train(folder: Path, iterations: int, batch: int, train: str, *, seed: int, side: bool) -> list[Sample]:
    """Train the small net on the LMDB ``train``; ``side``: with tests and snapshots."""
    (folder / "net").write_text(NET.format(train=train, test="tested", batch=batch))
    often = max(1, iterations // SHOWN)
    test, snapshot = (max(1, iterations // 100), max(1, iterations // 50)) if side else (iterations + 1, 0)
    text = SOLVER.format(seed=seed, iterations=iterations, display=often, test=test, snapshot=snapshot)
    (folder / "solver").write_text(text)
    found = command("caffe", "train", "-solver", "solver", folder=folder, pattern=ITERATION)
    for path in folder.glob("s_iter_*"):
        path.unlink()
    return found


def flat(name: str, samples: Sequence[Sample]) -> tuple[bool, int]:
    """Whether memory, handles and threads are; the bytes that memory grew. What is not is told in a line."""
    memory = int(growth(samples, lambda s: s.memory_bytes))
    handles, threads = leaked(samples, lambda s: s.handles), leaked(samples, lambda s: s.threads)
    few = len(samples) < JUDGED  # then the last tenth is a moment, in which a snapshot may be written
    good = memory <= MEMORY_BYTES and (few or (not handles and not threads))
    if not good:
        print(f"find: {name}: memory {memory:+} bytes, handles +{handles}, threads +{threads} at the end")
    return good, memory


def even(name: str, samples: Sequence[Sample]) -> tuple[bool, float]:
    """Whether a picture of the last tenth takes no longer than one of any tenth before the middle; its time by that in the first."""
    found = paces(samples)
    if not found:
        return True, 1.0
    good = found[-1] <= SLOWER * max(found[:5]) or len(samples) < JUDGED
    if not good:
        print(f"find: {name}: processor time for a picture, in us, from tenth to tenth: {', '.join(f'{1e6 * x:.2f}' for x in found)}")
    return good, found[-1] / found[0] if found[0] else 1.0


def run(folder: Path, iterations: int, count: int, seed: int) -> bool:
    """All parts, and the line."""
    pictures(folder, count, seed)
    parts = {
        "conversion": command("convert_imageset", "./", "list", "db", folder=folder, pattern=PROCESSED),
        "mean": command("compute_image_mean", "db", "mean", folder=folder, pattern=PROCESSED),
    }
    (folder / "few").write_text("".join((folder / "list").read_text().splitlines(keepends=True)[:1000]))
    command("convert_imageset", "./", "few", "tested", folder=folder, pattern=PROCESSED)
    parts["epoch"] = train(folder, -(-count // BATCH), BATCH, "db", seed=seed, side=False)
    trained = train(folder, iterations, 10, "tested", seed=seed, side=True)
    held = {name: flat(name, samples) for name, samples in [*parts.items(), ("training", trained)]}
    paces = {name: even(name, samples) for name, samples in parts.items()}
    report.line(
        "long",
        seed,
        iterations=iterations,
        pictures=count,
        **{f"kB_gained_by_{name}": memory >> 10 for name, (_, memory) in held.items()},
        **{f"last_tenth_by_first_of_{name}": round(ratio, 3) for name, (_, ratio) in paces.items()},
    )
    return all(good for good, _ in held.values()) and all(good for good, _ in paces.values())


def main() -> int:
    """The campaign's exit code."""
    parser = report.options(__doc__ or "", n=100_000, what="iterations of a small training")
    parser.add_argument("-pictures", "--pictures", type=int, default=1_000_000, metavar="N", help="how many pictures (default: 1000000)")
    parser.add_argument("-folder", "--folder", default=None, metavar="FOLDER", help="where the pictures lie meanwhile (default: TMPDIR)")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=asked.folder) as folder:
        return 0 if run(Path(folder), asked.n, asked.pictures, asked.seed) else 1


if __name__ == "__main__":
    sys.exit(main())
