"""Recording what a function asks of a GPU, to ask it again at the cost of one call."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from typing import Any, Protocol, TypeVar
from weakref import WeakValueDictionary

import torch

WARM_UP_PASSES = 3
"""Calls of a pass before it is recorded.

cuDNN and cuBLAS have chosen their kernels by then.
"""

T = TypeVar("T")


class Recorder(Protocol):
    """Makes recordings."""

    def close(self) -> None:
        """Make no more, and let those go that nobody else has."""

    def record(
        self, run: Callable[[], T], *, passes: int = WARM_UP_PASSES, pool: int = 0
    ) -> tuple[Callable[[], None], T]:
        """Call ``run`` so often and then record it.

        What replays it, and the recorded result, whose memory each replay overwrites. ``pool``: of
        the memory for what is needed within a replay only. Recordings with the same one spoil that
        for each other.

        Recording does nothing of what ``run`` asks for: a result means nothing before the first
        replay. Errors: RuntimeError where ``run`` does what cannot be recorded.
        """


class CudaRecorder:
    """Recordings as CUDA graphs.

    Numbers drawn on the device while recording are drawn again by the replays.
    """

    def __init__(self, device: torch.device) -> None:
        self._device = device
        self._shelf = _shelf(device)

    def close(self) -> None:
        """See `Recorder`."""
        vars(self).pop("_shelf", None)

    def record(
        self, run: Callable[[], T], *, passes: int = WARM_UP_PASSES, pool: int = 0
    ) -> tuple[Callable[[], None], T]:
        """See `Recorder`."""
        graph = self._shelf.new_graph()
        memory = self._shelf.pool(pool)
        first = list[Exception]()
        with _aside(self._device) as stream:
            for _ in range(passes):
                run()
            try:
                # other threads read data, and take memory for them, meanwhile
                with torch.cuda.graph(
                    graph, pool=memory, stream=stream, capture_error_mode="thread_local"
                ):
                    try:
                        result = run()
                    except Exception as error:
                        # Ending a capture that failed raises an error of its own.
                        first.append(error)
                        raise
            except Exception as error:  # noqa: BLE001 - raised again
                self._shelf.abandon(pool)
                raise (first.pop() if first else error) from None
        return graph.replay, result


class _Shelf:
    """What all recorders on a device share: graphs, and their pools of memory.

    It lasts until the last of them goes.

    What one recording needs within a pass only, a net's activations, the others of its pool use
    too: they never run side by side, and what a recording leaves is read before another is
    replayed. Recordings of one pass that go on from each other have pools of their own. No graph
    goes before the others: with one torch 2.13 and newer give back the memory of the stream's
    matrix products, in which all others compute.
    """

    def __init__(self, device: torch.device) -> None:
        self._device = device
        self._graphs: list[torch.cuda.CUDAGraph] = []
        self._pools: dict[int, Any] = {}

    def new_graph(self) -> torch.cuda.CUDAGraph:
        """One that stays as long as all others."""
        self._graphs.append(torch.cuda.CUDAGraph())
        return self._graphs[-1]

    def pool(self, number: int) -> Any:
        """The memory for the next recording with this number of a pool."""
        if number not in self._pools:
            self._pools[number] = torch.cuda.graph_pool_handle()
            with warnings.catch_warnings():
                # An empty recording: torch's allocator refuses a pool whose recordings are all
                # gone.
                warnings.simplefilter("ignore")
                stream = _stream(self._device)
                with torch.cuda.graph(
                    self.new_graph(),
                    pool=self._pools[number],
                    stream=stream,
                    capture_error_mode="thread_local",
                ):
                    pass
        return self._pools[number]

    def abandon(self, number: int) -> None:
        """Free torch of a capture that has failed.

        Its allocator would wait for the capture's end with all memory that is freed from now on,
        and keep the capture's own for ever. Its generator would refuse to draw, and other
        recordings to be replayed, until the next capture has ended well. The pool cannot be used
        again.
        """
        pool = self._pools.pop(number)
        # The second name is torch 2.6's.
        for name in (
            "_cuda_endAllocateToPool",
            "_cuda_endAllocateCurrentStreamToPool",
        ):
            end = getattr(torch._C, name, None)
            if end is not None:
                with suppress(RuntimeError):  # torch has done so itself
                    end(self._device.index or 0, pool)
                    torch._C._cuda_releasePool(self._device.index or 0, pool)
                break
        with suppress(RuntimeError):
            self.pool(number)


_SHELVES: WeakValueDictionary[torch.device, _Shelf] = WeakValueDictionary()


def _shelf(device: torch.device) -> _Shelf:
    """That of the recorders on ``device``."""
    shelf = _SHELVES.get(device)
    if shelf is None:
        shelf = _SHELVES[device] = _Shelf(device)
    return shelf


@lru_cache
def _stream(device: torch.device) -> torch.cuda.Stream:
    """The only one for recordings: cuBLAS keeps memory for each stream that it has seen."""
    return torch.cuda.Stream(device)


@contextmanager
def _aside(device: torch.device) -> Iterator[torch.cuda.Stream]:
    """On the stream for recordings, after what has been asked for and before what will be.

    What is drawn meanwhile is drawn again.
    """
    current = torch.cuda.current_stream(device)
    stream = _stream(device)
    drawn = torch.cuda.get_rng_state(device)
    stream.wait_stream(current)
    try:
        with torch.cuda.stream(stream):
            yield stream
    finally:
        current.wait_stream(stream)
        torch.cuda.set_rng_state(drawn, device)
