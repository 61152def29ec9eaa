"""Our log lines, read as the log parsers of Caffe's users read them: by pattern, by column, by date.

The patterns are written from what those scripts document that they look for.
"""

from __future__ import annotations

import datetime
import re

import pytest

from caffepy import log

ITERATION = re.compile(r"Iteration (\d+)")
TRAIN_OUTPUT = re.compile(r"Train net output #(\d+): (\S+) = ([\.\deE+-]+)")
TEST_OUTPUT = re.compile(r"Test net output #(\d+): (\S+) = ([\.\deE+-]+)")
RATE = re.compile(r"lr = ([-+]?[0-9]*\.?[0-9]+([eE]?[-+]?[0-9]+)?)")

LINES = [
    ("solver.cpp:57", "Solver scaffolding done."),
    ("caffe.cpp:239", "Starting Optimization"),
    ("solver.cpp:289", "Solving CIFAR10_quick"),
    ("solver.cpp:347", "Iteration 0, Testing net (#0)"),
    ("solver.cpp:414", f"    Test net output #0: accuracy = {log.number(0.0978)}"),
    ("solver.cpp:414", f"    Test net output #1: loss = {log.number(2.30258)} (* 1 = {log.number(2.30258)} loss)"),
    ("solver.cpp:239", f"Iteration 0 (12.3 iter/s, 8.1s/100 iters), loss = {log.number(2.3026)}"),
    ("solver.cpp:258", f"    Train net output #0: loss = {log.number(1e-7)} (* 1 = {log.number(1e-7)} loss)"),
    ("sgd_solver.cpp:112", f"Iteration 0, lr = {log.number(0.00992565)}"),
]


@pytest.fixture
def written(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setattr(log.sink, "min_level", log.INFO)
    for where, message in LINES:
        log.info(where, message)
    return capsys.readouterr().err.splitlines()


def test_date_and_time_are_the_first_two_fields(written: list[str]) -> None:
    for line in written:
        day, clock = line.split()[:2]
        year = datetime.datetime.now().year
        when = datetime.datetime.strptime(f"{year} {day[1:]} {clock}", "%Y %m%d %H:%M:%S.%f")
        assert abs(when - datetime.datetime.now()) < datetime.timedelta(minutes=5)


def test_four_fields_stand_before_the_message(written: list[str]) -> None:
    for line in written:
        assert re.match(r"^[IWEF]\d{4} \d\d:\d\d:\d\d\.\d{6} +\d+ [\w./]+:\d+\] ", line)
    # the shell parser takes columns 9 and 11
    assert next(line for line in written if ", lr = " in line).split()[8] == "0.00992565"
    assert next(line for line in written if "accuracy" in line).split()[10] == "0.0978"


def test_patterns_find_their_numbers(written: list[str]) -> None:
    text = "\n".join(written)
    assert ITERATION.findall(text) == ["0", "0", "0"]
    assert TEST_OUTPUT.findall(text) == [("0", "accuracy", "0.0978"), ("1", "loss", "2.30258")]
    assert TRAIN_OUTPUT.findall(text) == [("0", "loss", "1e-07")]
    assert [found[0] for found in RATE.findall(text)] == ["0.00992565"]
    assert "] Solving " in text
    assert "Testing net" in text
    assert ", loss = " in text


@pytest.mark.parametrize(
    ("value", "text"),
    [(1e-7, "1e-07"), (123374.2, "123374"), (1234567.0, "1.23457e+06"), (0.1, "0.1"), (1.0, "1"), (float("nan"), "-nan"), (0.0, "0")],
)
def test_numbers_look_as_in_cpp(value: float, text: str) -> None:
    assert log.number(value) == text
