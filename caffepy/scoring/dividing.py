"""A test divided among ranks: each computes every size-th batch, and rank 0 gets what one process would have computed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from caffepy import log
from caffepy.data.random_resize import resizes_at_random
from caffepy.engine.engines import Engine, forward
from caffepy.engine.output import Output
from caffepy.engine.outside import tell_outside
from caffepy.layers.core.registry import LAYERS
from caffepy.net.definition import Definition
from caffepy.net.filter import filter_net
from caffepy.parallel.transport.communicator import Communicator

ROUND = 16
"""Batches of each rank between two meetings of all."""


def obstacle(definition: Definition) -> str:
    """Why a test on this net has to be computed by one process, batch after batch, in words; empty if it need not be."""
    net = filter_net(definition.message, definition.where)[0]
    for layer in net.layer:
        words = f"layer '{layer.name}' ({layer.type})"
        known = LAYERS.get(layer.type)  # building the net will tell of others
        if known is not None and known.remembers(layer):
            return f"{words} depends on earlier batches"
        transform = layer.transform_param
        if (
            (known is not None and known.undivided)
            or transform.mirror
            or transform.scale_factors
            or resizes_at_random(transform)
        ):
            return f"{words} gives random or other data to each process"
    return "debug_info is shown of every batch" if net.debug_info else ""


def can_divide(definitions: Sequence[Definition], communicator: Communicator) -> bool:
    """Whether the ranks divide the tests on these nets.  The log says why they do not."""
    if communicator.size == 1:
        return False
    for definition in definitions:
        words = obstacle(definition)
        if words:
            log.info("dividing.py:0", f"Rank 0 tests alone: {words}.")
            return False
    return True


@dataclass
class Passes:
    """Goes through the batches of a test net.  ``divided``: together with the other ranks; the source has the batches of this one only.

    ``done``: batches of all tests so far, of which batch g is computed by rank g % size. ``batch``: the one at work in this test.
    """

    communicator: Communicator
    divided: bool = False
    done: int = 0
    batch: int = 0

    def run(
        self, engine: Engine, count: int, *, interrupted: Callable[[], bool], debug: bool = False
    ) -> Iterator[tuple[Tensor, Sequence[Output]] | None]:
        """Loss and outputs of the next ``count`` batches in order, on rank 0; None, and no more, where a rank is ``interrupted``."""
        if self.divided:
            yield from self._together(engine, count, interrupted)
            return
        for batch in range(count):
            if interrupted():
                yield None
                return
            self.batch = batch
            yield forward(engine, debug=debug), engine.outputs()
        tell_outside(engine)

    def _together(
        self, engine: Engine, count: int, interrupted: Callable[[], bool]
    ) -> Iterator[tuple[Tensor, Sequence[Output]] | None]:
        ranks, begin, end = self.communicator, self.done, self.done + count
        while self.done < end:
            numbers = range(self.done, min(end, self.done + ROUND * ranks.size))
            if ranks.maximum(int(interrupted())):
                yield None
                return
            mine = []
            for number in numbers[(ranks.rank - self.done) % ranks.size :: ranks.size]:
                self.batch = number - begin
                mine.append(_kept(forward(engine), engine.outputs()))
            everyone = ranks.gather_object(mine)
            self.done = numbers.stop
            if everyone is not None:
                parts = [iter(part) for part in everyone]
                yield from (next(parts[number % ranks.size]) for number in numbers)
        tell_outside(engine)


def _kept(loss: Tensor, outputs: Sequence[Output]) -> tuple[Tensor, list[Output]]:
    """Copies in host memory, of no more than these values."""
    return _copy(loss), [replace(output, data=_copy(output.data)) for output in outputs]


def _copy(tensor: Tensor) -> Tensor:
    return torch.clone(tensor.detach().cpu(), memory_format=torch.contiguous_format)
