"""Average precision of detections."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch

from caffepy.engine.output import Output
from caffepy.errors import SolverError
from caffepy.scoring.average_precision import VERSIONS, AveragePrecisions, average_precision

# score, true, false: recall 1/4, 1/4, 1/2, 3/4 at precision 1, 1/2, 2/3, 3/4
FOUND = np.array([[0.5, 1, 0], [0.9, 1, 0], [0.8, 0, 1], [0.3, 1, 0]])


@pytest.mark.parametrize(
    ("version", "wanted"),
    [
        ("11point", (3 * 1 + 5 * 0.75) / 11),
        ("MaxIntegral", 0.25 * 1 + 0 + 0.25 * 0.75 + 0.25 * 0.75),
        ("Integral", 0.25 * 1 + 0 + 0.25 * 2 / 3 + 0.25 * 0.75),
    ],
)
def test_versions(version: str, wanted: float) -> None:
    assert average_precision(FOUND, 4, version) == pytest.approx(wanted)


def test_a_recall_of_7_by_10_is_less_than_a_point_of_0_7() -> None:
    found = np.array([[1 - i / 10, 1, 0] for i in range(7)])
    assert average_precision(found, 10, "11point") == pytest.approx(7 / 11)


@pytest.mark.parametrize("version", VERSIONS)
def test_nothing_found_or_nothing_there(version: str) -> None:
    assert average_precision(FOUND[:0], 4, version) == 0
    assert average_precision(FOUND, 0, version) == 0


def batch(*rows: tuple[float, ...]) -> list[Output]:
    return [Output("eval", torch.tensor(rows).view(1, 1, -1, 5), 0.0)]


def test_mean_over_classes_of_several_batches(lines: Callable[[], list[str]]) -> None:
    scores = AveragePrecisions("Integral", each=True)
    scores.add(batch((-1, 1, 1, -1, -1), (-1, 2, 2, -1, -1), (-1, 3, 1, -1, -1), (0, 1, 0.9, 0, 0), (0, 1, 0.8, 1, 0)))
    scores.add(batch((-1, 1, 1, -1, -1), (-1, 2, 0, -1, -1), (-1, 3, 0, -1, -1), (0, 1, 0.9, 0, 1), (0, 2, 0.5, 1, 0)))
    (mean,) = scores.means(2)
    assert (mean.name, mean.value) == ("eval", pytest.approx((0.25 + 0.5) / 3))  # difficult objects do not count
    assert lines() == ["class1: 0.25", "class2: 0.5", "Missing true_pos for label: 3"]


def test_an_output_of_another_layer() -> None:
    with pytest.raises(SolverError, match=r"test output 'loss' is \(\); needed with eval_type \"detection\": \(1, 1, rows, 5\)"):
        AveragePrecisions("Integral", each=False).add([Output("loss", torch.zeros(()), 1.0)])
