"""Reduce to a root that updates, and broadcast of the new weights, by trees and layer by layer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from caffepy.parallel.collective.courier import AT_ONCE, Task, TaskGroup
from caffepy.parallel.collective.ring import by_host
from caffepy.parallel.collective.tree import broadcast_down, place_in_tree, reduce_up
from caffepy.parallel.exchange.core.base import Serving, Setting
from caffepy.parallel.exchange.core.buckets import Bucket, BucketExchange
from caffepy.parallel.exchange.core.network import Load, Model, Network, Stage
from caffepy.parallel.exchange.core.registry import register_exchange

if TYPE_CHECKING:
    from torch import Tensor


@register_exchange("tree")
class TreeExchange(BucketExchange):
    """Gradients climb a binomial tree, bucket by bucket, and the new weights come down.

    Rank 0, the root, updates the parameters of a bucket as soon as its sum is there. Each rank
    waits for the new weights just before it next uses them. Only rank 0 keeps the solver's history.
    Where the update needs all gradients (clip_gradients), it waits for the last bucket.

    Bytes that all ranks send in an iteration: 2 (n - 1) times the buffer, for n ranks; the root
    receives log2(n) buffers.
    Source: S-Caffe SC-OBR; CaffeGPI, which waits for the weights at the end of backward.
    """

    everywhere = False
    on_gpu = False
    relayed = True
    complexity = 3

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self.late = True
        self._place = place_in_tree(by_host(self.communicator), self.communicator.rank)

    @classmethod
    def link_bytes(cls, buffer_bytes: int, groups: Sequence[Sequence[int]]) -> float:
        """The root sends to each of its children."""
        ends = len(groups) if len(groups) > 1 else len(groups[0])
        return float((ends - 1).bit_length() * buffer_bytes)

    @classmethod
    def model(cls, network: Network, sizes: Sequence[int], serving: Serving) -> Model:
        """The root takes the bucket from each of its children, and sends it to each.

        Its children take from theirs meanwhile, and are done no later. What is sent in pieces lies
        in the buffers of several children's sockets, and comes to all of them at the same time: the
        last piece then goes down by itself.
        """
        between = (network.hosts - 1).bit_length()
        within = (network.local - 1).bit_length()
        depth = (network.size - 1).bit_length()
        link_s, inside_s = network.link.processor, network.inside.processor
        root_byte_s = between * link_s + within * inside_s
        edges = network.hosts - 1, network.size - network.hosts
        mean_byte_s = (edges[0] * link_s + edges[1] * inside_s) / network.size

        below = sum(range(between)) / network.link.bandwidth
        below += sum(range(within)) / network.inside.bandwidth

        def stages(load: Load) -> list[Stage]:
            processor = load.n_bytes * network.processor_s(root_byte_s, mean_byte_s)
            loads = {}
            if between:
                loads["link"] = between * load.n_bytes / network.link.bandwidth
            if within:
                loads["inside"] = within * load.n_bytes / network.inside.bandwidth
            up = Stage(
                {f"{link} in": seconds for link, seconds in loads.items()},
                1,
                (between + within) * load.pieces,
                processor,
                load.update_s,
                last_hops=depth,
                in_order=True,
                senders=max(between, within),
            )
            down = Stage(
                {f"{link} out": seconds for link, seconds in loads.items()},
                1,
                (between + within) * load.pieces,
                processor,
                below * load.n_bytes / load.pieces if cls.relayed else 0.0,
                at_once=min(AT_ONCE, load.pieces),
                last_hops=depth,
                in_order=True,
            )
            return [up, down]

        return stages

    def travel(self, bucket: Bucket) -> Task:
        yield from self._up(bucket)
        if self.update.joint and self.communicator.is_root:
            return
        if self.communicator.is_root:
            self._update([bucket])
        yield from self._down(bucket)

    def finish(self, gradients: Sequence[Tensor]) -> None:
        """Send what is left.  The root makes a joint update here."""
        self._send_rest(gradients)
        if self.update.joint and self.communicator.is_root:
            for bucket in self.buckets:
                self._arrive(bucket)
            self._update(self.buckets)
            for bucket in self.buckets:
                bucket.job = self.courier.start(self._down(bucket))

    def wait(self, param: int) -> None:
        """Wait for the new weights of the bucket, and copy them."""
        bucket = self._bucket_of[param]
        if bucket.job is None:
            return
        self._arrive(bucket)
        if not self.communicator.is_root:
            for member in bucket.params:
                self.setting.weights[member].copy_(self.buffer.views[member])

    def _up(self, bucket: Bucket) -> Task:
        yield TaskGroup(
            reduce_up(self.communicator, self._place, piece, tag) for tag, piece in bucket.pieces
        )

    def _down(self, bucket: Bucket) -> Task:
        yield TaskGroup(
            broadcast_down(self.communicator, self._place, piece, tag)
            for tag, piece in bucket.pieces
        )

    def _update(self, buckets: Sequence[Bucket]) -> None:
        """At the root: update by the sums in the buckets, and put the new weights there."""
        members = [param for bucket in buckets for param in bucket.params]
        for bucket in buckets:
            bucket.flat.mul_(self.scale)
        self.update(members, [self.buffer.views[member] for member in members], self.iteration)
        for member in members:
            self.buffer.views[member].copy_(self.setting.masters[member])
