"""A sum over ranks by a ring of neighbours, as a task for the courier.

Every rank sends 2 (n - 1) / n of the tensor, for n ranks. Each element is added up in one order on
one rank, and copied to the others: the same bits everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import torch

from caffepy.parallel.collective.courier import Task

if TYPE_CHECKING:
    from torch import Tensor

    from caffepy.parallel.transport.communicator import Communicator


def ring_allreduce(
    communicator: Communicator,
    flat: Tensor,
    ring: Sequence[int],
    *,
    tag: int,
    scale: float = 1.0,
    wire: torch.dtype | None = None,
) -> Task:
    """Overwrite ``flat`` on the ranks of ``ring`` with their sum times ``scale``.

    Neighbours should share a host where they can. ``wire``: a 16-bit type in which values travel.
    They are added up in float32, and the sum is rounded once more on its way to all ranks.
    """
    size, place, after, before = _neighbours(communicator, ring)
    pieces = flat.tensor_split(size)
    incoming = torch.empty_like(pieces[0], dtype=wire)
    for step in range(size - 1):
        mine = pieces[(place - step) % size]
        theirs = pieces[(place - step - 1) % size]
        arrived = incoming[: theirs.numel()]
        receipt = communicator.receive(_bits(arrived), before, tag)
        sent = communicator.send(_bits(mine if wire is None else mine.to(wire)), after, tag)
        yield receipt
        theirs += arrived
        yield sent
    if scale != 1.0:
        pieces[(place + 1) % size].mul_(scale)
    whole = flat if wire is None else flat.to(wire)
    pieces = whole.tensor_split(size)
    for step in range(size - 1):
        mine = pieces[(place + 1 - step) % size]
        theirs = pieces[(place - step) % size]
        receipt = communicator.receive(_bits(theirs), before, tag)
        sent = communicator.send(_bits(mine), after, tag)
        yield receipt
        yield sent
    if wire is not None:
        flat.copy_(whole)


def _neighbours(communicator: Communicator, ring: Sequence[int]) -> tuple[int, int, int, int]:
    """The number of ranks, this rank's place among them, and the ranks behind and before it."""
    size = len(ring)
    place = ring.index(communicator.rank)
    return size, place, ring[(place + 1) % size], ring[(place - 1) % size]


def _bits(values: Tensor) -> Tensor:
    """16-bit floats as integers, which every transport knows."""
    return values if values.dtype == torch.float32 else values.view(torch.int16)


def by_host(communicator: Communicator) -> list[int]:
    """All ranks, those of a host side by side.

    A ring in this order enters and leaves each host once.
    """
    return [rank for group in communicator.groups for rank in group]


def ring_allgather(
    communicator: Communicator, blocks: Sequence[Tensor], ring: Sequence[int], *, tag: int
) -> Task:
    """Overwrite ``blocks[r]`` with that of rank r, for every rank r of ``ring``.

    Every rank sends all blocks but one.
    """
    size, place, after, before = _neighbours(communicator, ring)
    for step in range(size - 1):
        receipt = communicator.receive(blocks[ring[(place - step - 1) % size]], before, tag)
        sent = communicator.send(blocks[ring[(place - step) % size]], after, tag)
        yield receipt
        yield sent
