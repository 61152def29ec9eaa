"""The numbers in a training log: glog lines of ``caffe train``.

Of Caffe's own or ours, or of several runs after each other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from caffepy.errors import DataError
from caffepy.report.log_lines import read_lines

NUMBER = r"(?P<value>[-+]?(?:1\.#(?:INF|IND|QNAN|SNAN)|\d+\.?\d*(?:[eE][-+]?\d+)?|nan|inf))"
ITERATION = re.compile(r"Iteration (?P<iteration>\d{1,18})")
LOSS = re.compile(rf"Iteration (?P<iteration>\d{{1,18}}).*, loss = {NUMBER}")
LEARNING_RATE = re.compile(rf"lr = {NUMBER}")
RATE = re.compile(rf"{ITERATION.pattern}, {LEARNING_RATE.pattern}")
TESTING = re.compile(r"Iteration (?P<iteration>\d{1,18}), Testing net \(#(?P<net>\d{1,9})\)")
OUTPUT = re.compile(rf"(?P<phase>Train|Test) net output #(?P<number>\d+): (?P<name>\S.*?) = {NUMBER}")

Series = dict[int, float]
"""Values by iteration; where a log tells one iteration twice (a resumed run), the later value."""


@dataclass
class TrainingLog:
    """``loss``: smoothed training loss. ``rate``: learning rate.
    ``train``, ``test``: net outputs by name. Those of further test nets are named ``accuracy (net
    #1)``.
    """

    loss: Series = field(default_factory=dict)
    rate: Series = field(default_factory=dict)
    train: dict[str, Series] = field(default_factory=dict)
    test: dict[str, Series] = field(default_factory=dict)


def number(text: str) -> float:
    """A number that `NUMBER` matches.

    Caffe on Windows writes ``1.#INF`` for infinity, ``-1.#IND`` and others for what is no number.
    """
    before, windows, word = text.partition("1.#")
    return float(text if not windows else before + "inf" if word == "INF" else "nan")


def read_training_log(path: str | Path) -> TrainingLog:
    """Read a log file; DataError if it cannot be read or tells of no training."""
    log = parse(read_lines(path))
    if not log.loss and not log.test:
        what = "no line 'Iteration N, loss = x' or 'Test net output'"
        raise DataError(f"{path}: {what}; needed: the log of caffe train")
    return log


def parse(lines: Iterable[str]) -> TrainingLog:
    """The numbers in a log's lines.

    An output belongs to the iteration of the last line that named one.
    """
    log = TrainingLog()
    iteration = 0
    net = 0
    for line in lines:
        if found := OUTPUT.search(line):
            outputs = log.train if found["phase"] == "Train" else log.test
            further = found["phase"] == "Test" and net > 0
            name = f"{found['name']} (net #{net})" if further else found["name"]
            outputs.setdefault(name, {})[iteration] = number(found["value"])
            continue
        if found := ITERATION.search(line):
            iteration = int(found["iteration"])
        if found := LOSS.search(line):
            log.loss[iteration] = number(found["value"])
        elif found := RATE.search(line):
            log.rate[iteration] = number(found["value"])
        elif found := TESTING.search(line):
            net = int(found["net"])
    return log
