"""A small training for the solver's tests: twelve dark and bright pictures, and a net that drops, mirrors and crops."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np

from caffepy.proto import caffe_pb2
from caffepy.solver.solver import Solver

NET = """
name: "tiny"
layer { name: "d" type: "Data" top: "data" top: "label" include { phase: TRAIN }
  data_param { source: "db" backend: LMDB batch_size: 5 } transform_param { scale: 0.01 mirror: true crop_size: 4 } }
layer { name: "d" type: "Data" top: "data" top: "label" include { phase: TEST }
  data_param { source: "db" backend: LMDB batch_size: 4 } transform_param { scale: 0.01 crop_size: 4 } }
layer { name: "ip1" type: "InnerProduct" bottom: "data" top: "ip1" inner_product_param { num_output: 6 weight_filler { type: "xavier" } } }
layer { name: "drop" type: "Dropout" bottom: "ip1" top: "ip1" }
layer { name: "ip2" type: "InnerProduct" bottom: "ip1" top: "ip2" inner_product_param { num_output: 2 weight_filler { type: "xavier" } } }
layer { name: "accuracy" type: "Accuracy" bottom: "ip2" bottom: "label" top: "accuracy" include { phase: TEST } }
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "ip2" bottom: "label" top: "loss" }
"""
DATALESS = """
layer { name: "d" type: "DummyData" top: "x" dummy_data_param { shape { dim: 2 dim: 3 } data_filler { value: 1 } } }
layer { name: "ip" type: "InnerProduct" bottom: "x" top: "y" inner_product_param { num_output: 1 } }
layer { name: "l" type: "Reduction" bottom: "y" top: "l" loss_weight: 1 }
"""
FIELDS = {
    "net": '"net.prototxt"', "base_lr": "0.1", "lr_policy": '"fixed"', "momentum": "0.9", "max_iter": "8", "random_seed": "3",
    "snapshot_prefix": '"s"',
}  # fmt: skip


def write_database(path: Path) -> None:
    """An LMDB of twelve pictures, 1x6x6."""
    import lmdb

    generator = np.random.default_rng(2)
    with lmdb.open(str(path), map_size=1 << 20) as env, env.begin(write=True) as txn:
        for i in range(12):
            pixels = (100 * (i % 2) + generator.integers(0, 120, 36)).astype(np.uint8)
            txn.put(b"%04d" % i, caffe_pb2.Datum(channels=1, height=6, width=6, data=pixels.tobytes(), label=i % 2).SerializeToString())


def solver(more: str = "", **options: Any) -> Solver:
    """A solver in the working folder; fields in ``more`` stand in for those of `FIELDS`. ``options``: of `Solver`."""
    given = set(re.findall(r"(\w+):", more))
    Path("solver.prototxt").write_text("\n".join([*(f"{name}: {value}" for name, value in FIELDS.items() if name not in given), more]))
    return Solver.from_file("solver.prototxt", **options)


def write_dataless(folder: Path, more: str = "max_iter: 9 snapshot_after_train: false") -> str:
    """The file of a solver whose net needs no data, for ranks that run in the threads of one process."""
    net, solver_file = folder / "net.prototxt", folder / "solver.prototxt"
    net.write_text(DATALESS)
    solver_file.write_text(f'net: "{net}" base_lr: 0.1 lr_policy: "fixed" snapshot_prefix: "{folder}/s" {more}')
    return str(solver_file)


def parameters(of: Solver) -> list[bytes]:
    """Every learnable parameter, bit by bit."""
    return [tensor.detach().contiguous().numpy().tobytes() for tensor in of.train_engine.arena.learnable]
