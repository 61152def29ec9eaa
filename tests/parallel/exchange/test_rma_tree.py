from __future__ import annotations

import pytest
import torch

from caffepy.errors import ParallelError
from caffepy.parallel.exchange import rma_tree
from caffepy.parallel.exchange.core import buckets
from caffepy.parallel.launch.environment import Launch
from caffepy.parallel.transport.single import Single
from tests.parallel.exchange.nets import train
from tests.parallel.ranks import run_ranks


@pytest.mark.parametrize("joint", [False, True], ids=["", "joint"])
@pytest.mark.parametrize("size", [2, 3, 4, 6])
def test_the_bits_are_those_of_the_tree_with_messages(size: int, joint: bool) -> None:
    two_sided = run_ranks(size, lambda c: train(c, "tree", joint=joint))
    one_sided = run_ranks(size, lambda c: train(c, "rma_tree", joint=joint))
    for found, wanted in zip(one_sided, two_sided):
        assert all(torch.equal(a, b) for a, b in zip(found, wanted))


def test_pieces_wait_for_slots_that_are_free(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many pieces and as few slots as can be."""
    monkeypatch.setattr(buckets, "PIECE_BYTES", 16)
    monkeypatch.setattr(rma_tree, "AT_ONCE", 1)
    expected = run_ranks(6, lambda c: train(c, "tree"))[0]
    for weights in run_ranks(6, lambda c: train(c, "rma_tree")):
        assert all(torch.equal(a, b) for a, b in zip(weights, expected))


def test_a_transport_without_one_sided_transfers_says_so() -> None:
    with pytest.raises(ParallelError, match="has no one-sided transfers; needed: an MPI launcher, or -exchange tree"):
        Single(Launch("torchrun", 0, 1, 0, 1, "h")).window(1, 1)
