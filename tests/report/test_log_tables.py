"""The tables of parse_log.sh, and the charts drawn from them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from caffepy.errors import DataError
from caffepy.report.log_tables import read_tables, write_tables
from caffepy.report.plot_chart import CHARTS, draw_chart, points
from tests.report.logs import LOG


@pytest.fixture
def log(tmp_path: Path) -> Path:
    file = tmp_path / "a.log"
    file.write_text(LOG)
    return file


def test_tables(log: Path) -> None:
    write_tables(str(log), str(log.parent))
    assert (log.parent / "a.log.test").read_text() == (
        "#Iters Seconds TestAccuracy TestLoss\n0   0.500000   0.1  2.3\n10  60.500000  1    0.5\n"
    )
    assert (log.parent / "a.log.train").read_text() == (
        "#Iters Seconds TrainingLoss LearningRate\n0   1.500000   2.5    0.01\n10  60.000000  1e-07  0.001\n"
    )


def test_no_tables(log: Path) -> None:
    log.write_text("I0101 00:00:00.0 1 x] nothing")
    with pytest.raises(DataError, match="no line 'Iteration N, loss = x'"):
        read_tables(log)


def test_charts(log: Path) -> None:
    tables = read_tables(log)
    assert [chart.title for chart in CHARTS[:3]] == ["Test accuracy vs. Iters", "Test accuracy vs. Seconds", "Test loss vs. Iters"]
    found = [points(chart, tables) for chart in CHARTS]
    assert found[:4] == [[(0, 0.1), (10, 1)], [(0.5, 0.1), (60.5, 1)], [(0, 2.3), (10, 0.5)], [(0.5, 2.3), (60.5, 0.5)]]
    assert found[4:] == [[(0, 0.01), (10, 0.001)], [(1.5, 0.01), (60, 0.001)], [(0, 2.5), (10, 1e-7)], [(1.5, 2.5), (60, 1e-7)]]


def test_chart_of_two_logs(log: Path) -> None:
    pytest.importorskip("matplotlib")
    tables = read_tables(log)
    (axes,) = draw_chart(CHARTS[7], {"a": tables, "b": tables}).axes
    assert (axes.get_title(loc="left"), axes.get_xlabel()) == ("Train loss vs. Seconds", "Seconds")
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["a", "b"]


def test_a_log_that_has_nothing_for_a_chart_is_warned_of(log: Path, capfd: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib")
    tables = read_tables(log)
    draw_chart(CHARTS[0], {"a": tables, "b": replace(tables, test=[])})
    (line,) = capfd.readouterr().err.splitlines()
    assert line.endswith("b has no test accuracy to draw")
