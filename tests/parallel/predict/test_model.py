"""What the models of the exchanges say of many hosts: beside the bytes that ranks really send, and closed forms."""

from __future__ import annotations

from collections import Counter

import pytest

from caffepy.parallel.exchange.core.base import Serving
from caffepy.parallel.exchange.core.network import Link, Load, Network
from caffepy.parallel.exchange.core.registry import EXCHANGES
from caffepy.parallel.predict.cluster_spec import Cluster
from caffepy.parallel.predict.polling import PollDelays
from caffepy.parallel.predict.prediction import Costs, LayerCost, Way, predict
from caffepy.parallel.transport.communicator import Communicator, count_bytes
from tests.parallel.exchange.nets import Net, make_net
from tests.parallel.ranks import run_ranks


def _sent(net: Net, c: Communicator) -> tuple[int, list[int]]:
    net.iterate(0, c.rank)
    net.exchange.settle()
    return c.traffic.sent_bytes["send"], [count_bytes(bucket.flat) for bucket in net.exchange.buckets]


@pytest.mark.parametrize("name", ["allreduce", "hierarchical", "tree", "rma_tree", "ps"])
@pytest.mark.parametrize("size", [2, 4, 5])
def test_the_busiest_link_carries_what_its_rank_sends(name: str, size: int) -> None:
    results = run_ranks(size, lambda c: _sent(make_net(c, name), c), hosts=[f"h{rank}" for rank in range(size)])
    sizes = results[0][1]
    network = Network([[rank] for rank in range(size)], Link(0.0, 1.0), Link(0.0, 1e12))
    model = EXCHANGES[name].model(network, sizes, Serving())
    out: Counter[str] = Counter()
    for number, n_bytes in enumerate(sizes):
        for stage in model(Load(number, n_bytes, 1)):
            for link, seconds in stage.loads.items():
                out[link] += round(seconds) if "out" in link else 0
    assert max(out.values()) == pytest.approx(max(sent for sent, _ in results), rel=0.02)


def _iteration_s(way: str, size: int, n_bytes: list[int]) -> float:
    """Of a net whose gradients are there at once, in buffers that the link carries in 1 s together."""
    layers = [LayerCost(1e-9, 1e-9, ((n // 4,),)) for n in reversed(n_bytes)]
    costs = Costs(tuple(layers), 0.0, 1e12, PollDelays(0.0, 0.0))
    return predict(costs, Cluster(Link(0.0, float(sum(n_bytes))), Link(0.0, 1e12), 1), size, Way(way))


@pytest.mark.parametrize(("size", "depth"), [(2, 1), (4, 2), (8, 3), (16, 4), (1024, 10)])
def test_one_bucket_goes_up_a_tree_and_comes_down(size: int, depth: int) -> None:
    assert _iteration_s("rma_tree", size, [1 << 20]) == pytest.approx(2 * depth, rel=1e-3)
    behind = sum(range(depth)) / 8  # the last of eight pieces, down to the last rank
    assert _iteration_s("tree", size, [1 << 20]) == pytest.approx(2 * depth + behind, rel=1e-3)


BUCKETS = [264_000, 205_000, 102_000, 10_000]


@pytest.mark.parametrize(("size", "seconds"), [(4, 3.36), (8, 5.36), (16, 7.36)])
def test_buckets_up_and_down_a_tree(size: int, seconds: float) -> None:
    """Of a fluid model of every rank and link, with fair shares for all pairs of ranks: tools/bench/NOTES.md."""
    assert _iteration_s("rma_tree", size, BUCKETS) == pytest.approx(seconds, rel=0.02)


@pytest.mark.parametrize(("size", "seconds"), [(4, 3.02), (8, 4.91), (16, 6.78)])
def test_buckets_up_and_down_a_tree_in_pieces(size: int, seconds: float) -> None:
    """Of the same, where each piece is sent on while the next comes."""
    assert _iteration_s("tree", size, BUCKETS) == pytest.approx(seconds, rel=0.02)


@pytest.mark.parametrize(("size", "seconds"), [(4, 3.07), (8, 6.67), (16, 13.82)])
def test_owners_of_large_and_small_buckets(size: int, seconds: float) -> None:
    assert _iteration_s("ps", size, BUCKETS) == pytest.approx(seconds, rel=0.1)


@pytest.mark.parametrize(("size", "seconds"), [(8, 1.75), (16, 3.75)])
def test_owners_of_equal_buckets_do_not_hinder_each_other(size: int, seconds: float) -> None:
    assert _iteration_s("ps", size, [72_000] * 8) == pytest.approx(seconds, rel=0.02)
