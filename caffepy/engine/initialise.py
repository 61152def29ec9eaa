"""First values of a net: fillers and seeds drawn from the random stream in the order of its layers."""

from __future__ import annotations

import torch

from caffepy.engine.arena import Arena
from caffepy.layers.fillers import fill
from caffepy.layers.random import CaffeRandom
from caffepy.net.graph import Graph, Node


def initialise(graph: Graph, arena: Arena, random: CaffeRandom) -> None:
    """Seed the sources of ``graph`` and fill its parameters, layer by layer.

    A parameter that is shared, or lives in another net's arena (a test net on trained layers), is drawn and thrown away,
    as Caffe does, so that the stream goes on from the same place.
    """
    for node in graph.nodes:
        if node.index in graph.sources:
            graph.sources[node.index].seed(random)
        _fill(node, graph, arena, random)


def _fill(node: Node, graph: Graph, arena: Arena, random: CaffeRandom) -> None:
    for index in node.params:
        param = graph.params[index]
        owned = param.owner == index and index not in arena.borrowed
        target = arena.data[index].detach() if owned else torch.empty(param.shape)
        if param.spec.filler is not None:
            fill(target, param.spec.filler, random)
        elif owned and param.spec.values is not None:
            target.copy_(torch.from_numpy(param.spec.values))
        elif owned:
            target.fill_(param.spec.constant)
