"""How gradients and parameters of a parameter server's tables travel, as tasks for the courier."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING

import torch

from caffepy.parallel.collective.courier import Task, TaskGroup
from caffepy.parallel.collective.ring import ring_allreduce
from caffepy.parallel.collective.tree import broadcast_down
from caffepy.parallel.exchange.server.bandwidth_limit import BandwidthLimit, Priority
from caffepy.parallel.exchange.server.tables import GroupGradient, Round, Table
from caffepy.parallel.transport.communicator import count_bytes
from caffepy.parallel.transport.transfer import Transfer

if TYPE_CHECKING:
    from torch import Tensor

    from caffepy.parallel.transport.communicator import Communicator

AHEAD = 2
"""How many gradients an owner asks for at a time, for each piece."""


class Delivery:
    """Moves gradients and parameters between a table's owner and the other ranks.

    Messages between the owner and the agents of the groups are held to the ``limit``: the
    oldest rounds go first, then the parameters that the net uses first. Messages inside a group are
    not.
    """

    def __init__(
        self, communicator: Communicator, limit: BandwidthLimit, *, tags: int, under_way: int
    ) -> None:
        """``tags``: how many a round has. ``under_way``: rounds that may be at a time."""
        self._communicator = communicator
        self._limit = limit
        self._tags = tags
        self._under_way = under_way

    def join(self, table: Table, round_: Round, flat: Tensor) -> Task:
        """Make ``flat`` the sum over the ranks of this rank's group."""
        ring = table.roles.group
        if len(ring) > 1:
            pieces = self._pieces(table, round_, flat, within=True)
            yield TaskGroup(
                ring_allreduce(self._communicator, piece, ring, tag=tag) for tag, piece in pieces
            )
            if flat is not table.bucket.flat:
                table.bucket.flat.copy_(flat)
        round_.joined = True

    def gather(self, table: Table, round_: Round) -> Task:
        """At the owner: add the gradient of every other group, as `TableRoles.others` has them."""
        yield TaskGroup(
            self._add(piece, table.roles.others, tag)
            for tag, piece in self._pieces(table, round_, round_.flat)
        )

    def expect(self, table: Table, round_: Round, own: Transfer) -> list[GroupGradient]:
        """At the owner: the gradient of every group, each into memory of its own.

        ``own``: done when this rank's is in ``round_.own``.
        """
        assert round_.own is not None
        gradients = [GroupGradient(round_.number, round_.own, own)]
        for agent in table.roles.others:
            flat = torch.empty_like(round_.flat)
            receipts = (
                self._communicator.receive(piece, agent, tag)
                for tag, piece in self._pieces(table, round_, flat)
            )
            gradients.append(GroupGradient(round_.number, flat, TaskGroup([_all(list(receipts))])))
        return gradients

    def tell(self, table: Table, round_: Round, flat: Tensor) -> Task:
        """At the owner: send ``flat``, the new parameters, to the agents and to its own group."""
        pieces = self._pieces(table, round_, flat)
        yield TaskGroup(
            self._send(piece, agent, tag, _priority(table, round_))
            for tag, piece in pieces
            for agent in table.roles.others
        )
        yield TaskGroup(
            broadcast_down(self._communicator, table.roles.place, piece, tag)
            for tag, piece in pieces
        )

    def ask(self, table: Table, round_: Round) -> Task:
        """At the other ranks: an agent sends its group's gradient and receives the parameters.

        They come into the same memory, and the agent sends them on to its group.
        """
        roles = table.roles
        pieces = self._pieces(table, round_, round_.flat)
        if self._communicator.rank == roles.agent != roles.owner:
            yield TaskGroup(
                self._send(piece, roles.owner, tag, _priority(table, round_))
                for tag, piece in pieces
            )
            yield TaskGroup(
                _all([self._communicator.receive(piece, roles.owner, tag)]) for tag, piece in pieces
            )
        yield TaskGroup(
            broadcast_down(self._communicator, roles.place, piece, tag) for tag, piece in pieces
        )

    def _add(self, piece: Tensor, agents: Sequence[int], tag: int) -> Task:
        """One after the other; each is asked for while the one before it is on its way."""
        left = deque(agents)
        free = [torch.empty_like(piece) for _ in agents[:AHEAD]]
        asked: deque[tuple[Transfer, Tensor]] = deque()
        while left or asked:
            while left and free:
                arriving = free.pop()
                asked.append((self._communicator.receive(arriving, left.popleft(), tag), arriving))
            receipt, arrived = asked.popleft()
            yield receipt
            piece += arrived
            free.append(arrived)

    def _send(self, piece: Tensor, to: int, tag: int, priority: Priority) -> Task:
        yield self._limit.request(count_bytes(piece), priority)
        yield self._communicator.send(piece, to, tag)

    def _pieces(
        self, table: Table, round_: Round, flat: Tensor, *, within: bool = False
    ) -> list[tuple[int, Tensor]]:
        """``flat`` as it travels, by tag.

        Rounds that are under way together have tags of their own, and so has the ring ``within`` a
        group.
        """
        first = (round_.number % self._under_way * 2 + within) * self._tags
        tags = [first + tag for tag, _ in table.bucket.pieces]
        return list(
            zip(tags, torch.split(flat, [piece.numel() for _, piece in table.bucket.pieces]))
        )


def _all(transfers: Sequence[Transfer]) -> Task:
    """A task that ends when all ``transfers`` are done."""
    yield from transfers


def _priority(table: Table, round_: Round) -> Priority:
    return round_.number, min(table.bucket.params)
