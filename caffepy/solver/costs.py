"""What an iteration costs one rank: its times by layer, for the prediction of a cluster."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping
from statistics import median

from caffepy.engine.arena import Arena
from caffepy.net.graph import Graph
from caffepy.parallel.factors.choice import product_speed
from caffepy.parallel.factors.factors import Product
from caffepy.parallel.predict.polling import PollDelays
from caffepy.parallel.predict.prediction import Costs, LayerCost
from caffepy.proto.caffe_pb2 import SolverParameter
from caffepy.solver.updating.factors import candidates
from caffepy.solver.updating.updater import Updater

UPDATES = 3
"""How many updates are timed."""


def costs_of(
    graph: Graph,
    arena: Arena,
    forward_ms: Mapping[int, float],
    backward_ms: Mapping[int, float],
    *,
    whole_ms: float,
    polling: PollDelays,
) -> Costs:
    """Costs from the measured times of each node.

    ``whole_ms``: what all nodes take together; the times are scaled to it.
    The update is that of SGD with momentum, measured with gradients of 0.
    """
    scale = whole_ms / 1e3 / (sum(forward_ms.values()) + sum(backward_ms.values()))
    forward_s, backward_s = (
        {index: scale * ms for index, ms in times.items()} for times in (forward_ms, backward_ms)
    )
    layers = layer_costs(graph, _learned(graph, arena), forward_s, backward_s)
    largest = max(_products(graph).values(), key=_size, default=Product(1, 1, 1))
    n_bytes = 4 * sum(tensor.numel() for tensor in arena.learnable)
    update_s_per_byte = _update_s(arena) / max(1, n_bytes)
    return Costs(layers, update_s_per_byte, product_speed(largest), polling)


def layer_costs(
    graph: Graph,
    learned: Collection[int],
    forward_s: Mapping[int, float],
    backward_s: Mapping[int, float],
) -> tuple[LayerCost, ...]:
    """Each node's times, and of the ``learned`` parameters those whose gradients it completes."""
    products = _products(graph)
    layers = []
    seen: set[int] = set()
    for node in graph.nodes:
        owners = dict.fromkeys(graph.params[index].owner for index in node.params)
        own = [owner for owner in owners if owner in learned and owner not in seen]
        seen.update(own)
        first_is_own = bool(node.params) and graph.params[node.params[0]].owner in own
        layers.append(
            LayerCost(
                forward_s.get(node.index, 0.0),
                backward_s.get(node.index, 0.0),
                tuple(graph.params[owner].shape for owner in own),
                products.get(node.index) if first_is_own else None,
            )
        )
    return tuple(layers)


def _products(graph: Graph) -> dict[int, Product]:
    """By node: what its gradient is the product of."""
    found = candidates(graph, range(len(graph.learnable)))
    return {candidate.node.index: candidate.product for candidate in found}


def _learned(graph: Graph, arena: Arena) -> set[int]:
    """The parameters that a training changes."""
    learned = set()
    for index, tensor in zip(graph.learnable, arena.learnable):
        if tensor.requires_grad and graph.params[index].lr_mult:
            learned.add(index)
    return learned


def _size(product: Product) -> int:
    return product.inputs * product.outputs


def _update_s(arena: Arena) -> float:
    """Seconds of an update of all parameters, at a rate of 0."""
    updater = Updater(SolverParameter(momentum=0.9, weight_decay=0.0005), arena)
    gradients = list(arena.flat.like().views)
    seconds = []
    for _ in range(UPDATES):
        began = time.perf_counter()
        updater.apply(gradients, 0.0, 0)
        seconds.append(time.perf_counter() - began)
    return median(seconds)
