"""How much the layers of a net compute."""

from __future__ import annotations

from collections.abc import Sequence

from caffepy.net.graph import Graph, Node


def compute_little(nodes: Sequence[Node], graph: Graph, flops: int) -> bool:
    """Whether those of ``nodes`` that compute at all take fewer ``flops`` in the mean.

    False where none computes.
    """
    shapes = [value.shape for value in graph.values]
    each_flops = [
        node.layer.flops([shapes[v] for v in node.bottoms], [shapes[v] for v in node.tops])
        for node in nodes
    ]
    computing = [each for each in each_flops if each]
    return bool(computing) and sum(computing) < flops * len(computing)
