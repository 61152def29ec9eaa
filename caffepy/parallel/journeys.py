"""What each exchange asks of the links: the model of a bucket's way, and of a layer's factors."""

# B bytes of a bucket, n ranks, h hosts, r ranks on a host

from __future__ import annotations

from collections.abc import Callable, Sequence

from caffepy.parallel.cluster_spec import Link
from caffepy.parallel.exchange import EXCHANGES
from caffepy.parallel.factors import Product, sent_bytes
from caffepy.parallel.wire_model import Stage

COPY = 2 / 3
"""What moving a byte by shared memory takes of what a message inside a host takes."""


class Journeys:
    """The ways of one job.  ``link``: between hosts, or between ranks where there is one host; ``inside``: between those of a host.

    ``keepers``: who owns each bucket under ps.
    """

    def __init__(self, groups: Sequence[Sequence[int]], link: Link, inside: Link, keepers: Sequence[int]) -> None:
        self._groups, self._link, self._inside = groups, link, inside
        self._local, self._hosts = max(map(len, groups)), len(groups)
        self._size = sum(map(len, groups))
        self._ends = sorted({self._end_of(keeper) for keeper in keepers})
        self._makers: dict[str, Callable[[int, int, int, float], list[Stage]]] = {
            "allreduce": self._allreduce,
            "hierarchical": self._hierarchical,
            "tree": self._tree,
            "ps": self._ps,
        }

    def bucket(self, exchange: str, n_bytes: int, pieces: int, *, keeper: int, update_s: float) -> list[Stage]:
        """The stages of a bucket.  ``keeper``: who owns it under ps. ``update_s``: of its update, where one rank makes it for all."""
        return self._makers[exchange](n_bytes, pieces, keeper, update_s)

    def factors(self, product: Product) -> list[Stage]:
        """Every rank's factors round the ring of all."""
        return [self._ring(float(sent_bytes(product, self._size, 1)), self._size - 1, pieces=2)]

    def _allreduce(self, n_bytes: int, pieces: int, keeper: int, update_s: float) -> list[Stage]:
        around = EXCHANGES["allreduce"].link_bytes(n_bytes, self._groups)
        return [self._ring(around, 2 * (self._size - 1), pieces)]

    def _ring(self, n_bytes: float, hops: int, pieces: int) -> Stage:
        """Each rank sends ``n_bytes`` to its neighbour, of whom one of a host is elsewhere."""
        loads = {"out": n_bytes / self._link.bandwidth} if self._hosts > 1 else {}
        processor = n_bytes * self._link.processor / self._local if self._hosts > 1 else 0.0
        if self._local > 1:
            loads["inside"] = n_bytes / self._inside.bandwidth
            processor += n_bytes * self._inside.processor * (1 - 1 / self._local if self._hosts > 1 else 1)
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

    def _ps(self, n_bytes: int, pieces: int, keeper: int, update_s: float) -> list[Stage]:
        """The owner takes B from every other rank, and then sends to each; those at the owners of other buckets are busy with it too."""
        end = self._end_of(keeper)
        senders = self._local if self._hosts > 1 else 1
        here, there = (self._size - senders) * n_bytes / self._link.bandwidth, senders * n_bytes / self._link.bandwidth
        others = [other for other in self._ends if other != end]
        processor = n_bytes * (self._size - 1) / self._size * self._link.processor
        return [
            Stage({f"in {end}": here} | {f"out {other}": there for other in others}, self._size - 1, pieces, processor, update_s),
            Stage({f"out {end}": here} | {f"in {other}": there for other in others}, 1, pieces, processor),
        ]

    def _end_of(self, rank: int) -> int:
        """The link's end at which a rank is: its host, or itself where there is only one."""
        if self._hosts == 1:
            return rank
        return next(host for host, group in enumerate(self._groups) if rank in group)


def _side(link: str, side: str) -> str:
    return f"{link} {side}"
