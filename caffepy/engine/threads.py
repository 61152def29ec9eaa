"""How many of torch's threads a pass is worth.

To wake a thread takes as long as some small layers.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import torch

from caffepy.net.graph import Graph

WORTH_WAKING = 40_000_000
"""FLOPs of a layer that two threads compute sooner than one, if one has to be woken for it."""
WORTH_SHARING = 25_000_000
"""The same if the second still looks for work for a moment (`waiting`; tools/bench/NOTES.md)."""


def is_small(graph: Graph, device: torch.device) -> bool:
    """Whether one thread is the fastest for a forward pass on the CPU.

    It is where layers compute little, none is a user's own, and threads sleep between them, at once
    or after a moment, as the environment has it.
    """
    asleep = os.environ.get("OMP_WAIT_POLICY", "").upper() == "PASSIVE"
    worth = WORTH_SHARING if os.environ.get("GOMP_SPINCOUNT", "0") != "0" else WORTH_WAKING
    if not asleep or device.type != "cpu" or any(node.type == "Python" for node in graph.nodes):
        return False
    shapes = [value.shape for value in graph.values]
    each_flops = [
        node.layer.flops([shapes[v] for v in node.bottoms], [shapes[v] for v in node.tops])
        for node in graph.nodes
    ]
    computing = [flops for flops in each_flops if flops]
    return bool(computing) and sum(computing) < worth * len(computing)


@contextmanager
def one_thread() -> Iterator[None]:
    """Torch computes inside on the thread of the caller alone."""
    usual = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(usual)
