"""The picture of a training."""

from __future__ import annotations

from pathlib import Path

import pytest

from caffepy.report.plot_log import draw, is_accuracy, main, rate_drops
from caffepy.report.training_log import TrainingLog

LOG = TrainingLog(
    loss={0: 2.3, 10: 1.1, 20: float("nan")},
    rate={0: 0.01, 10: 0.001, 20: 0.001},
    test={"accuracy": {0: 0.1, 20: 0.8}, "loss": {0: 2.3, 20: 0.7}},
)


def test_panels_and_curves() -> None:
    pytest.importorskip("matplotlib")
    losses, accuracies = draw(LOG, title="a net", note="stand-in data").axes
    assert losses.get_title(loc="left") == "a net (stand-in data)"
    assert [text.get_text() for text in losses.get_legend().get_texts()] == ["training loss, last 1.1", "test loss, last 0.7"]
    assert [text.get_text() for text in accuracies.get_legend().get_texts()] == ["test accuracy, last 0.8"]
    assert list(accuracies.lines[0].get_xdata()) == [0, 20]
    assert (losses.get_ylabel(), accuracies.get_ylabel(), accuracies.get_xlabel()) == ("loss", "accuracy", "iteration")


def test_one_panel_without_accuracies() -> None:
    pytest.importorskip("matplotlib")
    (losses,) = draw(TrainingLog(loss={0: 1.0}), title="x").axes
    assert losses.get_xlabel() == "iteration"


def test_drops_of_the_rate() -> None:
    assert rate_drops({0: 0.1, 10: 0.1, 20: 0.01, 30: 0.009}) == {20: 0.01}


@pytest.mark.parametrize(("name", "yes"), [("accuracy", True), ("top-5", True), ("Acc1", True), ("loss", False), ("loss_top", False)])
def test_accuracy_names(name: str, yes: bool) -> None:
    assert is_accuracy(name) == yes


def test_program(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib")
    log = tmp_path / "a.log"
    log.write_text("x] Iteration 0, loss = 2\nx] Iteration 5, loss = 1\n")
    assert main([str(log), str(tmp_path / "a.png")]) == 0
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.log", "a.png"]
    assert main([str(log), str(tmp_path / "a.nonsense")]) == 1
    assert main([str(tmp_path / "none.log"), "b.png"]) == 1
    assert "none.log: No such file" in capsys.readouterr().err
