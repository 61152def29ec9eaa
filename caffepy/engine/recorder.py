"""Recording what a function asks of a GPU, to ask it again at the cost of one call."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from typing import Any, Protocol, TypeVar

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

    def record(self, run: Callable[[], T], *, passes: int = WARM_UP_PASSES) -> tuple[Callable[[], None], T]:
        """See `Recorder`."""
        current, drawn = torch.cuda.current_stream(self._device), torch.cuda.get_rng_state(self._device)
        aside = torch.cuda.Stream(self._device)
        aside.wait_stream(current)
        with torch.cuda.stream(aside):
            for _ in range(passes):
                run()
        current.wait_stream(aside)
        graph, pool = torch.cuda.CUDAGraph(), _pool(self._device)
        try:
            # other threads read data, and take memory for them, meanwhile
            with torch.cuda.graph(graph, pool=pool, capture_error_mode="thread_local"):
                result = run()
        except Exception as error:  # noqa: BLE001 - raised again
            _end_allocation(self._device, pool)
            raise error.__context__ or error from None  # the end of a capture that failed has an error of its own
        finally:
            torch.cuda.set_stream(current)  # a capture that fails leaves its own
            torch.cuda.set_rng_state(drawn, self._device)
        return graph.replay, result


@lru_cache
def _pool(device: torch.device) -> Any:
    """Where all recordings on ``device`` take memory: what one needs within a pass only, a net's activations, the others use too.

    They never run side by side, and what a recording leaves is read before another is replayed.
    """
    return torch.cuda.graph_pool_handle()


def _end_allocation(device: torch.device, pool: Any) -> None:
    """Let torch's allocator know that a capture has failed: it would wait for its end with all memory that is freed from now on."""
    for name in ("_cuda_endAllocateToPool", "_cuda_endAllocateCurrentStreamToPool"):  # the second: torch 2.6
        end = getattr(torch._C, name, None)
        if end is not None:
            with suppress(RuntimeError):  # torch has done so itself
                end(device.index or 0, pool)
            return
