"""Trainings as curves, and what their logs warned of."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from caffepy.errors import DataError
from caffepy.report.view.training import MOST_POINTS, thinned, training_data
from tests.report.logs import LOG

STAMP = "1129 18:00:{:02}.000000 77 "


def line(second: int, text: str, severity: str = "I") -> str:
    return f"{severity}{STAMP.format(second)}solver.cpp:1] {text}\n"


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "a.log"
    path.write_text(
        "iter_size: 2\n"
        + line(0, "Solving a net")
        + line(0, "Top shape: 50 3 32 32 (153600)")
        + line(1, "Iteration 0 (0 iter/s, 0s/10 iters), loss = 2")
        + line(1, "    Train net output #0: loss = 2 (* 1 = 2 loss)")
        + line(1, "Iteration 0, lr = 0.1")
        + line(5, "Iteration 10 (2.5 iter/s, 4s/10 iters), loss = nan")
        + line(6, "the <b>disk</b> is slow", "W")
        + line(7, "the <b>disk</b> is slow", "W")
        + line(8, "Iteration 20, Testing net (#0)")
        + line(9, "    Test net output #0: acc = 0.5")
        + line(9, "cannot write", "E")
    )
    return path


def run_of(path: Path) -> Any:
    (run,) = training_data({"a": str(path)})["runs"]
    return run


def curves(run: Any) -> dict[str, Any]:
    return {curve["label"]: curve for curve in run["curves"]}


def test_curves(log: Path) -> None:
    found = curves(run_of(log))
    assert (found["training loss"]["x"], found["training loss"]["y"]) == ([0, 10], [2.0, None])
    assert (found["test acc"]["panel"], found["test acc"]["x"], found["test acc"]["y"]) == ("accuracy", [20], [0.5])
    assert (found["learning rate"]["panel"], found["learning rate"]["y"]) == ("rate", [0.1])
    # 50 images a batch, 2 batches an iteration; the first line's 0 is no speed
    assert (found["images/s"]["x"], found["images/s"]["y"]) == ([10], [250.0])
    assert (found["train loss"]["shown"], found["training loss"]["shown"]) == (False, True)


def test_warnings(log: Path) -> None:
    found = [(w["iteration"], w["severity"], w["times"], w["text"]) for w in run_of(log)["warnings"]]
    assert found == [
        (10, "error", 1, "the training loss is NaN or infinite in 1 of 2 lines, first at iteration 10"),
        (10, "warning", 2, "the <b>disk</b> is slow"),
        (20, "error", 1, "cannot write"),
    ]


def test_times(log: Path, tmp_path: Path) -> None:
    assert run_of(log)["seconds"] == {"x": [0, 10], "y": [1, 5]}
    old = tmp_path / "old.log"
    old.write_text(LOG)
    found = run_of(old)
    assert found["seconds"] == {"x": [0, 10], "y": [1.5, 60]}  # over the end of a year
    assert curves(found)["iterations/s"]["y"] == [pytest.approx(0.1)]


def test_speed_of_a_log_that_does_not_say_it(tmp_path: Path) -> None:
    path = tmp_path / "old.log"
    path.write_text(line(0, "Iteration 0, loss = 2") + line(4, "Iteration 10, loss = 1") + line(4, "Iteration 12, loss = 1"))
    assert curves(run_of(path))["iterations/s"]["y"] == [2.5]


def test_metrics(tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    records: list[dict[str, Any]] = [
        {"iteration": 0, "net": "test", "time": 99.0, "accuracy": 0.1, "loss": 2.5},
        {"iteration": 0, "net": "train", "time": 100.0, "smoothed_loss": 2.0, "loss": 2.1, "lr": 0.1},
        {"iteration": 5, "net": "train", "time": 102.5, "smoothed_loss": None, "loss": None, "lr": 0.1, "images_per_s": 30.0, "acc": 0.2},
        {"iteration": 5, "net": "test1", "time": 103.0, "accuracy": 0.3, "loss": 1.5},
    ]
    path.write_text("".join(json.dumps(record) + "\n" for record in records) + '{"iteration": 10, "net"')
    run = run_of(path)
    found = curves(run)
    assert {label: (curve["panel"], curve["x"], curve["y"]) for label, curve in found.items()} == {
        "training loss": ("loss", [0, 5], [2.0, None]),
        "test loss": ("loss", [0], [2.5]),
        "test loss (net #1)": ("loss", [5], [1.5]),
        "test accuracy": ("accuracy", [0], [0.1]),
        "test accuracy (net #1)": ("accuracy", [5], [0.3]),
        "train acc": ("accuracy", [5], [0.2]),
        "learning rate": ("rate", [0, 5], [0.1, 0.1]),
        "images/s": ("speed", [5], [30.0]),
    }
    assert run["seconds"] == {"x": [0, 5], "y": [1, 3.5]}
    assert run["warnings"][0]["iteration"] == 5


def test_a_curve_of_many_points_keeps_its_ends_and_peaks() -> None:
    points = [(i, math.sin(i)) for i in range(100_000)]
    points[54_321] = (54_321, 50.0)
    points[77_777] = (77_777, math.nan)
    found = thinned(points)
    assert len(found) < MOST_POINTS * 1.1
    assert found[-1] == points[-1]
    assert (54_321, 50.0) in found
    assert any(math.isnan(value) for _, value in found)
    assert [at for at, _ in found] == sorted({at for at, _ in found})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (line(0, "Solving a net"), "no line 'Iteration N, loss = x' or 'Test net output'"),
        ('{"iteration": 1, "net": "train"}\nrubbish\n{}\n', "m.log:2: no JSON object"),
        ('{"iteration": "one"}\n{}\n', "m.log:1: 'iteration' is 'one'; needed: a number"),
        ('{"iteration": 1, "loss": [1]}\n{}\n', "m.log:1: 'loss' is [1]; needed: a number"),
    ],
)
def test_refused(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "m.log"
    path.write_text(text)
    with pytest.raises(DataError) as refusal:
        training_data({"m": str(path)})
    assert message in str(refusal.value)


def test_a_training_that_has_only_begun(tmp_path: Path) -> None:
    path = tmp_path / "m.log"
    path.write_text("")
    (run,) = training_data({"m": str(path)}, running=True)["runs"]
    assert (run["curves"], run["iterations"], run["warnings"]) == ([], 0, [])


def test_images_of_several_ranks(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_text(
        line(0, "batch_mode per_rank: 50 images a rank x 4 ranks = 200 images an iteration")
        + line(0, "Top shape: 50 3 32 32 (153600)")
        + line(5, "Iteration 10 (2.5 iter/s, 4s/10 iters), loss = 1")
    )
    assert curves(run_of(path))["images/s"]["y"] == [500.0]
