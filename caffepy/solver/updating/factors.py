"""Which InnerProduct layers send their gradients as factors (-svb)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from caffepy import log
from caffepy.engine.engines import Engine, hookable
from caffepy.layers.core.base import count
from caffepy.layers.linear.inner_product import InnerProductLayer
from caffepy.net.graph import Graph, Node
from caffepy.parallel.collective.courier import Courier
from caffepy.parallel.exchange.core.registry import ALONE
from caffepy.parallel.factors.choice import factor_seconds, measure, whole_seconds
from caffepy.parallel.factors.factors import Factors, Product, factored_forward
from caffepy.parallel.job.sharing import Sharing
from caffepy.parallel.transport.communicator import Communicator


@dataclass(frozen=True)
class Candidate:
    """A layer that could send its weights' gradient as factors.

    ``place``: of the weights, among the learnable parameters.
    """

    node: Node
    place: int
    product: Product


def candidates(graph: Graph, places: Sequence[int]) -> list[Candidate]:
    """InnerProduct layers whose weights are at one of ``places`` and belong to no other layer."""
    uses = Counter(graph.params[index].owner for node in graph.nodes for index in node.params)
    suited = []
    for node in graph.nodes:
        layer = node.layer
        if not isinstance(layer, InnerProductLayer) or not node.params:
            continue
        weights = graph.params[node.params[0]].owner
        place = graph.learnable.index(weights)
        if uses[weights] == 1 and place in places and node.backward:
            rows = count(graph.values[node.bottoms[0]].shape, 0, layer.axis)
            product = Product(rows, layer.inputs, layer.num_output, layer.transpose, layer.axis)
            suited.append(Candidate(node, place, product))
    return suited


def choose(
    among: Sequence[Candidate],
    communicator: Communicator,
    courier: Courier,
    sharing: Sharing,
    *,
    passes: int,
) -> list[Candidate]:
    """Those that -svb sends as factors.  ``auto`` measures, and logs what it chose.  Collective."""
    if sharing.factors == "on":
        return list(among)
    chosen = []
    for candidate in among:
        speeds = measure(communicator, courier, candidate.product.rows)
        factors = factor_seconds(candidate.product, speeds, ranks=communicator.size, passes=passes)
        whole = whole_seconds(
            candidate.product, speeds, exchange=sharing.way, groups=communicator.groups
        )
        log.info(
            "factors.py:0",
            f"-svb auto: {candidate.node.name}: factors {factors * 1e3:.3g} ms, "
            f"whole gradient {whole * 1e3:.3g} ms an iteration "
            f"(link {speeds.link / 1e6:.4g} MB/s, {speeds.processor / 1e9:.3g} GFLOP/s)",
        )
        if factors < whole:
            chosen.append(candidate)
    return chosen


def connect(
    engine: Engine,
    places: Sequence[int],
    communicator: Communicator,
    courier: Courier,
    sharing: Sharing,
    *,
    passes: int,
) -> dict[int, Factors]:
    """Choose among the weights at ``places``, and let the engine give their factors; by place.

    None are chosen where the engine shows every gradient, or computes on a GPU.
    """
    if sharing.factors == "off" or sharing.way == ALONE:
        return {}
    if not hookable(engine) or engine.arena.device.type != "cpu":
        return {}
    scale = 1.0 / communicator.size if sharing.average else 1.0
    chosen = choose(candidates(engine.graph, places), communicator, courier, sharing, passes=passes)
    connected: dict[int, Factors] = {}
    for number, candidate in enumerate(chosen):
        factors = Factors(
            candidate.product, communicator, courier, number=number, passes=passes, scale=scale
        )
        if engine.substitute(candidate.node, factored_forward(candidate.product, factors.keep)):
            connected[candidate.place] = factors
    return connected
