"""Whether a pass is faster on one thread: waking another takes as long as some small layers."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import torch

from caffepy.engine.layer_sizes import compute_little
from caffepy.net.graph import Graph

WORTH_WAKING = 40_000_000
"""From so many FLOPs of a layer on, two threads are faster even if one has to be woken."""
WORTH_SHARING = 25_000_000
"""The same if idle threads stay awake for a moment (GOMP_SPINCOUNT; tools/bench/NOTES.md)."""


def is_small(graph: Graph, device: torch.device) -> bool:
    """Whether one thread is the fastest for a forward pass on the CPU.

    It is if layers compute little, none is written by a user, and the environment has idle threads
    sleep between layers, at once or after a moment.
    """
    asleep = os.environ.get("OMP_WAIT_POLICY", "").upper() == "PASSIVE"
    worth = WORTH_SHARING if os.environ.get("GOMP_SPINCOUNT", "0") != "0" else WORTH_WAKING
    if not asleep or device.type != "cpu" or any(node.type == "Python" for node in graph.nodes):
        return False
    return compute_little(graph.nodes, graph, worth)


def worth_trying(usual: int) -> Sequence[int]:
    """Numbers of threads for a graph of small layers, of which the caller allows ``usual``.

    There are no more than two: they meet after each layer, which takes each some microseconds.
    """
    return (1, 2) if usual > 1 else (1,)


@contextmanager
def same_threads() -> Iterator[int]:
    """A context behind which torch computes on as many threads as before: the number of these."""
    usual = torch.get_num_threads()
    try:
        yield usual
    finally:
        set_threads(usual)


@contextmanager
def one_thread() -> Iterator[None]:
    """A context in which torch computes only on the caller's thread."""
    with same_threads():
        set_threads(1)
        yield


def set_threads(number: int) -> None:
    """Compute on so many threads; if they are others, setting them takes some microseconds.

    Asking first matters in a new thread: torch gives it the number that any thread has set last
    when it computes or is asked for the first time, and not if it is only set.
    """
    if torch.get_num_threads() != number:
        torch.set_num_threads(number)
