"""What the recorder asks of torch.cuda, with stand-ins for it: no test here needs a GPU."""

from __future__ import annotations

from collections.abc import Iterator
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
    """Stands in for torch.cuda: notes calls. The end of a capture within which something failed fails too, as on a GPU."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.calls: list[Any] = []
        self.stream = Stream()
        self.seen = 0
        recorder._pool.cache_clear()
        for name, value in {
            "current_stream": lambda device: self.stream,
            "get_rng_state": lambda device: "drawn",
            "set_rng_state": lambda state, device: self.calls.append(state),
            "set_stream": lambda stream: self.calls.append(stream),
            "Stream": lambda device: Stream(),
            "stream": lambda stream: self.capture(),
            "CUDAGraph": Graph,
            "graph": self.capture,
            "graph_pool_handle": self.handle,
        }.items():
            monkeypatch.setattr(torch.cuda, name, value)
        monkeypatch.setattr(torch._C, "_cuda_endAllocateToPool", lambda index, pool: self.calls.append((index, pool)), raising=False)

    def handle(self) -> int:
        self.seen += 1
        return self.seen

    @contextmanager
    def capture(self, *arguments: Any, **options: Any) -> Iterator[None]:
        try:
            yield
        except (RuntimeError, LayerError):
            raise RuntimeError("operation failed due to a previous error during capture")  # noqa: B904 - torch names no cause either


@pytest.fixture
def cuda(monkeypatch: pytest.MonkeyPatch) -> Iterator[Cuda]:
    yield Cuda(monkeypatch)
    recorder._pool.cache_clear()


def test_recordings_of_a_device_share_their_memory(cuda: Cuda) -> None:
    passes = []
    for _ in range(2):
        _, result = CudaRecorder(DEVICE).record(lambda: passes.append(1) or len(passes))
    assert (result, cuda.seen) == (2 * (WARM_UP_PASSES + 1), 1)
    assert cuda.calls == [cuda.stream, "drawn"] * 2


@pytest.mark.parametrize("error", [RuntimeError("not permitted when stream is capturing"), LayerError("label 9")])
def test_a_capture_that_fails_tells_the_first_error_and_leaves_nothing_behind(cuda: Cuda, error: Exception) -> None:
    passes = []

    def run() -> None:
        passes.append(1)
        if len(passes) > WARM_UP_PASSES:
            raise error

    with pytest.raises(type(error), match=str(error)):
        CudaRecorder(DEVICE).record(run)
    assert cuda.calls == [(0, 1), cuda.stream, "drawn"]
