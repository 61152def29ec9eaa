"""Sums of the gradients of passes that write their gradients to the same memory each time."""

from __future__ import annotations

import torch

from caffepy.engine.gradient_sums import GradientSums


def test_passes_that_overwrite_their_gradients_are_summed() -> None:
    sums = GradientSums([])
    memory = torch.zeros(2)
    for number in (1.0, 2.0, 4.0):
        sums.keep_first()
        memory.fill_(number)
        sums.add([memory, None])
    assert sums.passes == 3
    total, nothing = sums.gradients
    assert total is not None
    assert total.tolist() == [7, 7]
    assert nothing is None


def test_the_gradients_of_one_pass_are_not_copied() -> None:
    sums = GradientSums([])
    gradient = torch.ones(2)
    sums.add([gradient])
    assert sums.gradients[0] is gradient


def test_the_last_pass_counts_where_a_backward_overwrites_diffs() -> None:
    sums = GradientSums([1])
    for number in (1.0, 2.0):
        sums.keep_first()
        sums.add([torch.full((1,), number), torch.full((1,), number)])
    assert [g.item() for g in sums.gradients if g is not None] == [3, 2]


def test_sums_lie_in_the_same_memory_in_each_iteration() -> None:
    sums = GradientSums([])
    places = set()
    for _ in range(3):
        for _ in range(2):
            sums.keep_first()
            sums.add([torch.ones(4)])
        places.add(sums.gradients[0].data_ptr())
        sums.clear()
    assert sums.passes == 0
    assert len(places) == 1
