"""Parameter server, divided among the ranks, with bounded staleness."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import torch

from caffepy.parallel.communicator import Transfer
from caffepy.parallel.courier import Task, Together
from caffepy.parallel.exchange.base import Setting
from caffepy.parallel.exchange.buckets import Bucket, BucketExchange, count_pieces
from caffepy.parallel.exchange.registry import register_exchange
from caffepy.parallel.exchange.tables import Flag, Round, Table, divide

if TYPE_CHECKING:
    from torch import Tensor


@register_exchange("ps")
class PsExchange(BucketExchange):
    """Each bucket has an owner among the ranks: all send it their gradients, it updates by their sum and sends the new parameters to all.

    Before a rank uses a parameter in iteration t, it waits until the updates of all ranks up to iteration t - s - 1 are in it, and takes
    newer ones that have come (s: ``staleness``). With s = 0 that is one process's arithmetic. With s > 0 a rank may run ahead of
    the slowest by s iterations; gradients are then of parameters that lack up to s updates, but each update is that of all ranks.
    Solver history lives with the owners. Where an update needs all gradients (clip_gradients), rank 0 owns everything.

    Until those come, a rank goes on with what its own gradients alone would make of its parameters, and corrects that when they do:
    without it, the momentum of late updates was measured to slow CIFAR-10 down from one iteration of lateness on.
    With s > 0 an owner updates copies of its own as soon as the last gradient has come, while it computes with older ones.
    Nobody waits in a circle: gradients and parameters move by themselves, and a rank waits for those of earlier iterations only.
    A joint update is made by the rank's own thread, between its passes.

    Bytes that all ranks send in an iteration: 2 (n - 1) times the buffer, for n ranks.
    Source: stale synchronous parallel (NIPS 2013); PMLS-Caffe on Bösen, where each rank's own momentum makes the updates that are added up.
    """

    everywhere = False
    on_gpu = False

    def __init__(self, setting: Setting) -> None:
        """``setting.staleness``: s."""
        super().__init__(setting)
        self.late = True
        self.staleness, self.clock = setting.staleness, 0
        owners = divide([bucket.flat.numel() for bucket in self.buckets], 1 if self.update.joint else self.communicator.size)
        self.tables = [Table(bucket, owner, self._slots(bucket)) for bucket, owner in zip(self.buckets, owners)]
        self._table_of = {param: table for table in self.tables for param in table.bucket.params}
        self._owned = [table for table in self.tables if table.owner == self.communicator.rank]
        self._others = [rank for rank in range(self.communicator.size) if rank != self.communicator.rank]
        self._tags = count_pieces(setting)
        self._at_once = not self.update.joint
        self._apart = setting.masters is not setting.weights
        if setting.guess is not None:
            for table in self.tables:
                table.guesses = [torch.zeros_like(table.bucket.flat) for _ in range(self.staleness + 1)]

    @classmethod
    def link_bytes(cls, buffer_bytes: int, groups: Sequence[Sequence[int]]) -> float:
        """Each rank sends gradients to the owners elsewhere, and what it owns to the ranks elsewhere."""
        size = sum(map(len, groups))
        local = max(map(len, groups)) if len(groups) > 1 else 1
        return 2 * local * (size - local) / size * buffer_bytes

    def enter(self, turn: object) -> None:
        """Older iterations may still be under way."""
        self.turn = turn

    def keeper(self, param: int) -> int:
        """The owner."""
        return self._table_of[param].owner

    def _slots(self, bucket: Bucket) -> list[Tensor]:
        return [bucket.flat] if self.staleness == 0 else [torch.empty_like(bucket.flat) for _ in range(self.staleness + 1)]

    def finish(self, gradients: Sequence[Tensor]) -> None:
        """Send what is left, and as an owner make the updates that can be made."""
        self._send_rest(gradients)
        self.clock += 1
        for table in self._owned if not self._at_once else ():
            for round_ in [found for found in table.rounds if not found.updated]:
                joined = self._joined(table, round_)
                if not all(found.summed for _, found in joined):
                    break  # a later one may be complete already, but momentum depends on the order
                self._update(joined)
        if self.setting.guess is not None:
            self._go_on()

    def wait(self, param: int) -> None:
        """Wait until the parameter lacks at most ``staleness`` updates."""
        table = self._table_of[param]
        if table.looked != self.clock:
            table.looked = self.clock
            self._catch_up(table, self.clock - self.staleness)

    def settle(self) -> None:
        """All updates of all ranks, iteration by iteration, so that no rank waits here for one that waits for it."""
        for version in range(self.clock - self.staleness, self.clock + 1):
            for table in (*self._owned, *self.tables):
                self._catch_up(table, version)

    def _launch(self, bucket: Bucket) -> None:
        """Begin a round of the bucket."""
        table = self.tables[bucket.number]
        flat = table.slots[self.clock % len(table.slots)]
        if flat is not bucket.flat:
            flat.copy_(bucket.flat)
        bucket.missing = set(bucket.params)
        round_ = Round(self.clock, self.turn, flat)
        before = table.rounds[-1] if table.rounds else None
        table.rounds.append(round_)
        round_.job = self.courier.start(self._serve(table, round_, before) if table in self._owned else self._use(table, round_))

    def _serve(self, table: Table, round_: Round, before: Round | None) -> Task:
        """The owner's part: add up, update (or let the rank's own thread do it) after the round ``before``, send."""
        yield Together(self._gather(piece, tag) for tag, piece in self._pieces(table, round_))
        round_.summed = True
        if self._at_once:
            if before is not None:
                yield Flag(before, "updated")
            self._update([(table, round_)])
        else:
            yield Flag(round_, "updated")
        yield Together(self._tell(piece, tag) for tag, piece in self._pieces(table, round_))

    def _use(self, table: Table, round_: Round) -> Task:
        """The other ranks' part: the gradient goes, the parameters come, into the same memory."""
        pieces = self._pieces(table, round_)
        yield Together(_alone(self.communicator.send(piece, table.owner, tag)) for tag, piece in pieces)
        yield Together(_alone(self.communicator.receive(piece, table.owner, tag)) for tag, piece in pieces)

    def _gather(self, piece: Tensor, tag: int) -> Task:
        """Add every other rank's piece, in the order of the ranks."""
        for rank in self._others:
            incoming = torch.empty_like(piece)
            yield self.communicator.receive(incoming, rank, tag)
            piece += incoming

    def _tell(self, piece: Tensor, tag: int) -> Task:
        """Send the piece to every other rank."""
        yield from [self.communicator.send(piece, rank, tag) for rank in self._others]

    def _pieces(self, table: Table, round_: Round) -> list[tuple[int, Tensor]]:
        """The round's memory as it travels; rounds that are under way together have tags of their own."""
        first = round_.number % len(table.slots) * self._tags
        tags = [first + tag for tag, _ in table.bucket.pieces]
        return list(zip(tags, torch.split(round_.flat, [piece.numel() for _, piece in table.bucket.pieces])))

    def _joined(self, table: Table, round_: Round) -> list[tuple[Table, Round]]:
        """What is updated with this round: itself, or all rounds of its number."""
        if not self.update.joint:
            return [(table, round_)]
        return [(other, found) for other in self.tables for found in other.rounds if found.number == round_.number]

    def _catch_up(self, table: Table, version: int) -> None:
        """Wait until this rank can use at least ``version`` of the table, and take the newest there is."""
        for round_ in [found for found in table.rounds if found.number < version]:
            if table in self._owned and not self._at_once and not round_.updated:
                joined = self._joined(table, round_)
                for _, found in joined:
                    self.courier.wait(Flag(found, "summed"))
                self._update(joined)
            if round_.job is not None:
                self.courier.wait(round_.job)
        newest = None
        while table.over():
            newest = table.rounds.pop(0)
        if newest is not None:
            table.version = newest.number + 1
            if self._apart or table not in self._owned:
                self._take_over(table, newest)

    def _take_over(self, table: Table, round_: Round) -> None:
        """Use the parameters that came; where this rank has gone on from a guess at them, correct what it made of it by as much."""
        weights = [self.setting.weights[member] for member in table.bucket.params]
        if table.version == self.clock or not table.guesses:
            for weight, view in zip(weights, self._views(table, round_.flat)):
                weight.copy_(view)
            return
        correction = round_.flat.sub_(table.guesses[table.version % len(table.guesses)])
        for weight, view in zip(weights, self._views(table, correction)):
            weight += view
        for version in range(table.version + 1, self.clock + 1):
            table.guesses[version % len(table.guesses)] += correction

    def _go_on(self) -> None:
        """Make the update that is not known yet by this rank's own gradients."""
        share = self.scale * self.communicator.size
        if share != 1.0:
            self.buffer.flat.mul_(share)
        assert self.setting.guess is not None
        self.setting.guess(range(len(self.buffer.views)), self.buffer.views, self.turn)
        for table in self.tables:
            guess = table.guesses[self.clock % len(table.guesses)]
            for member, view in zip(table.bucket.params, self._views(table, guess)):
                view.copy_(self.setting.weights[member])

    def _update(self, joined: Sequence[tuple[Table, Round]]) -> None:
        """At the owner: update by the sums, and lay the new parameters in their place."""
        members = [member for table, _ in joined for member in table.bucket.params]
        views = [view for table, round_ in joined for view in self._views(table, round_.flat)]
        for _, round_ in joined:
            round_.flat.mul_(self.scale)
        self.update(members, views, joined[0][1].turn)
        for member, view in zip(members, views):
            view.copy_(self.setting.masters[member])
        for _, round_ in joined:
            round_.updated = True

    def _views(self, table: Table, flat: Tensor) -> list[Tensor]:
        return table.views(flat, [self.buffer.views[member] for member in table.bucket.params])


def _alone(transfer: Transfer) -> Task:
    """A task that is one transfer."""
    yield transfer
