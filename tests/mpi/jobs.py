"""Small trainings for tests that compare runs: a database, a net, a solver, and what a run left behind."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from caffepy.proto import caffe_pb2
from caffepy.proto.weights import read_net_weights
from tests.mpi.launch import ROOT, Finished, finish, start, under_mpirun
from tests.warm.start import python

RECORDS = 48
"""Not a multiple of every batch in use: epochs end within a batch."""
ROUNDING = 5e-5
"""By how much trainings of `smooth_net` that sum in other orders may differ, on any processor.

The longest sums are those of conv1's bias, of 16 pictures' 32 * 32 places: a float's eps, 1.2e-7, times the root of
16384 is 1.5e-5, in each iteration.  The net does not enlarge it: with SSE 4.1, AVX2 and AVX-512 it is 1e-6 to 8e-6
after 10 iterations and after 20.  Faults are far above: a mean that is 0.1 % off differs by 1e-3, conv1's gradients of
one rank of two by 3e-3 if they are lost in the last iteration alone, by 0.3 if in the seventh.
"""


def write_database(folder: Path, *, records: int = RECORDS, size: int = 32) -> None:
    """``folder/db``, LMDB: noisy pictures, 3 times ``size`` times ``size``, of ten classes."""
    import lmdb

    generator = np.random.default_rng(5)
    classes = generator.integers(0, 256, (10, 3, size, size))
    with lmdb.open(str(folder / "db"), map_size=1 << 24) as env, env.begin(write=True) as txn:
        for i in range(records):
            pixels = (classes[i % 10] // 2 + generator.integers(0, 128, (3, size, size))).astype(np.uint8)
            datum = caffe_pb2.Datum(channels=3, height=size, width=size, data=pixels.tobytes(), label=i % 10)
            txn.put(b"%08d" % i, datum.SerializeToString())


def database(factory: pytest.TempPathFactory, name: str, /, *, size: int = 32, **files: str) -> Path:
    """A new folder ``name`` with `write_database`'s database, and ``files``: prototxts by the name before ``.prototxt``."""
    pytest.importorskip("lmdb")
    folder = factory.mktemp(name)
    write_database(folder, size=size)
    for stem, text in files.items():
        (folder / f"{stem}.prototxt").write_text(text)
    return folder


def quick_net(batch: int) -> str:
    """cifar10_quick as it is shipped, on the small database, with fillers that let 20 iterations move every weight.

    Only for trainings that are the same bit by bit, or not compared: see `smooth_net`.
    """
    text = (ROOT / "examples/cifar10/cifar10_quick_train_test.prototxt").read_text()
    text = re.sub(r'source: "\S+_lmdb"', 'source: "db"', text)
    text = re.sub(r'transform_param { mean_file: "\S+" }', "transform_param { mean_value: 128 scale: 0.02 }", text)
    text = re.sub(r'type: "gaussian" std: [\d.]+', 'type: "xavier"', text)
    return text.replace("batch_size: 100", f"batch_size: {batch}")


def smooth_net(batch: int) -> str:
    """`quick_net` with TanH for ReLU and average pooling.

    Where a maximum or a sign hangs on the last bit, sums in another order, or another processor's, take another way, and the runs part by
    far more than rounding.
    """
    return quick_net(batch).replace('"ReLU"', '"TanH"').replace("pool: MAX", "pool: AVE")


def solver(prefix: str, *, net: str = "net.prototxt", more: str = "") -> str:
    """A solver for these nets; fields in ``more`` stand in for its own."""
    fields = {
        "net": f'"{net}"', "test_iter": "2", "test_interval": "10", "base_lr": "0.05", "momentum": "0.9", "weight_decay": "0.004",
        "lr_policy": '"step"', "stepsize": "10", "gamma": "0.5", "display": "5", "max_iter": "20", "random_seed": "3",
        "snapshot_prefix": f'"{prefix}"',
    }  # fmt: skip
    given = set(re.findall(r"(\w+):", more))
    return "\n".join([*(f"{name}: {value}" for name, value in fields.items() if name not in given), more])


def train(
    folder: Path, *words: str, ranks: int = 0, launch: Sequence[str] = (), limit_s: float = 100.0, warm: bool = True, **environ: str
) -> Finished:
    """``caffe train`` in ``folder``; under mpirun if ``ranks`` is given, else after the words ``launch``.

    ``warm``: in forks of a process that has torch, which serves all but the jobs that end by an error (see `tests.warm`).
    """
    launch = under_mpirun(ranks) if ranks else launch
    command = [*launch, *python(warm=warm and not environ), "-m", "caffepy.cli.main", "caffe", "train", *words]
    return finish(start(command, cwd=folder, **environ), limit_s=limit_s)


def weights(path: Path) -> dict[str, npt.NDArray[np.float32]]:
    """All parameters of a caffemodel by layer and place."""
    return {f"{layer.name}[{i}]": blob for layer in read_net_weights(path) for i, blob in enumerate(layer.blobs) if blob is not None}


def same_but_rounding(folder: Path, first: str, second: str, *, iteration: int = 20) -> None:
    """Fail unless the snapshots of these prefixes hold the same training."""
    difference = worst_difference(*(folder / f"{prefix}_iter_{iteration}.caffemodel" for prefix in (first, second)))
    assert difference < ROUNDING, f"{first} and {second} differ by {difference:.1e}"


def worst_difference(first: Path, second: Path) -> float:
    """The largest difference of two caffemodels' parameters, relative to the largest value of each blob."""
    a, b = weights(first), weights(second)
    assert a.keys() == b.keys()
    return max(float(np.abs(a[name] - b[name]).max() / np.abs(a[name]).max()) for name in a)
