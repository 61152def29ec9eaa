"""First values of a net's parameters, and seeds of its sources.

They are drawn from the random stream in the order of the layers.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch

from caffepy.engine.arena import Arena
from caffepy.engine.node_errors import node_errors
from caffepy.layers.core.fillers import fill
from caffepy.layers.core.own_stream import OwnStreamLayer
from caffepy.layers.core.random import CaffeRandom
from caffepy.net.graph import Graph, Node
from caffepy.proto.weights import layers_in


def initialise(
    graph: Graph, arena: Arena, random: CaffeRandom, *, weights: Sequence[str] = ()
) -> None:
    """Seed the sources and streams of ``graph`` and fill its parameters, layer by layer.

    For a parameter that is shared, or whose memory is in another net's arena (a test net on trained
    layers), numbers are drawn and thrown away, as in Caffe, so that the stream goes on from the
    same place. If nobody seeded the stream its place does not matter, and 60 million numbers take a
    second. Then nothing is drawn for such parameters, nor for those that the files ``weights`` will
    overwrite.
    """
    left = set() if random.seeded else {name for file in weights for name in layers_in(file)}
    for node in graph.nodes:
        if node.index in graph.sources:
            with node_errors(node):
                graph.sources[node.index].seed(random)
        if isinstance(node.layer, OwnStreamLayer):
            node.layer.seed = random.draw()
        if node.name in left:
            left.remove(node.name)  # another layer of that name keeps its first values
        else:
            _fill(node, graph, arena, random)


def _fill(node: Node, graph: Graph, arena: Arena, random: CaffeRandom) -> None:
    for index in node.params:
        param = graph.params[index]
        owned = param.owner == index and index not in arena.borrowed
        if not (owned or random.seeded):
            continue
        target = arena.data[index].detach() if owned else torch.empty(param.shape)
        if param.spec.filler is not None:
            with node_errors(node):
                fill(target, param.spec.filler, random)
        elif owned and param.spec.values is not None:
            target.copy_(torch.from_numpy(param.spec.values))
        elif owned:
            target.fill_(param.spec.constant)
    for slot in node.layer.quirks.drawn_again if random.seeded else ():
        param = graph.params[node.params[slot]]
        if param.spec.filler is not None:
            fill(torch.empty(param.shape), param.spec.filler, random)
