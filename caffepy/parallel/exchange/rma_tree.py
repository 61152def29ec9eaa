"""The tree without messages: each rank writes into its neighbours' memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from caffepy.parallel.collective.courier import Task, TaskGroup
from caffepy.parallel.collective.ring import by_host
from caffepy.parallel.collective.tree import place_in_tree
from caffepy.parallel.exchange.core.base import Serving, Setting
from caffepy.parallel.exchange.core.buckets import Bucket, fill_buckets
from caffepy.parallel.exchange.core.network import Load, Model, Network, Stage
from caffepy.parallel.exchange.core.registry import register_exchange
from caffepy.parallel.exchange.tree import TreeExchange
from caffepy.parallel.transport.window import CounterReached

if TYPE_CHECKING:
    from torch import Tensor

HOPS = 3
"""A put, its acknowledgement and its counter, in place of one message."""
PROCESSOR = 2.0
"""How many times as much of a processor that takes."""
AT_ONCE = 8
"""Pieces that a rank can take from its children at a time."""
OPEN, WEIGHTS, FIRST_SUM = range(3)
"""Counters of a piece at a rank.

The rank may write its sum to the parent, into this slot; the new weights have come; the sum of its
first child has come, and after that one counter for each further child.
"""


@register_exchange("rma_tree")
class RmaTreeExchange(TreeExchange):
    """`TreeExchange` by one-sided transfers: the same sums in the same order, so the same bits.

    A rank that comes to a piece of the gradient opens a slot for it to each child. The child writes
    its sum into the slot as soon as it has it, and then sets a counter. A slot is opened again only
    when what was in it has been added up. New weights are written right into the memory of the
    children's gradient, which is free when the child's sum has come.

    Bytes that all ranks send in an iteration: 2 (n - 1) times the buffer, for n ranks, and 3 (n -
    1) counters for each piece.
    Source: CaffeGPI (GASPI's write with notification, ring buffers for the sums, a version number
    that acknowledges each layer's weights).
    """

    relayed = False
    """Each put is flushed, which takes longer than sending piece by piece saves."""
    complexity = 4

    @classmethod
    def model(cls, network: Network, sizes: Sequence[int], serving: Serving) -> Model:
        """The same bytes as by messages, with more to wait for."""
        by_messages = super().model(network, sizes, serving)

        def stages(load: Load) -> list[Stage]:
            return [
                replace(
                    stage,
                    hops=HOPS * stage.hops,
                    last_hops=HOPS * (stage.last_hops or 0),
                    processor=PROCESSOR * stage.processor,
                )
                for stage in by_messages(load)
            ]

        return stages

    def __init__(self, setting: Setting) -> None:
        """Collective.  ParallelError where the communicator has no windows."""
        order = by_host(setting.communicator)
        rank = setting.communicator.rank
        flat = setting.buffer.flat
        place = place_in_tree(order, rank)
        self._parent = place.parent
        self._children = place.children
        self._number = (
            0 if place.parent is None else place_in_tree(order, place.parent).children.index(rank)
        )
        self._most = len(place_in_tree(order, order[0]).children)
        pieces = [
            piece
            for bucket in fill_buckets(setting.buffer, setting.bucket_bytes, relayed=self.relayed)
            for _, piece in bucket.pieces
        ]
        self._slot_values = max(piece.numel() for piece in pieces)
        self._slots = AT_ONCE * self._most
        self._free = list(range(AT_ONCE * len(self._children)))
        self._window = setting.communicator.window(
            flat.numel() + len(self._free) * self._slot_values,
            len(pieces) * (FIRST_SUM + self._most),
        )
        self._turns = [0] * len(pieces)
        super().__init__(
            replace(setting, buffer=setting.buffer.moved(self._window.values[: flat.numel()]))
        )

    def _up(self, bucket: Bucket) -> Task:
        yield TaskGroup(self._sum(piece, tag) for tag, piece in bucket.pieces)

    def _down(self, bucket: Bucket) -> Task:
        yield TaskGroup(self._tell(piece, tag) for tag, piece in bucket.pieces)

    def _sum(self, piece: Tensor, tag: int) -> Task:
        """Add the children's sums to this rank's piece, and put the result at the parent."""
        window = self._window
        counter = self._counters(tag)
        turn = self._turns[tag] = self._turns[tag] + 1
        claim = _Claim(self._free, len(self._children))
        yield claim
        opened = [
            window.set_counter(child, counter + OPEN, turn * self._slots + slot)
            for child, slot in zip(self._children, claim.slots)
        ]
        for number, slot in enumerate(claim.slots):
            yield CounterReached(window, counter + FIRST_SUM + number, turn)
            start = self._slot(slot)
            piece += window.values[start : start + piece.numel()]
            self._free.append(slot)
        yield from opened
        if self._parent is not None:
            yield CounterReached(window, counter + OPEN, turn * self._slots)
            start = self._slot(window.read_counter(counter + OPEN) % self._slots)
            yield window.put(piece, self._parent, start, counter + FIRST_SUM + self._number, turn)

    def _tell(self, piece: Tensor, tag: int) -> Task:
        """Wait for the parent's values, and put them at the children.

        They come into the piece's own memory.
        """
        window = self._window
        counter = self._counters(tag) + WEIGHTS
        turn = self._turns[tag]
        if self._parent is not None:
            yield CounterReached(window, counter, turn)
        for child in reversed(self._children):
            yield window.put(piece, child, int(piece.storage_offset()), counter, turn)

    def _counters(self, tag: int) -> int:
        """The first of the piece's counters."""
        return tag * (FIRST_SUM + self._most)

    def _slot(self, slot: int) -> int:
        """Where a slot begins, at any rank."""
        return self.buffer.flat.numel() + slot * self._slot_values


@dataclass(eq=False)
class _Claim:
    """A transfer that is done when it has got as many of the free slots as it needs.

    It takes all of them at once: a transfer that held some and waited for more could block another.
    """

    free: list[int]
    count: int
    slots: list[int] = field(default_factory=list)

    def done(self) -> bool:
        """Take them if they are there."""
        if not self.slots and len(self.free) >= self.count:
            self.slots = [self.free.pop() for _ in range(self.count)]
        return len(self.slots) == self.count
