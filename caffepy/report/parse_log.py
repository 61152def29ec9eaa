"""The tables that Caffe's ``parse_log.py`` makes of a training log, row for row.

A row holds the net outputs of one iteration, and is full when it has as many columns as the first
one. So several test nets share rows, and outputs of the last of them may be left over, which are
dropped. It stays so because people's scripts read these files.
"""

from __future__ import annotations

import csv
import io
import math
import os
from collections.abc import Sequence
from pathlib import Path

from caffepy.errors import DataError
from caffepy.proto.atomic import atomic_write
from caffepy.report.log_clock import read_timed
from caffepy.report.training_log import ITERATION, LEARNING_RATE, OUTPUT, number

Row = dict[str, float]


class Table:
    """Rows of one phase, filled output by output."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self._open: Row = {}

    def add(self, head: Row, name: str, value: float) -> None:
        """An output; ``head``: the columns that a row begins with, its iteration first."""
        if self._open and self._open["NumIters"] != head["NumIters"]:
            self._close()
        self._open = {**(self._open or head), name: value}
        if self.rows and len(self._open) == len(self.rows[0]):
            self._close()

    def finish(self) -> list[Row]:
        """All rows.

        The first comes before any learning rate was told, and gets that of the second.
        """
        if self._open and not self.rows:
            self._close()
        if len(self.rows) > 1 and math.isnan(self.rows[0]["LearningRate"]):
            self.rows[0]["LearningRate"] = self.rows[1]["LearningRate"]
        return self.rows

    def _close(self) -> None:
        self.rows.append(self._open)
        self._open = {}


def parse_log(path: str | Path) -> tuple[list[Row], list[Row]]:
    """Rows of the train net and of the test nets.

    ``NumIters``, ``Seconds``, ``LearningRate`` and the outputs by name.
    Errors: DataError if the file cannot be read or has no lines of glog's form.
    """
    tables = {"Train": Table(), "Test": Table()}
    iteration = -1.0
    rate = math.nan
    # seconds are negative where the clock was set back, or where an older log follows
    for seconds, line in read_timed(path):
        if found := ITERATION.search(line):
            iteration = float(found["iteration"])
        if iteration < 0:
            continue
        if found := LEARNING_RATE.search(line):
            rate = number(found["value"])
        if found := OUTPUT.search(line):
            head = {"NumIters": iteration, "Seconds": seconds, "LearningRate": rate}
            tables[found["phase"]].add(head, found["name"], number(found["value"]))
    return tables["Train"].finish(), tables["Test"].finish()


def write_tables(path: str, folder: str, *, delimiter: str = ",") -> dict[str, int]:
    """Write ``<log's name>.train`` and ``.test`` to ``folder``, where there are rows.

    The number of rows of each file by its name.
    """
    written = {}
    for ending, rows in zip(("train", "test"), parse_log(path)):
        name = os.path.join(folder, f"{os.path.basename(path)}.{ending}")
        written[name] = len(rows)
        if rows:
            with atomic_write(name, error=DataError) as temporary:
                temporary.write_text(_as_csv(rows, delimiter), encoding="utf-8", newline="")
    return written


def _as_csv(rows: Sequence[Row], delimiter: str) -> str:
    text = io.StringIO()
    columns = list(rows[0])
    writer = csv.DictWriter(text, columns, delimiter=delimiter, extrasaction="ignore")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()
