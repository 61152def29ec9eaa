"""How long the layers of a net take, and its passes as a training or a test runs them."""

from __future__ import annotations

import math
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass

import torch

from caffepy import log
from caffepy.engine import debug_info
from caffepy.engine.captured import CapturedEngine
from caffepy.engine.divided import divide
from caffepy.engine.engines import (
    Engine,
    Setup,
    forward,
    hookable,
    layerwise_obstacle,
    open_graph,
    replays,
)
from caffepy.engine.layerwise import LayerwiseEngine
from caffepy.layers.core.base import TEST
from caffepy.net.graph import Node


def benchmark(engine: LayerwiseEngine, iterations: int, watch: Watch) -> tuple[Laps, Laps]:
    """Time ``iterations`` passes, after one that is not timed, and log the means.

    Returns the times forward and backward.
    """
    _first_pass(engine)
    log.info("caffe.cpp:365", "*** Benchmark begins ***")
    log.info("caffe.cpp:366", f"Testing for {iterations} iterations.")
    if iterations < 1:
        log.warning(
            "time.py:0",
            f"-iterations {iterations}: no pass is timed, and the times below are those of none; "
            "needed: at least 1",
        )
    forward = Laps(watch)
    backward = Laps(watch)
    for iteration in range(iterations):
        started = watch.mark()
        forward.measure(lambda: engine.forward(around=forward.around))
        backward.measure(lambda: engine.backward(around=backward.around))
        ms = log.number(watch.ms(started, watch.mark()))
        log.info("caffe.cpp:394", f"Iteration: {iteration + 1} forward-backward time: {ms} ms.")
    _log_means(engine, forward, backward)
    return forward, backward


def _first_pass(engine: LayerwiseEngine) -> None:
    shown = engine.graph.debug_info
    log.info("caffe.cpp:351", "Performing Forward")
    loss = float(debug_info.forward(engine) if shown else engine.forward())
    log.info("caffe.cpp:356", f"Initial loss: {log.number(loss)}")
    log.info("caffe.cpp:357", "Performing Backward")
    debug_info.backward(engine) if shown else engine.backward()


def _log_means(engine: LayerwiseEngine, forward: Laps, backward: Laps) -> None:
    """Caffe's lines about the mean times, and one about how they add up."""
    passes = forward.passes

    def mean(total_ms: float) -> str:
        return f"{log.number(total_ms / passes if passes else math.nan)} ms"

    log.info("caffe.cpp:397", "Average time per layer: ")
    for node in engine.graph.nodes:
        name = f"{node.name:>10}"
        log.info("caffe.cpp:400", f"{name}\tforward: {mean(forward.layer_ms[node.index])}.")
        log.info("caffe.cpp:403", f"{name}\tbackward: {mean(backward.layer_ms[node.index])}.")
    log.info("caffe.cpp:408", f"Average Forward pass: {mean(forward.total_ms)}.")
    log.info("caffe.cpp:410", f"Average Backward pass: {mean(backward.total_ms)}.")
    both = forward.total_ms + backward.total_ms
    log.info("caffe.cpp:412", f"Average Forward-Backward: {mean(both)}.")
    log.info("caffe.cpp:414", f"Total Time: {log.number(both)} ms.")
    log.info("caffe.cpp:415", "*** Benchmark ends ***")
    if both:
        layers = sum(forward.layer_ms.values()) + sum(backward.layer_ms.values())
        log.info(
            "time.py:0",
            f"The layers add up to {mean(layers)}, "
            f"{layers / both:.1%} of Average Forward-Backward.",
        )


def time_and_log_whole(
    setup: Setup, timed: LayerwiseEngine, iterations: int, watch: Watch
) -> float | None:
    """Time passes as a training or test runs them; log and return their mean in milliseconds.

    None, and no line, if such passes go layer by layer, too, as those of ``timed``.
    """
    if layerwise_obstacle(timed.graph):
        return None
    engine = open_graph(timed.graph, setup=setup, share=timed.arena)
    divide(engine, torch.get_num_threads())
    ms = time_whole(engine, iterations, watch)
    command = "test" if engine.graph.phase == TEST else "train"
    log.info(
        "time.py:0", f"All layers in one go, as caffepy {command} runs them: {log.number(ms)} ms."
    )
    log.info("time.py:0", f"That is no sum of the times above: {_differences(engine)}.")
    return ms


def _differences(engine: Engine) -> str:
    """What passes in one go do differently from those layer by layer, in words."""
    words = ["no blob is kept for looking at"]
    if engine.channels_last:
        words.append("pictures have their channels last in memory")
    if replays(engine):
        words.append(_recordings(engine))
    elif hookable(engine) and engine.in_parts is not None:
        words.append("each thread takes a part of the batch through all layers")
    else:
        words.append("layers are joined where that is faster")
    return ", ".join(words)


def _recordings(engine: CapturedEngine) -> str:
    """What a GPU replays of a net, in words."""
    if engine.obstacle:
        return f"a GPU replays no recording, as {engine.obstacle}"
    if not engine.partitions:
        return "a GPU replays one recording"
    pieces = f"{len(engine.partitions)} pieces" if len(engine.partitions) > 1 else "one piece"
    return f"a GPU replays {pieces} of it, as {engine.apart}"


def time_whole(engine: Engine, iterations: int, watch: Watch) -> float:
    """Mean milliseconds of ``iterations`` passes (at least 1), after one that is not timed.

    A pass includes backward if the net is one to train.
    """

    def run() -> None:
        engine.clear_gradients()
        if engine.graph.phase == TEST:
            forward(engine)
        else:
            engine.forward_backward()

    with engine.frozen():
        run()
        started = watch.mark()
        for _ in range(iterations):
            run()
        return watch.ms(started, watch.mark()) / iterations


class Laps:
    """Times of passes in one direction.

    ``layer_ms``: of each layer, by its index, over all passes. ``total_ms``: of all passes.
    """

    def __init__(self, watch: Watch) -> None:
        self.layer_ms: defaultdict[int, float] = defaultdict(float)
        self.total_ms = 0.0
        self.passes = 0
        self._watch = watch
        self._marks: list[tuple[int, Mark]] = []

    def measure(self, run: Callable[[], object]) -> None:
        """Time a pass, which calls `around` before and after each layer."""
        self._marks.clear()
        started = self._watch.mark()
        run()
        self.total_ms += self._watch.ms(started, self._watch.mark())
        self.passes += 1
        for (layer, begun), (_, done) in zip(self._marks[::2], self._marks[1::2]):
            self.layer_ms[layer] += self._watch.ms(begun, done)

    @property
    def mean_ms(self) -> float:
        """The mean time of a pass."""
        return self.total_ms / self.passes

    def around(self, node: Node, done: bool) -> None:
        """Called by the engine before and after each layer."""
        self._marks.append((node.index, self._watch.mark()))


@dataclass(frozen=True)
class Mark:
    """A moment.

    ``seconds``: of the host's clock. ``event``: on a GPU, reached when the work given so far is
    done.
    """

    seconds: float
    event: torch.cuda.Event | None = None


class Watch:
    """Takes times on a device."""

    def __init__(self, device: torch.device) -> None:
        self._device = device

    def mark(self) -> Mark:
        """Now; on a GPU, the moment when it has done all the work given to it so far."""
        if self._device.type != "cuda":
            return Mark(time.perf_counter())
        event = torch.cuda.Event(enable_timing=True)
        event.record(torch.cuda.current_stream(self._device))
        return Mark(time.perf_counter(), event)

    def ms(self, begun: Mark, done: Mark) -> float:
        """Milliseconds from ``begun`` to ``done``; waits for a GPU to reach it."""
        if begun.event is None or done.event is None:
            return (done.seconds - begun.seconds) * 1000.0
        done.event.synchronize()
        return float(begun.event.elapsed_time(done.event))
