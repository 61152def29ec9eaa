"""The tables that Caffe's ``parse_log.sh`` makes of a training log.

The charts of ``plot_training_log`` are drawn from them.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from caffepy.errors import DataError
from caffepy.proto.atomic import atomic_write
from caffepy.report.log_clock import read_timed
from caffepy.report.training_log import LOSS, OUTPUT, RATE, TESTING

TEST_COLUMNS = ("#Iters", "Seconds", "TestAccuracy", "TestLoss")
TRAIN_COLUMNS = ("#Iters", "Seconds", "TrainingLoss", "LearningRate")
GAP = 2


@dataclass
class Record:
    """A row: iteration, seconds since the training began, and the texts of two numbers.

    A text is empty where the log has no such number.
    """

    iteration: int
    seconds: float
    values: list[str] = field(default_factory=lambda: ["", ""])


@dataclass(frozen=True)
class Tables:
    """``test``: the first two outputs of a test, by custom accuracy and loss.

    ``train``: smoothed loss and learning rate.
    """

    test: list[Record]
    train: list[Record]


def read_tables(path: str | Path) -> Tables:
    """The tables of a log.  DataError if it cannot be read or tells of no training."""
    tables = Tables([], [])
    for seconds, line in read_timed(path):
        if found := TESTING.search(line):
            tables.test.append(Record(int(found["iteration"]), seconds))
        elif found := OUTPUT.search(line):
            number = int(found["number"])
            if found["phase"] == "Test" and tables.test and number < 2:
                tables.test[-1].values[number] = found["value"]
        elif found := LOSS.search(line):
            tables.train.append(Record(int(found["iteration"]), seconds, [found["value"], ""]))
        elif (found := RATE.search(line)) and tables.train:
            tables.train[-1].values[1] = found["value"]
    if not tables.test and not tables.train:
        what = "no line 'Iteration N, loss = x' or 'Testing net' with a time before it"
        raise DataError(f"{path}: {what}; needed: the log of caffe train")
    return tables


def write_tables(path: str, folder: str = ".") -> None:
    """Write ``<log's name>.test`` and ``.train`` to a folder, columns side by side."""
    tables = read_tables(path)
    base = os.path.join(folder, os.path.basename(path))
    _write_table(f"{base}.test", TEST_COLUMNS, tables.test)
    _write_table(f"{base}.train", TRAIN_COLUMNS, tables.train)


def _write_table(path: str, columns: Sequence[str], records: Sequence[Record]) -> None:
    """The columns are aligned, as the shell does it, and the heading is not."""
    rows = [[str(r.iteration), f"{r.seconds:f}", *r.values] for r in records]
    lines = [" ".join(columns), *aligned(rows)]
    with atomic_write(path, error=DataError) as temporary:
        temporary.write_text("\n".join(lines) + "\n", encoding="utf-8")


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Lines with the cells of each column under one another."""
    widths = [max(map(len, column)) + GAP for column in zip(*rows, strict=True)]
    return ["".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]
