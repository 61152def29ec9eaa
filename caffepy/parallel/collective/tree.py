"""A binomial tree of ranks, and the two ways on it as tasks for the courier.

Sums go up, values come down.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from caffepy.parallel.collective.courier import Task

if TYPE_CHECKING:
    from torch import Tensor

    from caffepy.parallel.transport.communicator import Communicator


@dataclass(frozen=True)
class Place:
    """One rank's place in the tree.  ``parent``: None at the root. ``children``: nearest first."""

    parent: int | None
    children: tuple[int, ...]


def place_in_tree(order: Sequence[int], rank: int) -> Place:
    """The place of ``rank`` in the tree of the ranks of ``order``, whose first is the root.

    Position p has as parent p without its lowest bit, so the depth is the number of bits. Where the
    ranks of a host stand together, most edges stay inside it.
    """
    position = order.index(rank)
    lowest = position & -position or len(order)
    children = []
    step = 1
    while step < lowest and position + step < len(order):
        children.append(order[position + step])
        step *= 2
    return Place(order[position & (position - 1)] if position else None, tuple(children))


def reduce_up(communicator: Communicator, place: Place, piece: Tensor, tag: int) -> Task:
    """Add the children's pieces to this rank's, in one order, and send the sum to the parent."""
    incoming = [torch.empty_like(piece) for _ in place.children]
    receipts = [
        communicator.receive(arrived, child, tag)
        for arrived, child in zip(incoming, place.children)
    ]
    for receipt, arrived in zip(receipts, incoming):
        yield receipt
        piece += arrived
    if place.parent is not None:
        yield communicator.send(piece, place.parent, tag)


def broadcast_down(communicator: Communicator, place: Place, piece: Tensor, tag: int) -> Task:
    """Take the parent's values, send them to the children, one by one, the deepest subtree first.

    Messages that are sent together share the link and arrive together. One by one, the first child
    sends on while the next is served: a piece is everywhere after as many messages as the tree is
    deep, and not after their sum.
    """
    if place.parent is not None:
        yield communicator.receive(piece, place.parent, tag)
    for child in reversed(place.children):
        yield communicator.send(piece, child, tag)
