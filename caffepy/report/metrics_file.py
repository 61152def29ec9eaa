"""The numbers in a file of ``train -metrics``, as those of a training log."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from caffepy.data.list_files import read_bytes
from caffepy.errors import DataError
from caffepy.report.training_log import Series, TrainingLog, read_training_log

START = b'{"'
OTHERS = ("iteration", "net", "time", "loss", "smoothed_loss", "lr", "images_per_s")
EXCHANGED = ("sent_bytes", "hidden_s", "waited_s")
"""Keys of a line that are no output of the net: `OTHERS`, and what several ranks exchanged."""


@dataclass
class Recorded:
    """``seconds``: since the first line, and ``speed``: images a second, both by iteration."""

    log: TrainingLog = field(default_factory=TrainingLog)
    seconds: Series = field(default_factory=dict)
    speed: Series = field(default_factory=dict)


def is_metrics(path: str) -> bool:
    """Whether a file begins as those of ``train -metrics``.  DataError if it cannot be read."""
    try:
        with open(path, "rb") as file:
            return file.read(len(START)) == START
    except OSError as error:
        raise DataError(f"{path}: {error.strerror}") from None


def read_training(path: str) -> TrainingLog:
    """The numbers of a training, from its log or from its file of ``-metrics``.

    Errors: DataError if there are none.
    """
    if not is_metrics(path):
        return read_training_log(path)
    log = read_metrics(path).log
    if not log.loss and not log.test:
        raise DataError(f"{path}: no loss and no test output; needed: a file of train -metrics")
    return log


def read_metrics(path: str) -> Recorded:
    """Read a file; DataError if it cannot be read or has another form.

    Outputs of further test nets are named as those of a log: ``accuracy (net #1)``.
    """
    found = Recorded()
    start = None
    for where, record in records(path):
        iteration = int(number_in(record, "iteration", where))
        net = str(record.get("net", "train"))
        if "time" in record:
            time = number_in(record, "time", where)
            start = time if start is None else start
            if net == "train":
                found.seconds[iteration] = time - start
        if net == "train":
            loss = "smoothed_loss" if "smoothed_loss" in record else "loss"
            for series, key in (
                (found.log.loss, loss),
                (found.log.rate, "lr"),
                (found.speed, "images_per_s"),
            ):
                if key in record:
                    series[iteration] = number_in(record, key, where)
        outputs = found.log.train if net == "train" else found.log.test
        further = net.removeprefix("test") if net != "train" else ""
        for key in record:
            # a test's loss is an output of its net
            if key not in (*OTHERS, *EXCHANGED) or (key == "loss" and net != "train"):
                name = f"{key} (net #{further})" if further else key
                outputs.setdefault(name, {})[iteration] = number_in(record, key, where)
    return found


def number_in(record: Mapping[str, Any], key: str, where: str) -> float:
    """A number of a line, which has null for what is none.  DataError for anything else."""
    value = record.get(key)
    if value is None and key != "iteration":
        return math.nan
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            number = float(value)
        except OverflowError:  # a whole number of JSON has no limit
            number = math.inf if value > 0 else -math.inf
        if math.isfinite(number) or key != "iteration":
            return number
    raise DataError(f"{where}: '{key}' is {value!r}; needed: a number")


def records(path: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The objects of a file, one a line, each with its place.

    The last line is left out if it is still being written.
    """
    try:
        lines = read_bytes(path).splitlines()
    except OSError as error:
        raise DataError(f"{path}: {error.strerror}") from None
    for number, line in enumerate(lines, 1):
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            record = None
        if isinstance(record, dict):
            yield f"{path}:{number}", record
        elif number < len(lines):
            raise DataError(f"{path}:{number}: no JSON object; needed: a file of train -metrics")
