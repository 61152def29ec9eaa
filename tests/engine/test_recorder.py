"""What the recorder asks of torch.cuda, with stand-ins for it: no test here needs a GPU."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import torch

from caffepy.engine import recorder
from caffepy.engine.recorder import WARM_UP_PASSES, CudaRecorder
from caffepy.errors import LayerError

DEVICE = torch.device("cuda", 0)


class Stream:
    def wait_stream(self, other: Stream) -> None:
        pass


class Graph:
    def replay(self) -> None:
        pass


class Cuda:
    """Stands in for torch.cuda: notes calls. The end of a capture within which something failed fails too, as on a GPU.

    ``pools``: those of the captures. ``made``: is told of their graphs.
    ``drawing``: the generator draws; while a capture goes on, and after one that failed, it does not.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.calls: list[Any] = []
        self.pools: list[object] = []
        self.streams: list[Stream] = []
        self.current = self.main = Stream()
        self.drawing = True
        self.made: Callable[[weakref.ref[Graph]], None] = lambda graph: None
        for name, value in {
            "current_stream": lambda device: self.current,
            "get_rng_state": lambda device: "drawn",
            "set_rng_state": lambda state, device: self.calls.append(state),
            "Stream": self.new_stream,
            "stream": self.on,
            "CUDAGraph": Graph,
            "graph": self.capture,
            "graph_pool_handle": lambda: object(),
        }.items():
            monkeypatch.setattr(torch.cuda, name, value)
        for name in ("_cuda_endAllocateToPool", "_cuda_releasePool"):
            monkeypatch.setattr(torch._C, name, lambda index, pool, name=name: self.calls.append((name, index, pool)), raising=False)

    def new_stream(self, device: torch.device) -> Stream:
        self.streams.append(Stream())
        return self.streams[-1]

    @contextmanager
    def on(self, stream: Stream) -> Iterator[None]:
        before, self.current = self.current, stream
        try:
            yield
        finally:
            self.current = before

    @contextmanager
    def capture(self, graph: Graph, *, pool: object, stream: Stream, capture_error_mode: str) -> Iterator[None]:
        assert stream in self.streams
        self.pools.append(pool)
        self.made(weakref.ref(graph))
        self.drawing = False
        try:
            yield
        except (RuntimeError, LayerError, ZeroDivisionError):
            raise RuntimeError("operation failed due to a previous error during capture")  # noqa: B904 - torch names no cause either
        self.drawing = True


@pytest.fixture
def cuda(monkeypatch: pytest.MonkeyPatch) -> Iterator[Cuda]:
    for clear in (recorder._stream.cache_clear, recorder._SHELVES.clear):
        clear()
    yield Cuda(monkeypatch)
    recorder._stream.cache_clear()


def test_recordings_of_a_device_share_their_memory_and_stream(cuda: Cuda) -> None:
    passes, recorders = [], []
    for _ in range(2):
        recorders.append(CudaRecorder(DEVICE))
        _, result = recorders[-1].record(lambda: passes.append(1) or len(passes))
    assert result == 2 * (WARM_UP_PASSES + 1)
    assert (len(cuda.pools), len(set(cuda.pools)), len(cuda.streams)) == (3, 1, 1)  # the first capture keeps the memory
    assert (cuda.calls, cuda.current) == (["drawn"] * 2, cuda.main)


def test_the_memory_goes_with_the_last_recorder(cuda: Cuda) -> None:
    for _ in range(2):
        CudaRecorder(DEVICE).record(lambda: None)
    assert len(set(cuda.pools)) == 2


def test_no_graph_goes_while_there_is_a_recorder(cuda: Cuda) -> None:
    failing, other = CudaRecorder(DEVICE), CudaRecorder(DEVICE)
    graphs: list[weakref.ref[Graph]] = []
    cuda.made = graphs.append
    failing.record(lambda: None)
    with pytest.raises(ZeroDivisionError):
        failing.record(lambda: 1 / 0, passes=0)
    del failing
    gc.collect()
    assert len(graphs) == 4
    assert all(graph() is not None for graph in graphs)
    del other
    gc.collect()
    assert all(graph() is None for graph in graphs)


def test_memory_that_torch_has_given_back_itself_is_not_given_back_twice(cuda: Cuda, monkeypatch: pytest.MonkeyPatch) -> None:
    def end(index: int, pool: object) -> None:
        raise RuntimeError("endAllocateToPool: not currently recording to mempool_id")

    monkeypatch.setattr(torch._C, "_cuda_endAllocateToPool", end, raising=False)
    with pytest.raises(ZeroDivisionError):
        CudaRecorder(DEVICE).record(lambda: 1 / 0, passes=0)
    assert cuda.calls == ["drawn"]


@pytest.mark.parametrize("error", [RuntimeError("not permitted when stream is capturing"), LayerError("label 9")])
def test_a_capture_that_fails_tells_the_first_error_and_leaves_nothing_behind(cuda: Cuda, error: Exception) -> None:
    passes = []

    def run() -> None:
        passes.append(1)
        if len(passes) > WARM_UP_PASSES:
            raise error

    failing, other = CudaRecorder(DEVICE), CudaRecorder(DEVICE)
    other.record(lambda: None)
    with pytest.raises(type(error), match=str(error)):
        failing.record(run)
    failed = cuda.pools[2]
    assert cuda.calls == ["drawn", ("_cuda_endAllocateToPool", 0, failed), ("_cuda_releasePool", 0, failed), "drawn"]
    assert cuda.current is cuda.main
    assert cuda.drawing
    other.record(lambda: None)
    assert failed not in cuda.pools[3:]


def test_a_pass_that_fails_before_it_is_recorded_leaves_nothing_behind(cuda: Cuda) -> None:
    def run() -> None:
        raise RuntimeError("out of memory")

    with pytest.raises(RuntimeError, match="out of memory"):
        CudaRecorder(DEVICE).record(run)
    assert (cuda.calls, cuda.current) == (["drawn"], cuda.main)
