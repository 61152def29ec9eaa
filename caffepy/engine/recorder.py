"""Recording what a function asks of a GPU, to ask it again at the cost of one call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

import torch

WARM_UP_PASSES = 3
"""Calls before the recording, as cuDNN's and cuBLAS's own choices must be made by then."""

T = TypeVar("T")


class Recorder(Protocol):
    """Makes recordings."""

    def record(self, run: Callable[[], T]) -> tuple[Callable[[], None], T]:
        """Call ``run`` a few times and record it.  What replays it, and the recorded result, whose memory each replay overwrites.

        A result means nothing before the first replay. Errors: RuntimeError where ``run`` does what cannot be recorded.
        """


class CudaRecorder:
    """Recordings as CUDA graphs.  Numbers drawn on the device while recording are drawn again by the replays."""

    def __init__(self, device: torch.device) -> None:
        self._device = device

    def record(self, run: Callable[[], T]) -> tuple[Callable[[], None], T]:
        """See `Recorder`."""
        current, drawn = torch.cuda.current_stream(self._device), torch.cuda.get_rng_state(self._device)
        aside = torch.cuda.Stream(self._device)
        aside.wait_stream(current)
        with torch.cuda.stream(aside):
            for _ in range(WARM_UP_PASSES):
                run()
        current.wait_stream(aside)
        graph = torch.cuda.CUDAGraph()
        try:
            # other threads read data, and take memory for them, meanwhile
            with torch.cuda.graph(graph, capture_error_mode="thread_local"):
                result = run()
        finally:
            torch.cuda.set_stream(current)  # a capture that fails leaves its own
            torch.cuda.set_rng_state(drawn, self._device)
        return graph.replay, result
