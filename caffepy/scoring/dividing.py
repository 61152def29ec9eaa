"""A test whose batches are divided among ranks.

Each of N ranks computes every N-th batch, and rank 0 gets what one process would have computed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from caffepy import log
from caffepy.data.random_resize import resizes_at_random
from caffepy.engine.engines import Engine, forward
from caffepy.engine.output import Output
from caffepy.engine.places import check_places
from caffepy.layers.core.registry import LAYERS
from caffepy.net.definition import Definition
from caffepy.net.filter import filter_net
from caffepy.parallel.transport.communicator import Communicator

ROUND = 16
"""How many batches each rank computes before rank 0 collects them."""


def obstacle(definition: Definition) -> str:
    """Why one process has to test this net, in words; empty if ranks can divide the batches."""
    net = filter_net(definition.message, definition.where)[0]
    for layer in net.layer:
        words = f"layer '{layer.name}' ({layer.type})"
        kind = LAYERS.get(layer.type)  # an unknown type is an error when the net is built
        if kind is not None and kind.remembers(layer):
            return f"{words} depends on earlier batches"
        transform = layer.transform_param
        is_random = transform.mirror or transform.scale_factors or resizes_at_random(transform)
        if is_random or (kind is not None and not kind.batches.divisible):
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
    """Runs a test net on its batches.

    ``divided``: the ranks divide the batches, and this one's source has only its own.
    ``done``: how many batches all tests have had so far; rank g % size computes batch g of these.
    ``batch``: the number, in this test, of the one that is computed.
    """

    communicator: Communicator
    divided: bool = False
    done: int = 0
    batch: int = 0

    def run(
        self, engine: Engine, count: int, *, interrupted: Callable[[], bool], debug: bool = False
    ) -> Iterator[tuple[Tensor, Sequence[Output]] | None]:
        """Loss and outputs of the next ``count`` batches, in order, on rank 0.

        ``interrupted``: whether to stop; if so on any rank, None comes last.
        """
        if self.divided:
            yield from self._run_divided(engine, count, interrupted)
            return
        for batch in range(count):
            if interrupted():
                yield None
                return
            self.batch = batch
            yield forward(engine, debug=debug), engine.outputs()
        check_places(engine)

    def _run_divided(
        self, engine: Engine, count: int, interrupted: Callable[[], bool]
    ) -> Iterator[tuple[Tensor, Sequence[Output]] | None]:
        ranks = self.communicator
        begin = self.done
        end = begin + count
        while self.done < end:
            numbers = range(self.done, min(end, self.done + ROUND * ranks.size))
            if ranks.maximum(int(interrupted())):
                yield None
                return
            mine = []
            for number in numbers[(ranks.rank - self.done) % ranks.size :: ranks.size]:
                self.batch = number - begin
                mine.append(_copies(forward(engine), engine.outputs()))
            by_rank = ranks.gather_object(mine)
            self.done = numbers.stop
            if by_rank is not None:
                results = [iter(each) for each in by_rank]
                for number in numbers:
                    yield next(results[number % ranks.size])
        check_places(engine)


def _copies(loss: Tensor, outputs: Sequence[Output]) -> tuple[Tensor, list[Output]]:
    """Copies in the host's memory, which hold no more than these values."""
    return _copy(loss), [replace(output, data=_copy(output.data)) for output in outputs]


def _copy(tensor: Tensor) -> Tensor:
    return torch.clone(tensor.detach().cpu(), memory_format=torch.contiguous_format)
