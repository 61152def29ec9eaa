"""Training iterations on a GPU: caffepy's engines beside loops that one would write in PyTorch by hand."""

# N batch, C channels, H W picture

from __future__ import annotations

import gc
import time
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from statistics import median
from typing import Protocol
from unittest.mock import patch

import torch
from torch import Tensor

from caffepy.engine import engines
from caffepy.engine.engines import AUTO, WHOLE
from caffepy.engine.numerics import BF16, FP32, Numerics
from tools.bench.batches import batches
from tools.bench.candidate import Candidate
from tools.bench.loops import Loop

BATCHES = {"quick": 100, "full": 100, "lenet": 64, "caffenet": 64, "googlenet": 32, "resnet50": 32}
Batches = Sequence[tuple[Tensor, Tensor]]
WARM_UP = 6


class Runner(Protocol):
    """An implementation: runs iterations and returns when they are asked for, not when they are done."""

    def run(self, iterations: int) -> None:
        """So many training iterations on the batches in turn."""


class Ours:
    """caffepy's Solver on the device."""

    def __init__(self, net: str, arrays: Batches, device: torch.device, *, engine: str, precision: str) -> None:
        numerics = Numerics(precision)
        numerics.prepare(device)
        self._solver = Candidate(net, arrays, engine=engine, device=str(device), numerics=numerics).solver

    def run(self, iterations: int) -> None:
        """See `Runner`."""
        self._solver.step(iterations)


class ByHand:
    """A loop by hand; batches lie in pinned memory as caffepy's do."""

    def __init__(
        self, net: str, arrays: Batches, device: torch.device, *, channels_last: bool, compiled: bool = False, short: bool = False
    ) -> None:
        Numerics(BF16 if short else FP32).prepare(device)
        self._loop = Loop(net, channels_last=channels_last)
        self._loop.model.to(device)
        self._model = torch.compile(self._loop.model) if compiled else self._loop.model
        self._device, self._arrays, self._done = device, _pinned(arrays, device), 0
        self._context = torch.autocast(device.type, torch.bfloat16) if short else nullcontext()

    def batch(self) -> tuple[Tensor, Tensor]:
        """The next one, on its way to the device."""
        data, label = self._arrays[self._done % len(self._arrays)]
        self._done += 1
        moved = data.to(self._device, non_blocking=True).contiguous(memory_format=self._loop.layout)
        return moved, label.to(self._device, non_blocking=True)

    def iterate(self, data: Tensor, label: Tensor) -> None:
        """One iteration on a batch that is there."""
        self._loop.optimizer.zero_grad(set_to_none=True)
        with self._context:
            loss = self._model(data, label)
        loss.backward()
        self._loop.optimizer.step()

    def run(self, iterations: int) -> None:
        """See `Runner`."""
        for _ in range(iterations):
            self.iterate(*self.batch())


class Captured(ByHand):
    """The whole iteration as one CUDA graph, by hand."""

    def __init__(self, net: str, arrays: Batches, device: torch.device) -> None:
        super().__init__(net, arrays, device, channels_last=True)
        self._inputs = self.batch()
        aside = torch.cuda.Stream(device)
        aside.wait_stream(torch.cuda.current_stream(device))
        with torch.cuda.stream(aside):
            for _ in range(3):
                self.iterate(*self._inputs)
        torch.cuda.current_stream(device).wait_stream(aside)
        self._graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self._graph):
            self.iterate(*self._inputs)

    def run(self, iterations: int) -> None:
        """See `Runner`."""
        for _ in range(iterations):
            for mine, given in zip(self._inputs, self.batch(), strict=True):
                mine.copy_(given)
            self._graph.replay()


def _pinned(arrays: Batches, device: torch.device) -> Batches:
    return [(data.pin_memory(), label.pin_memory()) for data, label in arrays] if device.type == "cuda" else arrays


def make(kind: str, net: str, arrays: Batches, device: torch.device) -> Runner:
    """The implementation of this name, one of `KINDS`."""
    if kind == "own graph":
        return Captured(net, arrays, device)
    if kind.startswith("caffepy"):
        engine = WHOLE if "whole" in kind else AUTO
        with _layout(channels_last=True) if "channels_last" in kind else nullcontext():
            return Ours(net, arrays, device, engine=engine, precision=BF16 if BF16 in kind else FP32)
    return ByHand(net, arrays, device, channels_last=kind != "eager", compiled=kind == "compile", short=BF16 in kind)


def _layout(*, channels_last: bool) -> AbstractContextManager[object]:
    """Pictures in another order than caffepy's choice."""
    return patch.object(engines, "prefers_channels_last", lambda *_, **__: channels_last)


OURS = ("caffepy", "caffepy channels_last", "caffepy whole", "caffepy bf16")
"""The first is caffepy train's way on a GPU, which keeps float32 contiguous; the third the same without recording."""
KINDS = (*OURS, "eager", "channels_last", "own graph", "compile", "channels_last bf16")


@dataclass(frozen=True)
class Speed:
    """One implementation of one net: ms of an iteration, peak MB of device memory."""

    ms: float
    peak_mb: float


def measure(kind: str, net: str, device: torch.device, *, batch: int, block_s: float, rounds: int) -> Speed:
    """Blocks of iterations, each ended by waiting for the device; the median of their means."""
    arrays = batches(net, batch)
    gpu = device.type == "cuda"
    if gpu:
        gc.collect()  # what was measured before
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats(device)
    runner = make(kind, net, arrays, device)

    def block(iterations: int) -> float:
        started = time.perf_counter()
        runner.run(iterations)
        if gpu:
            torch.cuda.synchronize(device)
        return (time.perf_counter() - started) / iterations

    block(WARM_UP)
    iterations = max(2, round(block_s / block(WARM_UP)))
    found = median(block(iterations) for _ in range(rounds))
    peak = torch.cuda.max_memory_allocated(device) / 2**20 if gpu else float("nan")
    return Speed(found * 1e3, peak)
