"""A made-up net for tests of exchanges: parameters, gradients, and an update that is plain SGD."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor

from caffepy.parallel.exchange.core.base import Exchange, GradientBuffer, Serving, Setting
from caffepy.parallel.exchange.core.registry import make_exchange
from caffepy.parallel.transport.communicator import Communicator

SHAPES = [(3, 4), (5,), (40, 2), (7,), (1,), (20, 3)]


@dataclass
class Momentum:
    """w -= v, v = 0.5 v + 0.1 g, and a record of the calls."""

    weights: list[Tensor]
    joint: bool = False
    calls: list[list[int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.history = [torch.zeros_like(weight) for weight in self.weights]

    def __call__(self, params: Sequence[int], gradients: Sequence[Tensor], iteration: object) -> None:
        self.calls.append(list(params))
        for param, gradient in zip(params, gradients):
            self.history[param] = 0.5 * self.history[param] + 0.1 * gradient
            self.weights[param] -= self.history[param]


@dataclass
class Net:
    """``gradients(iteration, rank)``: what a rank finds; linear in the weights, so that an update that comes late shows."""

    exchange: Exchange
    update: Momentum
    weights: list[Tensor]

    def gradients(self, iteration: int, rank: int) -> list[Tensor]:
        generator = torch.Generator().manual_seed(1000 * iteration + rank)
        return [torch.randn(weight.shape, generator=generator) + 0.1 * weight for weight in self.weights]

    def iterate(self, iteration: int, rank: int) -> None:
        """Forward, backward and update as the solver calls them."""
        self.exchange.begin(iteration)
        for param in range(len(self.weights)):
            self.exchange.wait(param)
        found = self.gradients(iteration, rank)
        self.exchange.enter(iteration)
        if self.exchange.eager:
            for param in reversed(range(len(self.weights))):
                self.exchange.ready(param, found[param])
        self.exchange.finish(found)


def make_net(
    communicator: Communicator,
    name: str,
    *,
    joint: bool = False,
    average: bool = True,
    lazy: bool = False,
    staleness: int = 0,
    serving: Serving | None = None,
    wire: torch.dtype | None = None,
    bucket_bytes: int = 64,
    shapes: Sequence[tuple[int, ...]] = SHAPES,
    kind: type[Net] = Net,
) -> Net:
    """A net of ``shapes``, the same on every rank; by default its buckets are small."""
    generator = torch.Generator().manual_seed(1)
    weights = [torch.randn(shape, generator=generator) for shape in shapes]
    serving = serving or Serving(staleness)
    masters = [weight.clone() for weight in weights] if serving.drift else weights
    update = Momentum(masters, joint)
    sizes = [weight.numel() + 3 for weight in weights]
    flat = torch.zeros(sum(sizes))
    views, start = [], 0
    for shape, size in reversed(list(zip(shapes, sizes))):
        views.insert(0, flat[start : start + size - 3].view(shape))
        start += size
    buffer = GradientBuffer(flat, tuple(views))
    setting = Setting(
        communicator,
        buffer,
        weights,
        masters,
        update,
        average=average,
        bucket_bytes=bucket_bytes,
        lazy=lazy,
        serving=serving,
        wire=wire,
        guess=Momentum(weights) if serving.staleness and not joint else None,
    )
    return kind(make_exchange(name, setting), update, weights)


def train(
    communicator: Communicator, name: str, *, iterations: int = 5, joint: bool = False, average: bool = True, lazy: bool = False
) -> list[Tensor]:
    """The weights after so many iterations by the exchange ``name``."""
    net = make_net(communicator, name, joint=joint, average=average, lazy=lazy)
    for iteration in range(iterations):
        net.iterate(iteration, communicator.rank)
    net.exchange.settle()
    return net.weights


def reference(communicator: Communicator, size: int, *, iterations: int = 5, average: bool = True) -> list[Tensor]:
    """The weights of one process that adds up every rank's gradient itself."""
    net = make_net(communicator, "null")
    for iteration in range(iterations):
        found = [net.gradients(iteration, rank) for rank in range(size)]
        net.update(range(len(SHAPES)), [sum(parts) / (size if average else 1) for parts in zip(*found)], iteration)
    return net.weights
