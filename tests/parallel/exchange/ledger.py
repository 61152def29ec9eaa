"""A net whose parameters tell which gradients are in them, and a witness of all reads and writes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import cast

import torch
from torch import Tensor

from caffepy.parallel.exchange.core.base import Serving
from caffepy.parallel.transport.communicator import Communicator
from tests.parallel.exchange.nets import Net, make_net

ITERATIONS = 10
PARAMS = 5


@dataclass
class Ledger(Net):
    """The gradient of rank r in iteration t moves the element (r, t) of each parameter, and nothing else does."""

    pause: Callable[[int, int], None] | None = None

    def gradients(self, iteration: int, rank: int) -> list[Tensor]:
        assert self.pause is not None
        self.pause(rank, iteration)
        found = [torch.zeros_like(weight) for weight in self.weights]
        for gradient in found:
            gradient[rank, iteration] = 1
        return found


@dataclass(frozen=True)
class Read:
    """At ``clock``, that is, in its iteration of this number, ``rank`` used ``param``; ``seen[r, t]``: with that gradient in it."""

    rank: int
    clock: int
    param: int
    seen: Tensor


@dataclass
class Witness:
    """``reads``: in any order. ``writes``: iterations, by parameter, in the order in which its owner updated it. ``ends``: the weights."""

    size: int
    reads: list[Read] = field(default_factory=list)
    writes: dict[int, list[int]] = field(default_factory=dict)
    ends: list[list[Tensor]] = field(default_factory=list)
    noting: threading.Lock = field(default_factory=threading.Lock)

    def run(self, communicator: Communicator, serving: Serving, pause: Callable[[int, int], None], *, joint: bool = False) -> None:
        """One rank's training; ``pause(rank, iteration)`` takes the time of a pass."""
        shapes = [(self.size, ITERATIONS)] * PARAMS
        net = make_net(communicator, "ps", serving=serving, joint=joint, shapes=shapes, kind=Ledger)
        assert isinstance(net, Ledger)
        net.pause = pause
        start = [weight.clone() for weight in net.weights]
        update = net.exchange.update

        def write(params: Sequence[int], gradients: Sequence[Tensor], iteration: object) -> None:
            with self.noting:
                for param in params:
                    self.writes.setdefault(param, []).append(cast(int, iteration))
            update(params, gradients, iteration)

        write.joint = joint
        net.exchange.update = write
        wait = net.exchange.wait

        def read(clock: int, param: int) -> None:
            wait(param)
            with self.noting:
                self.reads.append(Read(communicator.rank, clock, param, (net.weights[param] - start[param]).abs() > 1e-5))

        for iteration in range(ITERATIONS):
            net.exchange.wait = partial(read, iteration)
            net.iterate(iteration, communicator.rank)
        net.exchange.wait = wait
        net.exchange.settle()
        with self.noting:
            self.ends.append([after - before for after, before in zip(net.weights, start)])

    def check(self, lag: int) -> int:
        """No read lacks a gradient of more than ``lag`` iterations before, or one of its own rank.  The largest lag that was seen."""
        assert len(self.reads) == self.size * ITERATIONS * PARAMS
        assert self.writes == {param: list(range(ITERATIONS)) for param in range(PARAMS)}, "each update once, in order"
        for read in self.reads:
            assert not read.seen[:, read.clock :].any(), "nothing of the future"
        worst = max(map(lacking, self.reads))
        assert worst <= lag, "the bound"
        return worst


def lacking(read: Read) -> int:
    """How many iterations old the oldest gradient is that was not in what was read; 0 if all were."""
    return max((read.clock - int(t) for t in (~read.seen[:, : read.clock]).any(0).nonzero()), default=0)
