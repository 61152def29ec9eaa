"""The picture of trainings."""

from __future__ import annotations

from pathlib import Path

import pytest

from caffepy.errors import DataError, UsageError
from caffepy.report.plot_log import COLORS, draw, is_accuracy, rate_drops, save
from caffepy.report.training_log import TrainingLog

LOG = TrainingLog(
    loss={0: 2.3, 10: 1.1, 20: float("nan")},
    rate={0: 0.01, 10: 0.001, 20: 0.001},
    test={"accuracy": {0: 0.1, 20: 0.8}, "loss": {0: 2.3, 20: 0.7}},
)


def test_panels_and_curves() -> None:
    pytest.importorskip("matplotlib")
    losses, accuracies = draw({"a": LOG}, title="a net", note="stand-in data").axes
    assert losses.get_title(loc="left") == "a net (stand-in data)"
    assert [text.get_text() for text in losses.get_legend().get_texts()] == ["training loss, last 1.1", "test loss, last 0.7"]
    assert [text.get_text() for text in accuracies.get_legend().get_texts()] == ["test accuracy, last 0.8"]
    assert list(accuracies.lines[0].get_xdata()) == [0, 20]
    assert (losses.get_ylabel(), accuracies.get_ylabel(), accuracies.get_xlabel()) == ("loss", "accuracy", "iteration")
    assert [text.get_text() for text in losses.texts] == [" lr 0.001"]


def test_several_logs_have_a_colour_each() -> None:
    pytest.importorskip("matplotlib")
    losses, accuracies = draw({"a": LOG, "b": LOG}, title="two").axes
    assert [text.get_text() for text in accuracies.get_legend().get_texts()] == ["a: test accuracy, last 0.8", "b: test accuracy, last 0.8"]
    assert [line.get_color() for line in losses.lines] == [COLORS[0], COLORS[0], COLORS[1], COLORS[1]]
    assert not losses.texts


def test_names_are_no_formulas_and_never_hidden(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    figure = draw({"a$x^$": LOG, "_b": LOG}, title="$\\frac$")
    assert [text.get_text().split(":")[0] for text in figure.axes[1].get_legend().get_texts()] == ["a$x^$", " _b"]
    save(figure, str(tmp_path / "a.png"))


def test_one_panel_without_accuracies() -> None:
    pytest.importorskip("matplotlib")
    (losses,) = draw({"x": TrainingLog(loss={0: 1.0})}, title="x").axes
    assert losses.get_xlabel() == "iteration"


def test_few_points_can_be_seen() -> None:
    """A line of one point has a dot, and the axis no halves of iterations."""
    pytest.importorskip("matplotlib")
    figure = draw({"x": TrainingLog(loss={2: 1.0}, test={"loss": {0: 2.0, 3: 1.0}})}, title="x")
    (losses,) = figure.axes
    assert [line.get_marker() for line in losses.lines] == ["o", "o"]
    assert all(at == int(at) for at in losses.get_xticks())


def test_drops_of_the_rate() -> None:
    assert rate_drops({0: 0.1, 10: 0.1, 20: 0.01, 30: 0.009}) == {20: 0.01}


@pytest.mark.parametrize(("name", "yes"), [("accuracy", True), ("top-5", True), ("Acc1", True), ("loss", False), ("loss_top", False)])
def test_accuracy_names(name: str, yes: bool) -> None:
    assert is_accuracy(name) == yes


@pytest.mark.parametrize(("name", "start"), [("a.png", b"\x89PNG"), ("a.SVG", b"<?xml"), ("a.pdf", b"%PDF")])
def test_formats(name: str, start: bytes, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    save(draw({"a": LOG}, title="x"), str(tmp_path / name))
    assert (tmp_path / name).read_bytes().startswith(start)
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_pictures_that_cannot_be_written(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    figure = draw({"a": LOG}, title="x")
    with pytest.raises(UsageError, match="no picture can be written with the ending 'nonsense'"):
        save(figure, str(tmp_path / "a.nonsense"))
    with pytest.raises(DataError, match="there is no folder"):
        save(figure, str(tmp_path / "none/a.png"))
