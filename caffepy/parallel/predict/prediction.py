"""How long an iteration of many ranks would take.

It follows one rank, since all do the same at the same time, with the link of the busiest host:
through the net's passes layer by layer, and the exchange's transfers on a model of the links.
Nothing here needs MPI.

Kept because nothing else tells, before a cluster is there, whether it is worth its links, and which
exchange to try first. Its seconds were measured to be mostly within 15 % of the real ones on 2 to
16 hosts, and further off where processors are what is short (tools/bench/NOTES.md).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import torch

from caffepy.engine.arena import Flat
from caffepy.layers.core.base import count
from caffepy.parallel.exchange.core.base import GradientBuffer, Serving
from caffepy.parallel.exchange.core.buckets import bucket_limit, fill_buckets
from caffepy.parallel.exchange.core.network import Load, Network, Stage
from caffepy.parallel.exchange.core.registry import EXCHANGES
from caffepy.parallel.factors.choice import Speeds, factor_seconds, whole_seconds
from caffepy.parallel.factors.factors import Product, sent_bytes
from caffepy.parallel.predict.cluster_spec import Cluster
from caffepy.parallel.predict.polling import PollDelays
from caffepy.parallel.predict.simulation import SimulatedTransfer, Simulation
from caffepy.parallel.transport.communicator import count_bytes

ITERATIONS = 3
"""The last of these counts.

Lazy updates of one iteration take time of the next.
"""


@dataclass(frozen=True)
class LayerCost:
    """A layer.

    ``shapes``: of the learned parameters whose gradients its backward completes. ``product``: of an
    InnerProduct's weights, the first of the shapes.
    """

    forward_s: float
    backward_s: float
    shapes: tuple[tuple[int, ...], ...] = ()
    product: Product | None = None


@dataclass(frozen=True)
class Costs:
    """What one rank's iteration takes without others.

    ``update_s``: of the update of a byte of parameters.
    ``processor``: multiplications and additions a second in a matrix product.
    ``polling``: how long messages wait for the rank.
    """

    layers: tuple[LayerCost, ...]
    update_s: float
    processor: float
    polling: PollDelays = field(default_factory=PollDelays)

    @property
    def alone_s(self) -> float:
        """Seconds of an iteration of a process alone."""
        return sum(
            layer.forward_s + layer.backward_s + self.update_s * 4 * sum(map(count, layer.shapes))
            for layer in self.layers
        )

    def slowed(self, factor: float) -> Costs:
        """The same on a processor that takes ``factor`` times as long."""
        layers = tuple(
            replace(layer, forward_s=factor * layer.forward_s, backward_s=factor * layer.backward_s)
            for layer in self.layers
        )
        return replace(
            self, layers=layers, update_s=factor * self.update_s, processor=self.processor / factor
        )


@dataclass(frozen=True)
class Way:
    """The choices of `Sharing` that the prediction knows.

    ``groups``, ``servers``: -n_group and -n_server; 0: each rank is one.
    """

    exchange: str
    lazy: bool = False
    svb: bool = False
    groups: int = 0
    servers: int = 0
    staleness: int = 0

    @property
    def flags(self) -> str:
        """The flags of train."""
        numbers = (
            ("-n_group", self.groups),
            ("-n_server", self.servers),
            ("-table_staleness", self.staleness),
        )
        words = [
            f"-exchange {self.exchange}",
            *(f"{flag} {number}" for flag, number in numbers if number),
        ]
        return " ".join(words) + " -svb auto" * self.svb + " -lazy_update" * self.lazy

    def fits(self, size: int) -> bool:
        """Whether so many ranks can exchange in this way."""
        return self.groups <= size and (not self.groups or size % self.groups == 0)


def ways() -> list[Way]:
    """What is predicted: every exchange that has a model, simple ones first."""
    modelled = [exchange for exchange in EXCHANGES.values() if exchange.complexity is not None]
    modelled.sort(key=lambda exchange: exchange.complexity or 0)
    every: list[Way] = []
    for exchange in modelled:
        lazy_or_not = (
            (False, True) if exchange.everywhere else (False,)
        )  # the others' updates are always late
        every += [Way(exchange.name, lazy, svb) for svb in (False, True) for lazy in lazy_or_not]
    for exchange in modelled:
        for serving in exchange.variants:
            every.append(
                Way(
                    exchange.name,
                    groups=serving.groups,
                    servers=serving.servers,
                    staleness=serving.staleness,
                )
            )
    return every


def predict(
    costs: Costs, cluster: Cluster, size: int, way: Way, *, bucket_bytes: int | None = None
) -> float:
    """Seconds of an iteration of ``size`` ranks.

    ``bucket_bytes``: size of buckets, where that is not to be the exchange's own. Never less than a
    rank alone takes: the simulation lets the updates of servers go on beside their computing, but a
    rank that serves has one processor for both.
    """
    return max(costs.alone_s, _Iteration(costs, cluster, size, way, bucket_bytes).seconds())


def recommend(seconds: Sequence[float]) -> int:
    """The index of the first that is within 2 % of the fastest."""
    enough = 1.02 * min(seconds)
    return next(index for index, one in enumerate(seconds) if one <= enough)


def factors_stage(network: Network, product: Product) -> Stage:
    """Every rank's factors, two matrices, go round the ring of all."""
    return network.ring(float(sent_bytes(product, network.size, 1)), network.size - 1, pieces=2)


class _Iteration:
    """One rank among ``size``, in some iterations."""

    def __init__(
        self, costs: Costs, cluster: Cluster, size: int, way: Way, bucket_bytes: int | None
    ) -> None:
        self._costs = costs
        self._way = way
        self._size = size
        self._late = way.lazy or not EXCHANGES[way.exchange].everywhere
        self._groups = cluster.groups(size)
        link = cluster.between if len(self._groups) > 1 and cluster.between else cluster.inside
        self._speeds = Speeds(link.bandwidth, costs.processor)
        self._simulation = Simulation(
            link.latency_s + costs.polling.computing_s, link.latency_s + costs.polling.waiting_s
        )
        self._factored = [self._travels_as_factors(layer) for layer in costs.layers]
        self._under_way: dict[object, deque[SimulatedTransfer]] = {}
        self._network = Network(self._groups, link, cluster.inside, cluster.crowd(size))
        self._loads = self._lay_out(bucket_bytes)
        serving = Serving(way.staleness, way.groups, way.servers)
        self._model = EXCHANGES[way.exchange].model(self._network, self._bytes, serving)

    def seconds(self) -> float:
        """Of the last iteration, or the mean of as many as may be under way together."""
        together = 1 + self._way.staleness
        ends = [0.0]
        for _ in range(ITERATIONS * together):
            self._forward()
            self._backward()
            if not self._late:
                self._finish()
            if self._way.staleness:
                self._simulation.compute(
                    sum(self._bytes) * self._costs.update_s
                )  # a guess at the update that is not there yet
            ends.append(self._simulation.now)
        return (ends[-1] - ends[-1 - together]) / together

    def _travels_as_factors(self, layer: LayerCost) -> bool:
        if layer.product is None or not self._way.svb:
            return False
        whole = whole_seconds(
            layer.product, self._speeds, exchange=self._way.exchange, groups=self._groups
        )
        return factor_seconds(layer.product, self._speeds, ranks=self._size, passes=1) < whole

    def _lay_out(self, bucket_bytes: int | None) -> list[Load]:
        """The buckets.

        Notes which buckets each layer's backward may complete, and which its forward needs.
        """
        shapes: list[tuple[int, ...]] = []
        owners: list[int] = []
        for index, layer in enumerate(self._costs.layers):
            for shape in layer.shapes[1:] if self._factored[index] else layer.shapes:
                shapes.append(shape)
                owners.append(index)
        meta = Flat(shapes, device=torch.device("meta"), channels_last=[False] * len(shapes))
        limit = bucket_bytes or bucket_limit(count_bytes(meta.buffer))
        buffer = GradientBuffer(meta.buffer, tuple(meta.views))
        relayed = EXCHANGES[self._way.exchange].relayed
        buckets = fill_buckets(buffer, limit, relayed=relayed) if shapes else []
        self._bytes = [4 * bucket.flat.numel() for bucket in buckets]
        self._needs: list[list[int]] = [[] for _ in self._costs.layers]
        self._completes: list[list[int]] = [[] for _ in self._costs.layers]
        for number, bucket in enumerate(buckets):
            users = {owners[param] for param in bucket.params}
            self._completes[min(users)].append(number)
            for user in users:
                self._needs[user].append(number)
        return [
            Load(number, n_bytes, len(buckets[number].pieces), n_bytes * self._costs.update_s)
            for number, n_bytes in enumerate(self._bytes)
        ]

    def _forward(self) -> None:
        for index, layer in enumerate(self._costs.layers):
            for bucket in self._needs[index] if self._late else ():
                self._arrive(bucket)
            if self._factored[index]:
                self._multiply(index)
            self._simulation.compute(layer.forward_s)

    def _backward(self) -> None:
        for index in reversed(range(len(self._costs.layers))):
            layer = self._costs.layers[index]
            if self._factored[index] and layer.product is not None:
                self._simulation.compute(
                    max(0.0, layer.backward_s - self._product_s(layer.product, 1))
                )
                self._start(("factors", index), [factors_stage(self._network, layer.product)])
            else:
                self._simulation.compute(layer.backward_s)
            for bucket in self._completes[index]:
                self._start(bucket, self._model(self._loads[bucket]))

    def _finish(self) -> None:
        """Wait for everything, and update."""
        for bucket in range(len(self._bytes)):
            self._wait(bucket)
        self._simulation.compute(sum(self._bytes) * self._costs.update_s)
        for index, factored in enumerate(self._factored):
            if factored:
                self._multiply(index)

    def _arrive(self, bucket: int) -> None:
        """As in `Exchange.wait`: wait for a bucket, and update by it."""
        if self._wait(bucket) and EXCHANGES[self._way.exchange].everywhere:
            self._simulation.compute(self._bytes[bucket] * self._costs.update_s)

    def _multiply(self, index: int) -> None:
        """Wait for a layer's factors, multiply, update."""
        layer = self._costs.layers[index]
        if self._wait(("factors", index)) and layer.product is not None:
            update_s = 4 * layer.product.inputs * layer.product.outputs * self._costs.update_s
            self._simulation.compute(self._product_s(layer.product, self._size) + update_s)

    def _product_s(self, product: Product, ranks: int) -> float:
        return 2 * ranks * product.rows * product.inputs * product.outputs / self._costs.processor

    def _start(self, key: object, stages: list[Stage]) -> None:
        self._under_way.setdefault(key, deque()).append(self._simulation.start(stages))

    def _wait(self, key: object) -> bool:
        """Whether there was something to wait for.

        There is if it is of an earlier iteration, and may not be late any longer.
        """
        transfers = self._under_way.get(key, deque())
        if len(transfers) <= self._way.staleness:
            return False
        self._simulation.wait(transfers.popleft())
        return True
