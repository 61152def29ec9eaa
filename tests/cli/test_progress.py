"""The bottom line of a terminal: there, cleared before log lines, and never anywhere else."""

from __future__ import annotations

import io
import os
import pty
import subprocess
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from caffepy import log
from caffepy.cli.progress import Line, Pace, bottom_line, clock, progress_bar, status, training_progress
from tests.warm.start import python


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    found = Terminal()
    for module in ("caffepy.cli.progress", "caffepy.log"):
        monkeypatch.setattr(f"{module}.sys", SimpleNamespace(stderr=found))
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "30")
    return found


def test_clock() -> None:
    assert [clock(seconds) for seconds in (0.4, 65, 3723)] == ["0:00", "1:05", "1:02:03"]


def test_pace(monkeypatch: pytest.MonkeyPatch) -> None:
    now = iter([100.0, 102.0, 104.0, 110.0])
    monkeypatch.setattr("caffepy.cli.progress.time", SimpleNamespace(perf_counter=lambda: next(now)))
    pace = Pace(10)
    assert pace.rate(20) == 5
    assert pace.left(30, 50) == "0:04"
    assert pace.rate(60) == 5
    assert pace.left(10, 50) == "?"


def test_a_line_is_cut_to_the_width_and_cleared_once(terminal: Terminal) -> None:
    line = Line(terminal, refresh_s=1)
    line.draw("x" * 100)
    line.clear()
    line.clear()
    assert terminal.getvalue() == "\r\033[K" + "x" * 29 + "\r\033[K"


def test_log_lines_stand_above_it(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log.sink, "prefix", False)
    monkeypatch.setattr(log.sink, "min_level", log.INFO)
    with bottom_line() as line:
        assert line is not None
        line.draw("half")
        log.info("here", "said")
        monkeypatch.setattr(log.sink, "stderr_level", log.WARNING)
        log.info("here", "for the file alone")
        monkeypatch.setattr(log.sink, "stderr_level", log.INFO)
    log.info("here", "after")
    assert terminal.getvalue() == "\r\033[Khalf\r\033[Ksaid\nhalf\r\033[Kafter\n"


def test_nothing_where_there_is_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr("caffepy.cli.progress.sys", SimpleNamespace(stderr=stream))
    with bottom_line() as line, progress_bar("images") as advance:
        assert line is None
        advance(1, 2)
    assert stream.getvalue() == ""
    assert log.sink.bottom_line == ""


def test_bar(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("caffepy.cli.progress.REFRESH_S", 0)
    monkeypatch.setenv("COLUMNS", "80")
    with progress_bar("images") as advance:
        advance(50, 200)
    assert terminal.getvalue().startswith("\r\033[K50/200 (25 %)  ")
    assert " images/s  0:00 left\r\033[K" in terminal.getvalue()


def test_no_speed_of_nothing() -> None:
    assert status("3/9", 0.0, "images", "?") == "3/9  ? left"
    assert status("3/9", 0.213, "images", "0:01") == "3/9  0.213 images/s  0:01 left"


def test_training(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("caffepy.cli.progress.REFRESH_S", 0)
    monkeypatch.setenv("COLUMNS", "80")
    losses, param = SimpleNamespace(value=lambda: 0.25), SimpleNamespace(max_iter=8)
    solver: Any = SimpleNamespace(iteration=4, images_per_iteration=100, losses=losses, param=param, watchers=[])
    with training_progress(solver):
        solver.iteration = 6
        solver.watchers[0](solver)
    assert solver.watchers == []
    assert terminal.getvalue().startswith("\r\033[KIteration 4/8\r\033[KIteration 6/8  loss 0.25  ")
    assert terminal.getvalue().endswith(" images/s  0:00 left\r\033[K")


def on_a_terminal(words: list[str], folder: Path, root: Path) -> str:
    """What a program writes to a terminal of its own."""
    command = [*python(), "-m", "caffepy", *words]
    environ = dict(os.environ, PYTHONPATH=str(root), OMP_NUM_THREADS="1", TERM="xterm", COLUMNS="100")
    ours, theirs = pty.openpty()
    with subprocess.Popen(command, cwd=folder, env=environ, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=theirs) as process:
        os.close(theirs)
        seen = bytearray()
        with suppress(OSError):  # what a terminal says that nobody has open any more
            while data := os.read(ours, 4096):
                seen.extend(data)
        os.close(ours)
    assert process.returncode == 0
    return seen.decode()


@pytest.fixture
def training(tmp_path: Path) -> Path:
    (tmp_path / "n.prototxt").write_text(
        'layer { name: "d" type: "DummyData" top: "x" dummy_data_param { shape { dim: 4 dim: 3 } } }\n'
        'layer { name: "ip" type: "InnerProduct" bottom: "x" top: "y" inner_product_param { num_output: 1 } }\n'
        'layer { name: "loss" type: "Reduction" bottom: "y" top: "loss" loss_weight: 1 }\n'
    )
    (tmp_path / "s.prototxt").write_text(
        'net: "n.prototxt" base_lr: 0 lr_policy: "fixed" max_iter: 8000 display: 5000 snapshot_after_train: false'
    )
    return tmp_path


def test_a_real_terminal_and_a_log_file(training: Path, root: Path) -> None:
    """What a user sees who trains for a while: the line on the terminal, and none of it in the file."""
    text = on_a_terminal(["train", "-solver=s.prototxt", "-log_dir=."], training, root)
    assert "/8000  loss " in text
    assert " left\r\033[K" in text
    (file,) = (path for path in training.glob("*.log.*") if not path.is_symlink())
    written = file.read_text()
    assert "Iteration 5000 (" in written
    assert "\r" not in written
    assert " left" not in written


def test_the_line_is_there_after_every_line_of_the_log(training: Path, root: Path) -> None:
    text = on_a_terminal(["train", "-solver=s.prototxt", "-set", "display=20", "-set", "max_iter=2000"], training, root)
    while_training = text.split("Starting Optimization")[1].split("] Optimization Done.")[0]
    looks = while_training.split("\r\n")[1:-1]
    assert len(looks) > 200
    assert all(look.startswith("Iteration ") and "/2000" in look for look in looks[1:])
