"""The engines that can run a TEST net, by name; the fastest of them by a trial."""

from __future__ import annotations

import importlib.util
import math
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from typing import TypeVar

import torch
from torch import Tensor

from caffepy import log
from caffepy.data.source import Batch, Source
from caffepy.engine.arena import Arena
from caffepy.engine.engines import Engine, shows_blobs
from caffepy.engine.layerwise import LayerwiseEngine
from caffepy.engine.one_call_engine import one_call_engine
from caffepy.engine_names import AUTO, RUNTIMES, TORCH
from caffepy.errors import CaffeError
from caffepy.layers.core.base import TEST, count
from caffepy.layers.core.random import CaffeRandom
from caffepy.net.graph import Graph
from caffepy.onnx.blobs_engine import OnnxRuntimeEngine
from caffepy.onnx.onnxruntime_layer import (
    attempt,
    blobs_by_runtime,
    by_runtime,
    layers_by,
    whole_by,
)

E = TypeVar("E", bound=Engine)

TURNS = 3
TURN_S = 0.12
"""An engine has so many turns of so many seconds in a trial, or of one pass."""
CLOSE = 1e-4
"""By as much of the largest number the outputs of an engine may differ from torch's."""


def engine_by(name: str, engine: Engine) -> Engine:
    """The engine of this name for the TEST net that ``engine`` runs by torch.

    ``auto``: the fastest, ``engine`` itself among them. One line in the log says which, and the
    times of all.
    """
    if name == AUTO:
        return _fastest(engine, partial(whole_by, engine), _outputs)[1]
    return by_runtime(engine, name) if name in RUNTIMES else engine


def blobs_engine_by(name: str, engine: LayerwiseEngine, blobs: Collection[str]) -> LayerwiseEngine:
    """The same for an engine that shows these ``blobs`` after a pass."""

    def seen(engine: LayerwiseEngine) -> list[Tensor]:
        return [engine.blobs[name].data.clone() for name in blobs]

    if name == AUTO:
        return _fastest(engine, partial(layers_by, engine, blobs), seen)[1]
    return blobs_by_runtime(engine, blobs, name) if name in RUNTIMES else engine


def net_engine(graph: Graph, arena: Arena, random: CaffeRandom, *, name: str) -> LayerwiseEngine:
    """The same for a caffe.Net, every blob of which can be looked at.

    A `OneCallEngine` where no runtime can run the net, or is faster; a `LayerwiseEngine` for nets
    that are trained.
    """

    def by(runtime: str, random: CaffeRandom = random) -> LayerwiseEngine:
        return OnnxRuntimeEngine(graph, arena, random, runtime)

    own = one_call_engine(graph, arena, random)
    if graph.phase != TEST:
        return own
    if name in RUNTIMES:
        return attempt(graph, name, lambda: by(name)) or own
    # engines of a trial are thrown away, as their blobs have numbers already
    tried = one_call_engine(graph, arena, CaffeRandom(0))
    best, _ = _fastest(tried, partial(by, random=CaffeRandom(0)), _outputs)
    return own if best == TORCH else by(best)


def _outputs(engine: Engine) -> list[Tensor]:
    return [output.data.clone() for output in engine.outputs()]


def _fastest(
    engine: E, make: Callable[[str], E], seen: Callable[[E], list[Tensor]]
) -> tuple[str, E]:
    """``engine``, or ``make(runtime)`` of a runtime that is faster and agrees in what is seen.

    With its name.
    """
    engines = {TORCH: engine}
    notes = []
    for runtime in RUNTIMES:
        if importlib.util.find_spec(runtime) is None:
            continue
        try:
            engines[runtime] = make(runtime)
        except (CaffeError, ImportError) as error:
            notes.append(f"{runtime} cannot: {error}")
    times_s = {TORCH: 0.0}
    if len(engines) > 1:
        try:
            times_s, others = _tried(engines, seen)
            notes += [f"{name} computes other outputs" for name in others]
        except CaffeError as error:
            notes.append(f"no trial: {error}")
    best = min(times_s, key=lambda name: times_s[name])
    slower = [f"{name} {times_s[name] * 1e3:.3g} ms" for name in times_s if name != best]
    if slower:
        said = f"runs by {best}, {times_s[best] * 1e3:.3g} ms a pass ({', '.join(slower)})"
    elif notes:
        said = f"runs by {best}"
    else:
        said = f"runs by {best}: neither {' nor '.join(RUNTIMES)} is installed"
    said += "".join(f"; {note}" for note in notes)
    log.info("choice.py:0", f"Net '{engine.graph.name}' {said}")
    return best, engines[best]


def _tried(
    engines: Mapping[str, E], seen: Callable[[E], list[Tensor]]
) -> tuple[dict[str, float], list[str]]:
    """Seconds of a pass of those that agree with torch, and the names of the others."""
    times_s: dict[str, float] = {}
    others: list[str] = []
    trial = _Trial(engines[TORCH])
    with ExitStack() as stack:
        stack.callback(trial.give_back)  # the next pass has the batch of the trial
        for engine in engines.values():
            trial.feed(engine)
            stack.callback(trial.clear, engine)
            # before any pass, as some change torch's number of threads
            stack.enter_context(engine.frozen())
        expected: list[Tensor] = []
        for name, engine in engines.items():
            trial.run(engine)
            found = seen(engine)
            expected = expected or found
            if _agree(found, expected):
                times_s[name] = math.inf
            else:
                others.append(name)
        for _ in range(TURNS):
            for name in times_s:
                times_s[name] = min(times_s[name], trial.fastest_s(engines[name]))
    return times_s, others


class _Trial:
    """Passes of several engines on one batch, which the engines then get once more."""

    def __init__(self, engine: Engine) -> None:
        self._batches: list[tuple[Source, Batch]] = []
        for source in engine.graph.sources.values():
            batch = tuple(tensor.clone() for tensor in source.next())
            self._batches.append((source, batch))
        # of a net that a script feeds: numbers as of pictures less their mean, and the label 0
        self._fed: dict[int, Tensor] = {}
        generator = torch.Generator().manual_seed(1)
        for value in engine.graph.inputs:
            shape = engine.graph.values[value].shape
            numbers = torch.randn(shape, generator=generator)
            self._fed[value] = numbers if count(shape, 1) > 1 else numbers.zero_()

    def feed(self, engine: Engine) -> None:
        """Fill the inputs of a net that a script feeds."""
        if shows_blobs(engine):
            for value, numbers in self._fed.items():
                engine.blob(value).data.copy_(numbers)

    def clear(self, engine: Engine) -> None:
        """Zero these inputs, as in a new net."""
        if shows_blobs(engine):
            for value in self._fed:
                engine.blob(value).data.zero_()

    def fastest_s(self, engine: Engine) -> float:
        """Seconds of the fastest pass of a turn."""
        passes_s = [self.run(engine)]
        while sum(passes_s) < TURN_S:
            passes_s.append(self.run(engine))
        return min(passes_s)

    def run(self, engine: Engine) -> float:
        """Seconds of a pass."""
        self.give_back()
        started = time.perf_counter()
        engine.forward()
        return time.perf_counter() - started

    def give_back(self) -> None:
        """Let the next pass have the batch."""
        for source, batch in self._batches:
            source.give_back(batch)


def _agree(found: Sequence[Tensor], expected: Sequence[Tensor]) -> bool:
    """Whether outputs are those expected, within `CLOSE`: NaN where NaN is."""
    for ours, theirs in zip(found, expected, strict=True):
        if ours.shape != theirs.shape:
            return False
        same = (ours == theirs) | (ours.isnan() & theirs.isnan())
        if bool(same.all()):
            continue
        off = float((ours - theirs)[~same].abs().max())
        finite = theirs[theirs.isfinite()].abs()
        if not (finite.numel() and off <= CLOSE * float(finite.max())):
            return False
    return True
