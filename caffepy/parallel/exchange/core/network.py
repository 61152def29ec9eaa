"""What an exchange asks of the network, for predictions.

Each exchange's `model` divides the way of a bucket into stages. No message is sent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from caffepy.parallel.collective.courier import AT_ONCE


@dataclass(frozen=True)
class Link:
    """``latency_s``: of a small message, one way.

    ``bandwidth``: payload, bytes a second, in each direction at once. ``processor``: seconds of a
    rank's processor for each byte that it sends, with the byte that it receives meanwhile.
    """

    latency_s: float
    bandwidth: float
    processor: float = 0.0


@dataclass(frozen=True)
class Stage:
    """One direction of a transfer.

    ``loads``: seconds, more than 0, for which each link is busy with it.
    ``hops``: messages of a piece that wait for one another.
    ``pieces``: in how many it is cut. ``at_once``: how many of them are under way together.
    ``last_hops``: messages that follow the last piece's bytes; None: ``hops``.
    ``processor``: seconds of this rank's processor.
    ``in_order``: messages between two ranks arrive as they were sent, so that what was sent first
    has the link first. Else, as where every message waits for one of another rank, those that are
    under way share it.
    ``senders``: ranks whose messages come to this one over the same link, and one message must be
    there before the next rank can begin. Meanwhile who sent the first sends what comes later, and
    shares the link.
    ``then_s``: what is done when the last piece has come, before the next stage begins.
    """

    loads: Mapping[str, float]
    hops: int
    pieces: float = 1.0
    processor: float = 0.0
    then_s: float = 0.0
    at_once: float = AT_ONCE
    last_hops: int | None = None
    in_order: bool = False
    senders: int = 1


@dataclass(frozen=True)
class Load:
    """A bucket to be sent.

    ``number``: its place among all buckets. ``update_s``: seconds of its update, where one rank
    makes it for all.
    """

    number: int
    n_bytes: int
    pieces: int
    update_s: float = 0.0


Model = Callable[[Load], list[Stage]]
"""Gives the stages of a bucket, one after the other."""


class Network:
    """The ranks of a job and the links between them.

    ``groups``: the ranks by host.
    ``link``: between hosts, or between ranks where there is one host.
    ``inside``: between the ranks of a host.
    ``crowd``: ranks of a host by its cores, where that is more than 1.
    ``size``: ranks of the job. ``hosts``: how many. ``local``: ranks on the host that has most.
    """

    def __init__(
        self, groups: Sequence[Sequence[int]], link: Link, inside: Link, crowd: float = 1.0
    ) -> None:
        self.groups = groups
        self.link = link
        self.inside = inside
        self.crowd = crowd
        self.size = sum(map(len, groups))
        self.hosts = len(groups)
        self.local = max(map(len, groups))
        self.host_of = {rank: host for host, group in enumerate(groups) for rank in group}

    def processor_s(self, own_s: float, mean_s: float) -> float:
        """Seconds until a rank's processor has done ``own_s`` of work for messages.

        The ranks that share its core have ``mean_s`` in the mean, and sleep when that is done.
        """
        return max(own_s, self.crowd * mean_s)

    def ring(
        self,
        n_bytes: float,
        hops: int,
        pieces: int,
        *,
        hosts: int | None = None,
        local: int | None = None,
    ) -> Stage:
        """Each rank of a ring sends ``n_bytes`` to its neighbour.

        On each of ``hosts`` there are ``local`` ranks of it, of which one has its neighbour
        elsewhere. By default it is the ring of all ranks.
        """
        hosts = hosts or self.hosts
        local = local or self.local
        loads = {"out": n_bytes / self.link.bandwidth} if hosts > 1 else {}
        processor = n_bytes * self.link.processor / local if hosts > 1 else 0.0
        if local > 1:
            loads["inside"] = n_bytes / self.inside.bandwidth
            processor += n_bytes * self.inside.processor * (1 - 1 / local if hosts > 1 else 1)
        return Stage(loads, hops, pieces, self.processor_s(processor, processor))

    def broadcast(self, n_bytes: int, pieces: int, *, hosts: int, local: int) -> Stage:
        """Down a binomial tree of ``local`` ranks on each of ``hosts``.

        Its root sends ``n_bytes`` to each of its children.
        """
        between = (hosts - 1).bit_length()
        within = (local - 1).bit_length()
        loads = {"out": between * n_bytes / self.link.bandwidth} if between else {}
        if within:
            loads["inside out"] = within * n_bytes / self.inside.bandwidth
        processor = n_bytes * (between * self.link.processor + within * self.inside.processor)
        mean = n_bytes * (self.link.processor if between else self.inside.processor)
        return Stage(loads, between + within, pieces, self.processor_s(processor, mean))

    def end_of(self, rank: int) -> int:
        """The end of the link at which a rank is.

        That is its host, or itself where there is only one host.
        """
        return rank if self.hosts == 1 else self.host_of[rank]
