"""Parameter server, divided among the ranks, with bounded staleness."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import torch

from caffepy.parallel.collective.courier import AT_ONCE, Job, Task
from caffepy.parallel.collective.ring import by_host
from caffepy.parallel.exchange.core.base import Serving, Setting
from caffepy.parallel.exchange.core.buckets import Bucket, BucketExchange, count_pieces
from caffepy.parallel.exchange.core.network import Load, Model, Network, Stage
from caffepy.parallel.exchange.core.registry import register_exchange
from caffepy.parallel.exchange.server.bandwidth_limit import BandwidthLimit
from caffepy.parallel.exchange.server.delivery import AHEAD, Delivery
from caffepy.parallel.exchange.server.roles import (
    TableRoles,
    divide,
    group_up,
    roles_of,
    round_hosts,
)
from caffepy.parallel.exchange.server.tables import Flag, Quorum, Round, Table

if TYPE_CHECKING:
    from torch import Tensor


@register_exchange("ps")
class PsExchange(BucketExchange):
    """Each bucket has an owner among the ranks, which updates it.

    All ranks send the owner their gradients, and it sends the new parameters to all. The owner
    alone keeps the solver's history. Where an update needs all gradients (clip_gradients), rank 0
    owns everything.

    Staleness s: before a rank uses a parameter in iteration t, it waits for the updates of all
    ranks up to iteration t - s - 1, and takes newer ones that have come. With s = 0 that is the
    arithmetic of one process. With s > 0 a rank may be s iterations ahead of the slowest. Gradients
    are then of parameters that lack up to s updates, but each update is of the gradients of all
    ranks.

    Until an update comes, a rank goes on with what its own gradients alone would make of its
    parameters, and corrects that when the update comes. Without this, the momentum of late updates
    was measured to slow down training of CIFAR-10, from one iteration of lateness on.

    With s > 0 an owner updates copies of its own as soon as the last gradient has come, while it
    computes with older parameters. A joint update is made by the rank's own thread, between its
    passes. There is no deadlock: gradients and parameters travel without the rank's own thread, and
    that waits for earlier iterations only.

    ``groups``: the ranks of a group first add up their gradients in a ring, and stay equal to the
    bit. One of them deals with the owner, and all take an update exactly s iterations later.

    ``timeout_s``: an owner that has waited so long since the first gradient of a round makes the
    update without those that are missing. They are added in the next round, which waits for them
    (with s > 1, the s-th). So each gradient counts once, and none is later than that. What is
    missing when the training ends is lost.

    Bytes that all ranks send in an iteration: 2 (n - 1) times the buffer, for n ranks; with g
    groups 3 (n - g) + 2 (g - 1) times.
    Source: stale synchronous parallel (NIPS 2013); PMLS-Caffe on Bösen, where each rank's own
    momentum makes the updates that are added up; Intel Caffe (-n_group, without a bound); Caffe-MPI
    of 2016 (timeout_sec, the mean of those that came).
    """

    everywhere = False
    on_gpu = False
    serves = True
    complexity = 5
    variants = (Serving(servers=1), Serving(staleness=1), Serving(staleness=1, groups=2))

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        serving = self._serving = setting.serving
        self.late = True
        self.staleness = serving.staleness
        self.clock = 0
        hosts = self.communicator.groups
        groups = round_hosts(group_up(by_host(self.communicator), serving.groups), hosts)
        self._in_step = len(groups[0]) > 1
        servers = (
            1
            if self.update.joint
            else min(serving.servers or self.communicator.size, self.communicator.size)
        )
        places = divide([bucket.flat.numel() for bucket in self.buckets], servers)
        roles = [roles_of(groups, self.communicator.rank, server) for server in places]
        self.tables = [
            Table(bucket, own, self._slots(bucket)) for bucket, own in zip(self.buckets, roles)
        ]
        self._table_of = {param: table for table in self.tables for param in table.bucket.params}
        self._owned = [
            table for table in self.tables if table.roles.owner == self.communicator.rank
        ]
        self._lateness = max(1, self.staleness)
        self._delivery = Delivery(
            self.communicator,
            BandwidthLimit(serving.bytes_per_s),
            tags=count_pieces(setting),
            under_way=self.staleness + 2 + self._lateness,
        )
        self._at_once = not self.update.joint
        self._apart = setting.masters is not setting.weights
        self._telling: list[Job] = []
        if setting.guess is not None:
            for table in self.tables:
                table.guesses = [
                    torch.zeros_like(table.bucket.flat) for _ in range(self.staleness + 1)
                ]

    @classmethod
    def link_bytes(cls, buffer_bytes: int, groups: Sequence[Sequence[int]]) -> float:
        """A rank sends gradients to owners elsewhere, and what it owns to ranks elsewhere."""
        size = sum(map(len, groups))
        local = max(map(len, groups)) if len(groups) > 1 else 1
        return 2 * local * (size - local) / size * buffer_bytes

    @classmethod
    def model(cls, network: Network, sizes: Sequence[int], serving: Serving) -> Model:
        return _Model(network, sizes, serving)

    def begin(self, iteration: object) -> None:
        """Open the round now, at an owner that does not wait for ever.

        So the gradients of others need not wait for this rank's.
        """
        if self._serving.timeout_s:
            self._telling = [job for job in self._telling if not job.finished]
            for table in self._owned:
                round_ = self._open(table, iteration)
                round_.own = torch.empty_like(round_.flat)
                self._telling.append(self.courier.start(self._serve_in_time(table, round_)))

    def enter(self, iteration: object) -> None:
        """Earlier iterations may still be under way."""
        self.iteration = iteration

    def keeper(self, param: int) -> int:
        return self._table_of[param].roles.owner

    def finish(self, gradients: Sequence[Tensor]) -> None:
        """Send what is left, and as an owner make the updates that can be made."""
        self._send_rest(gradients)
        self.clock += 1
        for table in self._owned if not self._at_once else ():
            for round_ in [one for one in table.rounds if not one.updated]:
                joined = self._joined(table, round_)
                if not all(one.summed for _, one in joined):
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
        """Make all updates of all ranks.

        One iteration after the other, so that no two ranks wait for each other.
        """
        for version in range(self.clock - self.staleness, self.clock + 1):
            for table in (*self._owned, *self.tables):
                self._catch_up(table, version)
        for job in self._telling:
            self.courier.wait(job)

    def _slots(self, bucket: Bucket) -> list[Tensor]:
        if self.staleness == 0 and not self._serving.timeout_s:
            return [bucket.flat]
        opened_early = 1 if self._serving.timeout_s else 0
        return [torch.empty_like(bucket.flat) for _ in range(self.staleness + 1 + opened_early)]

    def _open(self, table: Table, iteration: object) -> Round:
        round_ = Round(self.clock, iteration, table.slots[self.clock % len(table.slots)])
        table.rounds.append(round_)
        return round_

    def _launch(self, bucket: Bucket) -> None:
        """Begin a round of the bucket.

        An owner whose round has begun gives this rank's gradient to it.
        """
        table = self.tables[bucket.number]
        bucket.missing = set(bucket.params)
        before = table.rounds[-1] if table.rounds else None
        if before is not None and before.own is not None and before.number == self.clock:
            before.own.copy_(bucket.flat)
            self.courier.start(self._delivery.join(table, before, before.own))
            return
        round_ = self._open(table, self.iteration)
        if round_.flat is not bucket.flat:
            round_.flat.copy_(bucket.flat)
        self.courier.start(
            self._serve(table, round_, before) if table in self._owned else self._use(table, round_)
        )

    def _serve(self, table: Table, round_: Round, before: Round | None) -> Task:
        """The owner's part: add up, update after the round ``before``, send.

        A joint update is left to the rank's own thread.
        """
        yield from self._delivery.join(table, round_, round_.flat)
        yield from self._delivery.gather(table, round_)
        round_.summed = True
        yield from self._update_in_turn(table, round_, before)
        yield from self._delivery.tell(table, round_, round_.flat)
        round_.over = True

    def _serve_in_time(self, table: Table, round_: Round) -> Task:
        """The same for an owner that does not wait for ever.

        Ranks that are late receive their parameters later.
        """
        before = table.rounds[-2] if len(table.rounds) > 1 else None
        gradients = self._delivery.expect(table, round_, Flag(round_, "joined"))
        if before is not None:
            yield Flag(before, "summed")
        gradients = table.late + gradients
        yield Quorum(gradients, round_.number, self._lateness, self._serving.timeout_s)
        here = [gradient for gradient in gradients if gradient.arrival.done()]
        table.late = [gradient for gradient in gradients if gradient not in here]
        round_.flat.zero_()
        for gradient in here:
            round_.flat += gradient.flat
        round_.summed = True
        yield from self._update_in_turn(table, round_, before)
        parameters = round_.flat.clone()
        round_.over = True
        yield from self._delivery.tell(table, round_, parameters)

    def _use(self, table: Table, round_: Round) -> Task:
        """The part of the other ranks."""
        yield from self._delivery.join(table, round_, round_.flat)
        yield from self._delivery.ask(table, round_)
        round_.over = True

    def _update_in_turn(self, table: Table, round_: Round, before: Round | None) -> Task:
        """Update after the round ``before``, or wait until the rank's own thread has."""
        if self._at_once:
            if before is not None:
                yield Flag(before, "updated")
            self._update([(table, round_)])
        else:
            yield Flag(round_, "updated")

    def _joined(self, table: Table, round_: Round) -> list[tuple[Table, Round]]:
        """What is updated with this round: itself, or all rounds of its number."""
        if not self.update.joint:
            return [(table, round_)]
        return [
            (other, one)
            for other in self.tables
            for one in other.rounds
            if one.number == round_.number
        ]

    def _catch_up(self, table: Table, version: int) -> None:
        """Wait until this rank has at least ``version`` of the table, and use the newest that has
        come.

        In a group just that version, as its ranks stay equal.
        """
        for round_ in [one for one in table.rounds if one.number < version]:
            if table in self._owned and not self._at_once and not round_.updated:
                joined = self._joined(table, round_)
                for _, one in joined:
                    self.courier.wait(Flag(one, "summed"))
                self._update(joined)
            self.courier.wait(Flag(round_, "over"))
        newest = None
        limit = version if self._in_step else self.clock
        while table.rounds and table.rounds[0].over and table.rounds[0].number < limit:
            newest = table.rounds.pop(0)
        if newest is not None:
            table.version = newest.number + 1
            if self._apart or table not in self._owned:
                self._take_over(table, newest)

    def _take_over(self, table: Table, round_: Round) -> None:
        """Use the parameters that have come.

        Where this rank has gone on from a guess at them, correct by the difference what it has now.
        """
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
        """Guess the update that has not come, by the gradients of this rank or of its group."""
        for table in self.tables if self._in_step else ():
            self.courier.wait(Flag(table.rounds[-1], "joined"))
        share = self.scale * self.communicator.size / len(self.tables[0].roles.group)
        if share != 1.0:
            self.buffer.flat.mul_(share)
        assert self.setting.guess is not None
        self.setting.guess(range(len(self.buffer.views)), self.buffer.views, self.iteration)
        for table in self.tables:
            guess = table.guesses[self.clock % len(table.guesses)]
            for member, view in zip(table.bucket.params, self._views(table, guess)):
                view.copy_(self.setting.weights[member])

    def _update(self, joined: Sequence[tuple[Table, Round]]) -> None:
        """At the owner: update by the sums, and put the new parameters in their place."""
        members = [member for table, _ in joined for member in table.bucket.params]
        views = [view for table, round_ in joined for view in self._views(table, round_.flat)]
        for _, round_ in joined:
            round_.flat.mul_(self.scale)
        self.update(members, views, joined[0][1].iteration)
        for member, view in zip(members, views):
            view.copy_(self.setting.masters[member])
        for _, round_ in joined:
            round_.updated = True

    def _views(self, table: Table, flat: Tensor) -> list[Tensor]:
        return table.views(flat, [self.buffer.views[member] for member in table.bucket.params])


class _Model:
    """A group adds up in a ring, and its agent tells it the result.

    The owner takes the bucket from every other agent and then sends it to each. The owners of other
    buckets do the same meanwhile, so their links are busy too. Where no rank may be ahead, an owner
    takes nothing while it sends, and parameters of others' buckets come in then.
    """

    def __init__(self, network: Network, sizes: Sequence[int], serving: Serving) -> None:
        self._network = network
        self._staleness = serving.staleness
        self._groups = round_hosts(group_up(range(network.size), serving.groups), network.groups)
        self._servers = divide(sizes, min(serving.servers or network.size, network.size))
        self._owners = {self._roles(server).owner for server in self._servers}
        self._ends = sorted({network.end_of(owner) for owner in self._owners})

    def __call__(self, load: Load) -> list[Stage]:
        """The stages of a bucket."""
        network = self._network
        roles = self._roles(self._servers[load.number])
        n_bytes = load.n_bytes
        end = network.end_of(roles.owner)
        ends = [network.end_of(agent) for agent in roles.agents]
        link = network.link
        here = sum(other != end for other in ends) * n_bytes / link.bandwidth
        there = {
            other: ends.count(other) * n_bytes / link.bandwidth
            for other in self._ends
            if other != end and other in ends
        }
        byte_s = (len(ends) - 1) * n_bytes * link.processor
        processor = network.processor_s(byte_s / len(self._owners), byte_s / network.size)
        take = {f"in {end}": here} if here else {}
        give = {f"out {end}": here} if here else {}
        take |= {f"out {other}": seconds for other, seconds in there.items()}
        if self._staleness:
            give |= {f"in {other}": seconds for other, seconds in there.items()}
        messages = (len(ends) - 1) * load.pieces
        asked = AHEAD * min(AT_ONCE, load.pieces)
        stages = [
            Stage(take, 1, messages, processor, load.update_s, at_once=asked),
            Stage(give, 1, messages, processor),
        ]
        size = len(roles.group)
        if size > 1:
            hosts = [network.host_of[rank] for rank in roles.group]
            spanned = len(set(hosts))
            local = max(map(hosts.count, hosts))
            around = 2 * (size - 1) / size * n_bytes
            stages = [
                network.ring(around, 2 * (size - 1), load.pieces, hosts=spanned, local=local),
                *stages,
                network.broadcast(n_bytes, load.pieces, hosts=spanned, local=local),
            ]
        return stages

    def _roles(self, server: int) -> TableRoles:
        return roles_of(self._groups, self._groups[0][0], server)
