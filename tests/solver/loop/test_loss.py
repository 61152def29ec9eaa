"""The loss of the log: Caffe's smoothing, and no more waiting for the device than there must be."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch

from caffepy.solver.loop.loss import MOST_PENDING, SmoothedLoss, warn_of_lost_loss


def values(average_loss: int, losses: list[float]) -> list[float]:
    smoothed, found = SmoothedLoss(average_loss), []
    for loss in losses:
        smoothed.add(torch.tensor(loss))
        found.append(smoothed.value())
    return found


def test_without_averaging_it_is_the_last_loss() -> None:
    assert values(1, [3.0, 5.0, 1.0]) == [3, 5, 1]


def test_mean_of_the_last_ones() -> None:
    assert values(3, [3.0, 5.0, 1.0, 9.0, 2.0]) == pytest.approx([3, 4, 3, 5, 4])


def test_a_nan_stays_in_the_mean_as_in_caffe() -> None:
    assert np.isnan(values(2, [1.0, np.nan, 1.0, 1.0, 1.0])[1:]).all()


def test_restart_forgets() -> None:
    smoothed = SmoothedLoss(3)
    smoothed.add(torch.tensor(9.0))
    smoothed.restart()
    smoothed.add(torch.tensor(1.0))
    assert smoothed.value() == 1


def test_a_tensor_may_be_overwritten_after_it_was_added() -> None:
    smoothed, loss = SmoothedLoss(2), torch.tensor(4.0)
    for _ in range(2 * MOST_PENDING + 1):
        smoothed.add(loss)
    loss.zero_()
    assert smoothed.value() == 4


def test_the_ranks_whose_loss_is_lost(lines: Callable[[], list[str]]) -> None:
    warn_of_lost_loss(20, [1.0, float("nan"), float("inf")])
    warn_of_lost_loss(20, [float("inf"), float("inf")])
    some, every = lines()
    assert some.startswith("The loss of ranks 1, 2 of iteration 20 is -nan, and training")
    assert every.startswith("The loss of iteration 20 is inf, and training")
