"""Snapshots of a size that only this program reads."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from caffepy.engine import weights
from caffepy.solver.solver import Solver

NET = (
    'layer { name: "d" type: "DummyData" top: "d" dummy_data_param { shape { dim: 2 dim: 9 } } }'
    'layer { name: "ip" type: "InnerProduct" bottom: "d" top: "ip" inner_product_param { num_output: 10 } }'
    'layer { name: "l" type: "EuclideanLoss" bottom: "ip" bottom: "ip" top: "l" propagate_down: [true, false] }'
)
BYTES = 4 * 10 * (9 + 1)
WEIGHTS, STATE = "the weights of each snapshot: ", "the state of each snapshot: "
OTHERS = "read no more than 0.0 GB of a file, caffepy all of it; needed for the others: snapshot_format: HDF5"


@pytest.mark.parametrize(
    ("solver", "limit", "told"),
    [
        ("", BYTES, []),
        ("", BYTES - 1, [WEIGHTS, STATE]),
        ('type: "Adam"', BYTES, [STATE]),
        ("snapshot_diff: true", BYTES, [WEIGHTS]),
        ("snapshot_format: HDF5", 1, []),
        ("snapshot_after_train: false", 1, []),
        ("snapshot_after_train: false snapshot: 5", 1, [WEIGHTS, STATE]),
    ],
)
def test_files_that_only_this_program_reads_are_told_before_training(
    solver: str, limit: int, told: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lines: Callable[[], list[str]]
) -> None:
    monkeypatch.setattr(weights, "PROTOBUF_BYTES", limit)
    (tmp_path / "net.prototxt").write_text(NET)
    (tmp_path / "solver.prototxt").write_text(
        f'net: "{tmp_path}/net.prototxt" base_lr: 0.1 lr_policy: "fixed" max_iter: 1 snapshot_prefix: "{tmp_path}/s" {solver}'
    )
    Solver.from_file(str(tmp_path / "solver.prototxt")).close()
    found = [line for line in lines() if "of each snapshot" in line]
    assert [line.endswith(OTHERS) for line in found] == [True] * len(told)
    assert [words in line for words, line in zip(told, found)] == [True] * len(told)
