"""Output blobs as Caffe prints them."""

from __future__ import annotations

import pytest
import torch

from caffepy.engine.output import Output
from caffepy.errors import SolverError
from caffepy.scoring.scores import Totals, scores

BATCH = [Output("accuracy", torch.tensor(0.5), 0.0), Output("loss", torch.tensor([1.0, 2.5e-7]), 0.5)]


def test_lines() -> None:
    assert list(map(str, scores(BATCH))) == ["accuracy = 0.5", "loss = 1 (* 0.5 = 0.5 loss)", "loss = 2.5e-07 (* 0.5 = 1.25e-07 loss)"]
    assert str(next(scores([Output("x", torch.tensor(float("nan")), 0.0)]))) == "x = -nan"


def test_means() -> None:
    totals = Totals()
    totals.add(BATCH)
    totals.add([Output("accuracy", torch.tensor(1.0), 0.0), Output("loss", torch.tensor([3.0, 0.0]), 0.5)])
    assert [(score.name, score.value) for score in totals.means(2)] == [("accuracy", 0.75), ("loss", 2.0), ("loss", pytest.approx(1.25e-7))]
    assert BATCH[1].data[0] == 1


def test_no_batches_and_no_outputs() -> None:
    assert Totals().means(0) == []
    empty = Totals()
    empty.add([])
    assert empty.means(1) == []


def test_outputs_that_change_their_size() -> None:
    totals = Totals()
    totals.add(BATCH)
    with pytest.raises(SolverError, match="2 numbers in this batch, 3 in the first; needed: the same in every batch"):
        totals.add([Output("loss", torch.zeros(2), 1.0)])
