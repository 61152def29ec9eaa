"""The example of edges: how it scores, and all of it in the short form."""

from __future__ import annotations

import re

import cv2
import numpy as np
import pytest

from tests.examples.conftest import RunExample


def test_short(run_example: RunExample) -> None:
    result, out = run_example("edges")
    (figure,) = result["figures"]
    assert figure["name"] == "ODS F"
    assert 0 <= figure["value"] <= 1
    log = (out / "train.log").read_text()
    losses = np.array(re.findall(r"Iteration \d+.*, loss = (\S+)", log), float)
    assert len(losses) == 1  # the first
    assert np.isfinite(losses).all()
    assert len(set(re.findall(r"Layer (\w+_loss) balances its labels", log))) == 4
    assert len(set(re.findall(r"Layer (crop\d) cuts at", log))) == 3
    picture = cv2.imread(str(out / "edges.png"))
    assert picture is not None
    assert picture.shape[1] > 600


@pytest.mark.whole
def test_whole(run_example: RunExample) -> None:
    result, _ = run_example("edges", short=False)
    assert all(figure["reached"] for figure in result["figures"])


@pytest.mark.usefixtures("scripts")
@pytest.mark.parametrize("angle", [0, 30, 45, 90, 135])
def test_thick_lines_are_thinned(angle: int) -> None:
    from evaluate import thinned

    radians = np.deg2rad(angle)
    rows, columns = np.mgrid[-20:21, -20:21]
    across = -columns * np.sin(radians) + rows * np.cos(radians)
    edges = np.exp(-(across**2) / 8)  # some 5 pixels wide
    thin = thinned(edges)
    inner = np.hypot(rows, columns) < 15
    kept = (thin > 0) & inner
    assert (np.abs(across[kept]) <= 1).all()
    # no gap of more than a pixel along the line
    along = np.sort((columns * np.cos(radians) + rows * np.sin(radians))[kept])
    assert np.diff(along).max() < 2


@pytest.mark.usefixtures("scripts")
def test_benchmark() -> None:
    from evaluate import Benchmark

    truth = np.zeros((40, 40), bool)
    truth[10] = truth[30] = True
    edges = np.zeros((40, 40))
    edges[11] = 0.9  # a pixel beside the first line
    edges[20] = 0.3  # no line
    benchmark = Benchmark()
    benchmark.add(edges, truth)
    best = benchmark.ods()
    assert best.precision == 1
    assert best.recall == pytest.approx(0.5)
    assert best.f == pytest.approx(2 / 3)
    assert 0.3 < best.threshold <= 0.9


@pytest.mark.usefixtures("scripts")
def test_benchmark_without_edges() -> None:
    from evaluate import Benchmark

    benchmark = Benchmark()
    benchmark.add(np.zeros((8, 8)), np.zeros((8, 8), bool))
    assert benchmark.ods().f == 0
