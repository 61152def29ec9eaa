"""Hierarchical all-reduce: by shared memory inside a host, by messages between hosts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from caffepy.parallel.collective.courier import Task, TaskGroup
from caffepy.parallel.collective.ring import ring_allreduce
from caffepy.parallel.exchange.core.base import Serving, Setting
from caffepy.parallel.exchange.core.buckets import Bucket, BucketExchange, count_pieces
from caffepy.parallel.exchange.core.network import Load, Model, Network, Stage
from caffepy.parallel.exchange.core.registry import register_exchange
from caffepy.parallel.transport.communicator import count_bytes
from caffepy.parallel.transport.host_memory import CountersReached, HostMemory, everyone, one

if TYPE_CHECKING:
    from torch import Tensor

FILLED, SUMMED, TAKEN = range(3)
"""Counters of a piece at a rank.

The rank's gradient is there; the job's gradient is there; the rank has copied that.
"""
COPY = 2 / 3
"""Time for a byte by shared memory, beside that for a message inside a host."""


@register_exchange("hierarchical")
class HierarchicalExchange(BucketExchange):
    """Each piece has a leader on every host.

    The leader adds up what the host's ranks have written to shared memory. The leaders of the hosts
    then add up in a ring, and the other ranks copy the result. Another rank leads for each piece,
    so that all ranks work.

    Bytes that the ranks of a host send together: 2 (h - 1) / h of the buffer, for h hosts.
    Source: S-Caffe's hierarchical reduce, Caffe-MPI 1.0 (NCCL inside, MPI between).
    """

    compresses = True
    automatic = frozenset({"cpu"})
    complexity = 2

    def __init__(self, setting: Setting) -> None:
        communicator = setting.communicator
        flat = setting.buffer.flat
        self._leaders = min(len(group) for group in communicator.groups)
        self._turns: dict[int, int] = {}
        if not flat.is_cuda:
            self._memory = HostMemory(communicator, flat.numel(), 3 * count_pieces(setting))
            setting = replace(
                setting, buffer=setting.buffer.moved(self._memory.buffers[communicator.local_rank])
            )
        super().__init__(setting)

    @classmethod
    def link_bytes(cls, buffer_bytes: int, groups: Sequence[Sequence[int]]) -> float:
        """The leaders' ring; nothing on one host."""
        return 2 * (len(groups) - 1) / len(groups) * buffer_bytes

    @classmethod
    def model(cls, network: Network, sizes: Sequence[int], serving: Serving) -> Model:
        """For B bytes, h hosts and r ranks of a host.

        Over the link go 2 (h - 1) / h B, divided among r leaders. Each rank copies 2 (r - 1) / r B.
        """
        link, inside = network.link, network.inside
        hosts, local = network.hosts, network.local

        def stages(load: Load) -> list[Stage]:
            loads = {}
            processor = 0.0
            if hosts > 1:
                between = cls.link_bytes(load.n_bytes, network.groups)
                loads["out"] = between / link.bandwidth
                processor = between / local * link.processor
            if local > 1:
                copied = COPY * 2 * (local - 1) / local * load.n_bytes
                loads["inside"] = copied / inside.bandwidth
                processor += copied * inside.processor
            processor = network.processor_s(processor, processor)
            return [Stage(loads, 2 * (hosts - 1) + 2 * (local > 1), load.pieces, processor)]

        return stages

    def travel(self, bucket: Bucket) -> Task:
        """All pieces, a few at a time."""
        yield TaskGroup(self._travel(piece, tag) for tag, piece in bucket.pieces)

    def _travel(self, piece: Tensor, tag: int) -> Task:
        """The leader adds up and tells the others, which wait and copy."""
        memory = self._memory
        me = self.communicator.local_rank
        leader = tag % self._leaders
        turn = self._turns[tag] = self._turns.get(tag, 0) + 1
        counter = 3 * tag
        memory.set_counter(me, counter + FILLED, turn)
        part = slice(piece.storage_offset(), piece.storage_offset() + piece.numel())
        if me != leader:
            yield CountersReached(memory, one(leader), counter + SUMMED, turn)
            piece.copy_(memory.buffers[leader][part])
            memory.set_counter(me, counter + TAKEN, turn)
            return
        yield CountersReached(memory, everyone(), counter + FILLED, turn)
        for other, buffer in enumerate(memory.buffers):
            if other != me:
                piece += buffer[part]
                self.communicator.traffic.count("shared", count_bytes(piece))
        ring = [group[leader] for group in self.communicator.groups]
        if len(ring) > 1:
            yield from ring_allreduce(
                self.communicator, piece, ring, tag=tag, scale=self.scale, wire=self.setting.wire
            )
        elif self.scale != 1.0:
            piece *= self.scale
        memory.set_counter(me, counter + SUMMED, turn)
        memory.set_counter(me, counter + TAKEN, turn)
        yield CountersReached(
            memory, everyone(), counter + TAKEN, turn
        )  # before the next iteration may overwrite it
