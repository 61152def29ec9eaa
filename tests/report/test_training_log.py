"""Reading training logs."""

from __future__ import annotations

from pathlib import Path

import pytest

from caffepy.errors import DataError
from caffepy.report.log_clock import read_timed
from caffepy.report.training_log import parse, read_training_log

HEAD = "I1127 20:47:05.700948 19456 solver.cpp:239] "
LOG = """Iteration 0, Testing net (#0)
    Test net output #0: accuracy = 0.1
    Test net output #1: loss = 2.30 (* 1 = 2.30 loss)
Iteration 0, Testing net (#1)
    Test net output #0: accuracy = 0.2
Iteration 0 (-1.2e-37 iter/s, 0.1s/10 iters), loss = 2.5
    Train net output #0: loss = 2.6 (* 1 = 2.6 loss)
Iteration 0, lr = 0.01
Iteration 10 (12.3 iter/s, 0.8s/10 iters), loss = 1e-07
    Train net output #0: loss = -nan (* 1 = -nan loss)
Iteration 10, lr = 0.001
Iteration 10, loss = 0.25
Iteration 10, Testing net (#0)
    Test net output #0: accuracy = 1
Optimization Done."""


def test_all_series() -> None:
    log = parse(HEAD + line for line in LOG.splitlines())
    assert log.loss == {0: 2.5, 10: 0.25}
    assert log.rate == {0: 0.01, 10: 0.001}
    assert log.test == {"accuracy": {0: 0.1, 10: 1}, "loss": {0: 2.3}, "accuracy (net #1)": {0: 0.2}}
    assert log.train["loss"][0] == 2.6
    assert log.train["loss"][10] != log.train["loss"][10]


def test_numbers_as_windows_writes_them() -> None:
    losses = {0: "-1.#IND", 1: "1.#INF", 2: "-1.#INF", 3: "1.#QNAN", 4: "-nan(ind)"}
    log = parse(HEAD + f"Iteration {i}, loss = {text}" for i, text in losses.items())
    assert [str(loss) for loss in log.loss.values()] == ["nan", "inf", "-inf", "nan", "nan"]


def test_numbers_of_thousands_of_digits() -> None:
    long = "9" * 5000
    log = parse([f"Iteration {long}, loss = 0.5", f"Iteration {long}, Testing net (#{long})", f"[{long}] Iteration 3, loss = 0.25"])
    assert log.loss[3] == 0.25


def test_names_with_spaces() -> None:
    lines = ["Iteration 5, Testing net (#0)", "    Test net output #0: my loss = 0.5 (* 2 = 1 loss)", "    Test net output #1: a b  c = 3"]
    assert parse(HEAD + line for line in lines).test == {"my loss": {5: 0.5}, "a b  c": {5: 3}}


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-be"])
def test_logs_that_windows_wrote(tmp_path: Path, encoding: str) -> None:
    start = "\ufeff" if encoding == "utf-16-be" else ""
    (tmp_path / "a.log").write_bytes((start + "\r\n".join(HEAD + line for line in LOG.splitlines())).encode(encoding))
    assert read_training_log(tmp_path / "a.log").loss == {0: 2.5, 10: 0.25}
    assert read_timed(tmp_path / "a.log")[0][1].startswith("I1127")


def test_what_is_no_training_log(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="No such file"):
        read_training_log(tmp_path / "none.log")
    (tmp_path / "other.log").write_bytes(b"\xff\xfe nothing here")
    with pytest.raises(DataError, match="no line 'Iteration N, loss = x'"):
        read_training_log(tmp_path / "other.log")


@pytest.mark.parametrize("case", ["basic", "average_loss", "multi_test", "twoloss"])
def test_logs_of_the_real_caffe(case: str, shared: Path) -> None:
    folder = shared / f"golden/cli/parse_log_{case}"
    if not folder.is_dir():
        pytest.skip(f"{folder} is not here")
    log = read_training_log(folder / "train.log")
    assert log.rate
    for phase, series in (("train", log.train), ("test", log.test)):
        if not (folder / f"train.log.{phase}").exists():  # the real parser gives up on some logs
            continue
        rows = [line.split(",") for line in (folder / f"train.log.{phase}").read_text().splitlines()]
        names, values = rows[0][3:], rows[1:]
        for row in values:
            for name, value in zip(names, row[3:], strict=True):
                known = [v for key, points in series.items() if key.split(" (")[0] == name for v in points.values()]
                assert not known or not value or float(value) in known
