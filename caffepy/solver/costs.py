"""What an iteration of a net costs one rank, as the prediction of a cluster needs it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from statistics import median

from caffepy.engine.arena import Arena
from caffepy.net.graph import Graph
from caffepy.parallel.factors.choice import product_speed
from caffepy.parallel.factors.factors import Product
from caffepy.parallel.predict.polling import PollDelays
from caffepy.parallel.predict.prediction import Costs, LayerCost
from caffepy.proto import caffe_pb2
from caffepy.solver.updating.factors import candidates
from caffepy.solver.updating.updater import Updater

UPDATES = 3


def costs_of(
    graph: Graph,
    arena: Arena,
    forward_ms: Mapping[int, float],
    backward_ms: Mapping[int, float],
    *,
    whole_ms: float,
    polling: PollDelays,
) -> Costs:
    """Costs from each node's measured times, which are scaled so that all together take ``whole_ms``.  The update is that of SGD with
    momentum, measured on zeros of the size of the gradients."""
    scale = whole_ms / 1e3 / (sum(forward_ms.values()) + sum(backward_ms.values()))
    learned = {
        index
        for index, tensor in zip(graph.learnable, arena.learnable)
        if tensor.requires_grad and graph.params[index].lr_mult
    }
    products = {
        candidate.node.index: candidate.product
        for candidate in candidates(graph, range(len(graph.learnable)))
    }
    layers, seen = [], set()
    for node in graph.nodes:
        owners = [graph.params[index].owner for index in node.params]
        fresh = [owner for owner in dict.fromkeys(owners) if owner in learned and owner not in seen]
        seen.update(fresh)
        product = products.get(node.index) if owners and owners[0] in fresh else None
        shapes = tuple(graph.params[owner].shape for owner in fresh)
        layers.append(
            LayerCost(
                scale * forward_ms.get(node.index, 0.0),
                scale * backward_ms.get(node.index, 0.0),
                shapes,
                product,
            )
        )
    largest = max(
        products.values(),
        key=lambda product: product.inputs * product.outputs,
        default=Product(1, 1, 1),
    )
    n_bytes = 4 * sum(tensor.numel() for tensor in arena.learnable)
    return Costs(tuple(layers), _update_s(arena) / max(1, n_bytes), product_speed(largest), polling)


def _update_s(arena: Arena) -> float:
    """Seconds of an update of everything, at a rate of 0."""
    updater = Updater(caffe_pb2.SolverParameter(momentum=0.9, weight_decay=0.0005), arena)
    gradients = list(arena.flat.like().views)
    seconds = []
    for _ in range(UPDATES):
        began = time.perf_counter()
        updater.apply(gradients, 0.0, 0)
        seconds.append(time.perf_counter() - began)
    return median(seconds)
