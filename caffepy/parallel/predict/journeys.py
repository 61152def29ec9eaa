"""What each exchange asks of the links: the model of a bucket's way, and of a layer's factors."""

# B bytes of a bucket, n ranks, h hosts, r ranks on a host; g teams of l ranks, whose agents deal with a bucket's owner

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from caffepy.parallel.exchange import EXCHANGES
from caffepy.parallel.exchange.seats import Seat, take_seat
from caffepy.parallel.factors.factors import Product, sent_bytes
from caffepy.parallel.predict.cluster_spec import Link
from caffepy.parallel.predict.wire_model import Stage

COPY = 2 / 3
"""What moving a byte by shared memory takes of what a message inside a host takes."""


RMA_HOPS, RMA_PROCESSOR = 3, 2.0
"""One-sided: a put, its acknowledgement and its counter in place of a message; and how much more of a processor that takes."""


class Journeys:
    """The ways of one job.  ``link``: between hosts, or between ranks where there is one host; ``inside``: between those of a host.

    ``keepers``: the server of each bucket under ps. ``teams``: the groups of ranks that stay equal there; by default each rank is one.
    """

    def __init__(
        self, groups: Sequence[Sequence[int]], link: Link, inside: Link, keepers: Sequence[int], teams: Sequence[Sequence[int]] = ()
    ) -> None:
        self._groups, self._link, self._inside = groups, link, inside
        self._local, self._hosts = max(map(len, groups)), len(groups)
        self._size = sum(map(len, groups))
        self._host_of = {rank: host for host, group in enumerate(groups) for rank in group}
        self._teams = teams or [(rank,) for rank in self._host_of]
        self._owners = {self._seat(keeper).owner for keeper in keepers}
        self._ends = sorted({self._end_of(owner) for owner in self._owners})
        self._makers: dict[str, Callable[[int, int, int, float], list[Stage]]] = {
            "allreduce": self._allreduce,
            "hierarchical": self._hierarchical,
            "tree": self._tree,
            "rma_tree": self._rma_tree,
            "ps": self._ps,
        }

    def bucket(self, exchange: str, n_bytes: int, pieces: int, *, keeper: int, update_s: float) -> list[Stage]:
        """The stages of a bucket.  ``keeper``: who owns it under ps. ``update_s``: of its update, where one rank makes it for all."""
        return self._makers[exchange](n_bytes, pieces, keeper, update_s)

    def factors(self, product: Product) -> list[Stage]:
        """Every rank's factors round the ring of all."""
        return [self._ring(float(sent_bytes(product, self._size, 1)), self._size - 1, 2, self._hosts, self._local)]

    def _allreduce(self, n_bytes: int, pieces: int, keeper: int, update_s: float) -> list[Stage]:
        around = EXCHANGES["allreduce"].link_bytes(n_bytes, self._groups)
        return [self._ring(around, 2 * (self._size - 1), pieces, self._hosts, self._local)]

    def _ring(self, n_bytes: float, hops: int, pieces: int, hosts: int, local: int) -> Stage:
        """Each rank sends ``n_bytes`` to its neighbour; of the ``local`` ones on each of so many hosts one has it elsewhere."""
        loads = {"out": n_bytes / self._link.bandwidth} if hosts > 1 else {}
        processor = n_bytes * self._link.processor / local if hosts > 1 else 0.0
        if local > 1:
            loads["inside"] = n_bytes / self._inside.bandwidth
            processor += n_bytes * self._inside.processor * (1 - 1 / local if hosts > 1 else 1)
        return Stage(loads, hops, pieces, processor)

    def _hierarchical(self, n_bytes: int, pieces: int, keeper: int, update_s: float) -> list[Stage]:
        """2 (h - 1) / h B over the link, shared by r leaders; 2 (r - 1) / r B copied by each rank."""
        between = EXCHANGES["hierarchical"].link_bytes(n_bytes, self._groups)
        loads, processor = {}, 0.0
        if self._hosts > 1:
            loads["out"], processor = between / self._link.bandwidth, between / self._local * self._link.processor
        if self._local > 1:
            copied = COPY * 2 * (self._local - 1) / self._local * n_bytes
            loads["inside"] = copied / self._inside.bandwidth
            processor += copied * self._inside.processor
        return [Stage(loads, 2 * (self._hosts - 1) + 2 * (self._local > 1), pieces, processor)]

    def _tree(self, n_bytes: int, pieces: int, keeper: int, update_s: float) -> list[Stage]:
        """The root takes B from each of its children, and then sends to each; a piece climbs all levels."""
        between, within = (self._hosts - 1).bit_length(), (self._local - 1).bit_length()
        depth = (self._size - 1).bit_length()
        piece_s = n_bytes / pieces / self._link.bandwidth
        loads, processor = {}, n_bytes * (between * self._link.processor + within * self._inside.processor)
        if between:
            loads["link"] = between * n_bytes / self._link.bandwidth
        if within:
            loads["inside"] = within * n_bytes / self._inside.bandwidth
        climb_s = (max(1, between) - 1) * piece_s
        return [
            Stage({_side(link, "in"): load for link, load in loads.items()}, depth, pieces, processor, climb_s + update_s),
            Stage({_side(link, "out"): load for link, load in loads.items()}, depth, pieces, processor, climb_s),
        ]

    def _rma_tree(self, n_bytes: int, pieces: int, keeper: int, update_s: float) -> list[Stage]:
        """The same bytes, with more messages to wait for."""
        stages = self._tree(n_bytes, pieces, keeper, update_s)
        return [replace(stage, hops=RMA_HOPS * stage.hops, processor=RMA_PROCESSOR * stage.processor) for stage in stages]

    def _ps(self, n_bytes: int, pieces: int, keeper: int, update_s: float) -> list[Stage]:
        """A team adds up in a ring; the owner takes B from every other agent and then sends to each; those at the owners of other buckets
        are busy with it too. The agents tell their teams."""
        seat = self._seat(keeper)
        end, ends = self._end_of(seat.owner), [self._end_of(agent) for agent in seat.agents]
        here = sum(other != end for other in ends) * n_bytes / self._link.bandwidth
        there = {other: ends.count(other) * n_bytes / self._link.bandwidth for other in self._ends if other != end and other in ends}
        processor = n_bytes * (len(ends) - 1) / len(self._owners) * self._link.processor
        hops = len(ends) - 1
        take, give = {f"in {end}": here} if here else {}, {f"out {end}": here} if here else {}
        stages = [
            Stage(take | {f"out {other}": load for other, load in there.items()}, hops, pieces, processor, update_s),
            Stage(give | {f"in {other}": load for other, load in there.items()}, 1, pieces, processor),
        ]
        if len(seat.group) > 1:
            hosts = [self._host_of[rank] for rank in seat.group]
            spanned, local = len(set(hosts)), max(map(hosts.count, hosts))
            around = 2 * (len(hosts) - 1) / len(hosts) * n_bytes
            stages = [
                self._ring(around, 2 * (len(hosts) - 1), pieces, spanned, local),
                *stages,
                self._down(n_bytes, pieces, spanned, local),
            ]
        return stages

    def _down(self, n_bytes: int, pieces: int, hosts: int, local: int) -> Stage:
        """An agent's tree: it sends B to each of its children."""
        between, within = (hosts - 1).bit_length(), (local - 1).bit_length()
        loads = {"out": between * n_bytes / self._link.bandwidth} if between else {}
        if within:
            loads["inside out"] = within * n_bytes / self._inside.bandwidth
        processor = n_bytes * (between * self._link.processor + within * self._inside.processor)
        return Stage(loads, between + within, pieces, processor)

    def _seat(self, keeper: int) -> Seat:
        return take_seat(self._teams, self._teams[0][0], keeper)

    def _end_of(self, rank: int) -> int:
        """The link's end at which a rank is: its host, or itself where there is only one."""
        return rank if self._hosts == 1 else self._host_of[rank]


def _side(link: str, side: str) -> str:
    return f"{link} {side}"
