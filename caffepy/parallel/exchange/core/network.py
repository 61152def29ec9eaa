"""What an exchange asks of the network, for predictions: each exchange's `model` makes stages of a bucket.  No message is sent."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Link:
    """``latency_s``: of a small message, one way. ``bandwidth``: payload, bytes a second, in each direction at once.

    ``processor``: seconds of a rank's processor for each byte that it sends, together with the one that it receives meanwhile.
    """

    latency_s: float
    bandwidth: float
    processor: float = 0.0


@dataclass(frozen=True)
class Stage:
    """One direction of a transfer.  ``loads``: seconds, not 0, that each link is busy with it.

    ``pieces``: in how many it is cut. ``hops``: messages of a piece that wait for one another. ``processor``: seconds of this rank's.
    ``then_s``: what is done when the last piece has come, before the next stage begins.
    """

    loads: Mapping[str, float]
    hops: int
    pieces: float = 1.0
    processor: float = 0.0
    then_s: float = 0.0


@dataclass(frozen=True)
class Load:
    """A bucket to be sent.  ``number``: among all buckets. ``update_s``: of its update, where one rank makes it for all."""

    number: int
    n_bytes: int
    pieces: int
    update_s: float = 0.0


Model = Callable[[Load], list[Stage]]
"""Gives the stages of a bucket, one after the other."""


class Network:
    """The ranks of a job and the links between them.

    ``groups``: the ranks by host. ``link``: between hosts, or between ranks where there is one host. ``inside``: between those of a host.
    ``size``: of the job. ``hosts``: how many. ``local``: ranks on the host that has most.
    """

    def __init__(self, groups: Sequence[Sequence[int]], link: Link, inside: Link) -> None:
        self.groups, self.link, self.inside = groups, link, inside
        self.size, self.hosts, self.local = (
            sum(map(len, groups)),
            len(groups),
            max(map(len, groups)),
        )
        self.host_of = {rank: host for host, group in enumerate(groups) for rank in group}

    def ring(
        self,
        n_bytes: float,
        hops: int,
        pieces: int,
        *,
        hosts: int | None = None,
        local: int | None = None,
    ) -> Stage:
        """Each rank of a ring sends ``n_bytes`` to its neighbour; of the ``local`` ones on each of ``hosts`` one has it elsewhere.

        By default the ring of all ranks.
        """
        hosts, local = hosts or self.hosts, local or self.local
        loads = {"out": n_bytes / self.link.bandwidth} if hosts > 1 else {}
        processor = n_bytes * self.link.processor / local if hosts > 1 else 0.0
        if local > 1:
            loads["inside"] = n_bytes / self.inside.bandwidth
            processor += n_bytes * self.inside.processor * (1 - 1 / local if hosts > 1 else 1)
        return Stage(loads, hops, pieces, processor)

    def broadcast(self, n_bytes: int, pieces: int, *, hosts: int, local: int) -> Stage:
        """Down a binomial tree of ``local`` ranks on each of ``hosts``: its root sends ``n_bytes`` to each of its children."""
        between, within = (hosts - 1).bit_length(), (local - 1).bit_length()
        loads = {"out": between * n_bytes / self.link.bandwidth} if between else {}
        if within:
            loads["inside out"] = within * n_bytes / self.inside.bandwidth
        processor = n_bytes * (between * self.link.processor + within * self.inside.processor)
        return Stage(loads, between + within, pieces, processor)

    def end_of(self, rank: int) -> int:
        """The end of the link at which a rank is: its host, or itself where there is only one."""
        return rank if self.hosts == 1 else self.host_of[rank]
