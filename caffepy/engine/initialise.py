"""First values of a net: fillers and seeds drawn from the random stream in the order of its layers."""

from __future__ import annotations

import torch

from caffepy.engine.arena import Arena
from caffepy.layers.fillers import fill
from caffepy.layers.random import CaffeRandom
from caffepy.net.graph import Graph, Node


def initialise(graph: Graph, arena: Arena, random: CaffeRandom, *, fill_owned: bool = True) -> None:
    """Seed the sources of ``graph`` and fill its parameters, layer by layer.

    A shared parameter is drawn and thrown away, as Caffe does, so that the stream goes on from the same place.
    ``fill_owned`` False: draw for every parameter but keep the arena's values (a test net on trained layers).
    """
    for node in graph.nodes:
        if node.index in graph.sources:
            graph.sources[node.index].seed(random)
        _fill(node, graph, arena, random, fill_owned)


def _fill(node: Node, graph: Graph, arena: Arena, random: CaffeRandom, fill_owned: bool) -> None:
    for index in node.params:
        param = graph.params[index]
        owned = fill_owned and param.owner == index
        target = arena.data[index].detach() if owned else torch.empty(param.shape)
        if param.spec.filler is not None:
            fill(target, param.spec.filler, random)
        elif owned:
            target.fill_(param.spec.constant)
