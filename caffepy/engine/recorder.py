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
"""Calls of a pass before it is recorded, as cuDNN's and cuBLAS's own choices must be made by then."""

T = TypeVar("T")


class Recorder(Protocol):
    """Makes recordings."""

    def record(self, run: Callable[[], T], *, passes: int = WARM_UP_PASSES) -> tuple[Callable[[], None], T]:
        """Call ``run`` so often and then record it.  What replays it, and the recorded result, whose memory each replay overwrites.

        Recording does nothing of what ``run`` asks for: a result means nothing before the first replay. Errors: RuntimeError where
        ``run`` does what cannot be recorded.
        """


class CudaRecorder:
    """Recordings as CUDA graphs.  Numbers drawn on the device while recording are drawn again by the replays."""

    def __init__(self, device: torch.device) -> None:
        self._device = device
        self._memory: _Memory | None = None

    def record(self, run: Callable[[], T], *, passes: int = WARM_UP_PASSES) -> tuple[Callable[[], None], T]:
        """See `Recorder`."""
        self._memory, graph, first = _memory(self._device), torch.cuda.CUDAGraph(), list[Exception]()
        with _aside(self._device) as stream:
            for _ in range(passes):
                run()
            try:
                # other threads read data, and take memory for them, meanwhile
                with torch.cuda.graph(graph, pool=self._memory.pool, stream=stream, capture_error_mode="thread_local"):
                    try:
                        result = run()
                    except Exception as error:
                        first.append(error)  # the end of a capture that failed has an error of its own
                        raise
            except Exception as error:  # noqa: BLE001 - raised again
                _abandon(self._device, graph, self._memory.pool)
                raise (first.pop() if first else error) from None
        return graph.replay, result


class _Memory:
    """Where all recordings on a device take memory: what one needs within a pass only, a net's activations, the others use too.

    They never run side by side, and what a recording leaves is read before another is replayed.
    """

    def __init__(self, device: torch.device) -> None:
        self.pool = torch.cuda.graph_pool_handle()
        self._nothing = torch.cuda.CUDAGraph()  # torch's allocator refuses a pool whose recordings are all gone, so this one stays
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it is empty
            with torch.cuda.graph(self._nothing, pool=self.pool, stream=_stream(device), capture_error_mode="thread_local"):
                pass


_MEMORIES: WeakValueDictionary[torch.device, _Memory] = WeakValueDictionary()
_FAILED: list[torch.cuda.CUDAGraph] = []
"""Captures that did not end well: torch's allocators may go on asking them which memory is theirs."""


def _memory(device: torch.device) -> _Memory:
    """That of the recorders on ``device``; it goes when the last of them goes."""
    found = _MEMORIES.get(device)
    if found is None:
        found = _MEMORIES[device] = _Memory(device)
    return found


@lru_cache
def _stream(device: torch.device) -> torch.cuda.Stream:
    """The only one for recordings: cuBLAS keeps memory for each stream that it has seen."""
    return torch.cuda.Stream(device)


@contextmanager
def _aside(device: torch.device) -> Iterator[torch.cuda.Stream]:
    """On the stream for recordings, after what has been asked for and before what will be. What is drawn meanwhile is drawn again."""
    current, stream, drawn = torch.cuda.current_stream(device), _stream(device), torch.cuda.get_rng_state(device)
    stream.wait_stream(current)
    try:
        with torch.cuda.stream(stream):
            yield stream
    finally:
        current.wait_stream(stream)
        torch.cuda.set_rng_state(drawn, device)


def _abandon(device: torch.device, graph: torch.cuda.CUDAGraph, pool: Any) -> None:
    """Free torch of a capture that has failed.

    Its allocator would wait for the capture's end with all memory that is freed from now on. Its generator would refuse to draw, and
    other recordings to be replayed, until the next capture has ended well. The pool cannot be used again.
    """
    _FAILED.append(graph)
    for name in ("_cuda_endAllocateToPool", "_cuda_endAllocateCurrentStreamToPool"):  # the second: torch 2.6
        end = getattr(torch._C, name, None)
        if end is not None:
            with suppress(RuntimeError):  # torch has done so itself
                end(device.index or 0, pool)
            break
    _MEMORIES.pop(device, None)
    with suppress(RuntimeError):
        _memory(device)
