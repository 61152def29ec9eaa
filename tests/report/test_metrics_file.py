"""Files of ``train -metrics`` that are read again."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from caffepy.errors import DataError
from caffepy.report.metrics import JsonLines
from caffepy.report.metrics_file import is_metrics, read_metrics, read_training


def test_what_a_training_writes_is_read(tmp_path: Path) -> None:
    path = str(tmp_path / "m.jsonl")
    writer = JsonLines(path)
    writer.write(0, "test", [("accuracy", 0.25), ("loss", 2.0)])
    writer.write(
        0,
        "train",
        [("smoothed_loss", 1.5), ("loss", 1.75), ("out", 1.0), ("out", 2.0), ("lr", 0.5), ("images_per_s", 8.0), ("sent_bytes", 9)],
    )
    writer.write(10, "test1", [("accuracy", 0.5)])
    writer.close()
    assert is_metrics(path)
    found = read_metrics(path)
    assert (found.log.loss, found.log.rate, found.speed) == ({0: 1.5}, {0: 0.5}, {0: 8.0})
    assert found.log.test == {"accuracy": {0: 0.25}, "loss": {0: 2.0}, "accuracy (net #1)": {10: 0.5}}
    assert found.log.train == {"out": {0: 1.0}, "out[1]": {0: 2.0}}


def test_a_log_is_none(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text("I1129 18:00:00.000000 1 solver.cpp:1] Iteration 0, loss = 1\n")
    assert not is_metrics(str(tmp_path / "a.log"))


def test_a_training_by_its_log_or_by_its_numbers(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text("I1129 18:00:00.000000 1 solver.cpp:1] Iteration 0, loss = 1\n")
    assert read_training(str(tmp_path / "a.log")).loss == {0: 1.0}
    (tmp_path / "m.jsonl").write_text('{"iteration": 5, "net": "train", "smoothed_loss": 2.5}\n{"iteration": 6, "ne')
    assert read_training(str(tmp_path / "m.jsonl")).loss == {5: 2.5}
    (tmp_path / "m.jsonl").write_text('{"iteration": 5, "net": "train", "lr": 2.5}\n')
    with pytest.raises(DataError, match="no loss and no test output"):
        read_training(str(tmp_path / "m.jsonl"))


@pytest.mark.parametrize(
    "line",
    [
        '{"iteration": NaN, "loss": 1}',
        '{"iteration": 1e999, "loss": 1}',
        '{"iteration": ' + "9" * 400 + ', "loss": 1}',
        '{"iteration": null, "loss": 1}',
        '{"a":' * 100_000,
    ],
    ids=["nan", "infinite", "large", "null", "deep"],
)
def test_a_broken_line_is_named(line: str, tmp_path: Path) -> None:
    (tmp_path / "m.jsonl").write_text('{"iteration": 1, "loss": 1}\n' + line + "\n{}\n")
    with pytest.raises(DataError, match=r"m\.jsonl:2: "):
        read_metrics(str(tmp_path / "m.jsonl"))


def test_numbers_without_a_limit(tmp_path: Path) -> None:
    (tmp_path / "m.jsonl").write_text('{"iteration": 1, "time": NaN, "loss": -1' + "0" * 400 + "}\n")
    assert read_metrics(str(tmp_path / "m.jsonl")).log.loss == {1: -math.inf}
