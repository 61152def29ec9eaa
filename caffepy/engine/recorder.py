"""Records the operations of a function on a GPU, and replays them by one call."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from typing import Any, Protocol, TypeVar
from weakref import WeakValueDictionary

import torch

WARM_UP_PASSES = 3
"""A pass is run this many times before it is recorded, so that cuDNN and cuBLAS choose kernels."""

T = TypeVar("T")


class Recorder(Protocol):
    """Makes recordings of functions that run on a GPU."""

    def close(self) -> None:
        """Let go of the recordings. No more can be made."""

    def record(
        self, run: Callable[[], T], *, passes: int = WARM_UP_PASSES, pool: int = 0
    ) -> tuple[Callable[[], None], T]:
        """Call ``run`` so many times, then record it.

        Returns a function that replays it, and the recorded result, which each replay overwrites.
        The result is not valid before the first replay, as recording computes nothing.
        ``pool``: number of the memory pool for tensors that are needed only within a replay.
        Recordings with the same pool overwrite each other's tensors there.

        RuntimeError if ``run`` does something that cannot be recorded.
        """


class CudaRecorder:
    """Makes recordings as CUDA graphs.

    Recording does not advance the device's random numbers: the replays draw them.
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
        with _recording_stream(self._device) as stream:
            for _ in range(passes):
                run()
            try:
                # In other threads CUDA calls stay allowed: these read data and allocate memory.
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
    """What all recorders on a device share: graphs and their memory pools.

    It lasts as long as one of the recorders.

    Recordings with one pool use the same memory for tensors within a pass, as activations. They can
    do so because they never run at the same time, and results are read before the next replay.
    Recordings that run within one pass have different pools.

    All graphs are deleted together. With the first graph, torch 2.13 and newer free the stream's
    workspace of matrix products, which all other graphs use.
    """

    def __init__(self, device: torch.device) -> None:
        self._device = device
        self._graphs: list[torch.cuda.CUDAGraph] = []
        self._pools: dict[int, Any] = {}

    def new_graph(self) -> torch.cuda.CUDAGraph:
        """A graph, which is kept as long as all others."""
        self._graphs.append(torch.cuda.CUDAGraph())
        return self._graphs[-1]

    def pool(self, number: int) -> Any:
        """The memory pool with this number, for the next recording."""
        if number not in self._pools:
            self._pools[number] = torch.cuda.graph_pool_handle()
            with warnings.catch_warnings():
                # An empty recording keeps the pool: torch's allocator refuses one whose recordings
                # are all deleted.
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
        """Clean up after a capture that has failed. Its pool cannot be used again.

        Otherwise torch's allocator would hold back all memory freed from now on, as it does during
        a capture, and never free that of the capture. Its random generator would refuse to draw,
        and other recordings could not be replayed, until another capture has succeeded.
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
    """What the recorders on ``device`` share."""
    shelf = _SHELVES.get(device)
    if shelf is None:
        shelf = _SHELVES[device] = _Shelf(device)
    return shelf


@lru_cache
def _stream(device: torch.device) -> torch.cuda.Stream:
    """The one stream for recordings, as cuBLAS keeps a workspace for each stream."""
    return torch.cuda.Stream(device)


@contextmanager
def _recording_stream(device: torch.device) -> Iterator[torch.cuda.Stream]:
    """A context on the stream for recordings.

    It starts after all earlier operations of the current stream, and later ones wait for it. The
    state of the random numbers is restored at the end.
    """
    current = torch.cuda.current_stream(device)
    stream = _stream(device)
    random_state = torch.cuda.get_rng_state(device)
    stream.wait_stream(current)
    try:
        with torch.cuda.stream(stream):
            yield stream
    finally:
        current.wait_stream(stream)
        torch.cuda.set_rng_state(random_state, device)
