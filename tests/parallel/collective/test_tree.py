from __future__ import annotations

import pytest
import torch

from caffepy.parallel.collective.courier import Courier
from caffepy.parallel.collective.tree import Place, broadcast_down, place_in_tree, reduce_up
from caffepy.parallel.transport.communicator import Communicator
from tests.parallel.ranks import run_ranks


def test_places_of_six() -> None:
    order = [10, 11, 12, 13, 14, 15]
    assert [place_in_tree(order, rank) for rank in order] == [
        Place(None, (11, 12, 14)),
        Place(10, ()),
        Place(10, (13,)),
        Place(12, ()),
        Place(10, (15,)),
        Place(14, ()),
    ]


@pytest.mark.parametrize("size", range(1, 20))
def test_it_is_a_tree_of_logarithmic_depth(size: int) -> None:
    places = [place_in_tree(range(size), rank) for rank in range(size)]
    for rank, place in enumerate(places):
        assert all(places[child].parent == rank for child in place.children)
        depth, above = 0, place.parent
        while above is not None:
            depth, above = depth + 1, places[above].parent
        assert depth <= (size - 1).bit_length()
    assert sum(len(place.children) for place in places) == size - 1


@pytest.mark.parametrize("size", [2, 3, 5])
def test_up_adds_and_down_tells(size: int) -> None:
    def body(c: Communicator) -> list[float]:
        courier, place = Courier(threaded=False), place_in_tree(range(size), c.rank)
        piece = torch.full((4,), float(c.rank + 1))
        courier.wait(courier.start(reduce_up(c, place, piece, 0)))
        total = piece.clone()
        courier.wait(courier.start(broadcast_down(c, place, piece, 0)))
        assert c.rank or torch.equal(total, piece)
        return piece.tolist()

    assert run_ranks(size, body) == [[size * (size + 1) / 2] * 4] * size


class Told:
    """Notes to whom something is sent."""

    def __init__(self) -> None:
        self.children: list[int] = []

    def send(self, piece: torch.Tensor, to: int, tag: int) -> None:
        self.children.append(to)


def test_a_child_is_told_when_the_one_before_it_has_been() -> None:
    told = Told()
    task = broadcast_down(told, Place(None, (1, 2, 4)), torch.zeros(1), 0)
    found = []
    for _ in task:
        found.append(list(told.children))
    assert found == [[4], [4, 2], [4, 2, 1]], "the deepest subtree first"
