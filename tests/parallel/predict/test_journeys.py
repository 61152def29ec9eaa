"""The model asks of the links what the exchanges' own formulas say."""

from __future__ import annotations

import pytest

from caffepy.parallel.exchange import EXCHANGES
from caffepy.parallel.factors.factors import Product, sent_bytes
from caffepy.parallel.predict.cluster_spec import Link
from caffepy.parallel.predict.journeys import Journeys
from caffepy.parallel.predict.wire_model import Stage

BYTES = 1 << 20
LINK = Link(0.0, 1.0)  # a byte a second


def stages(groups: list[range], exchange: str) -> list[Stage]:
    return Journeys(groups, LINK, Link(0.0, 1e12), keepers=[0]).bucket(exchange, BYTES, 1, keeper=0, update_s=2.0)


def hosts(count: int, ranks: int) -> list[range]:
    return [range(first, first + ranks) for first in range(0, count * ranks, ranks)]


def leaving(ring: list[int], host: range) -> float:
    """Bytes that leave ``host`` while each chunk goes once round the ring to be added up and once to be told, counted step by step."""
    left = 0.0
    for _ in range(2 * (len(ring) - 1)):
        for place, rank in enumerate(ring):
            if rank in host and ring[(place + 1) % len(ring)] not in host:
                left += BYTES / len(ring)
    return left


@pytest.mark.parametrize("exchange", ["allreduce", "hierarchical"])
@pytest.mark.parametrize(("count", "ranks"), [(2, 1), (2, 2), (4, 1), (8, 4)])
def test_rings(exchange: str, count: int, ranks: int) -> None:
    groups = hosts(count, ranks)
    (stage,) = stages(groups, exchange)
    ring = [rank for group in groups for rank in group] if exchange == "allreduce" else [group[0] for group in groups]
    assert stage.loads["out"] == pytest.approx(leaving(ring, groups[0]))
    assert EXCHANGES[exchange].link_bytes(BYTES, groups) == stage.loads["out"]
    assert stage.then_s == 0.0  # every rank updates, when it is told to


@pytest.mark.parametrize(("count", "ranks"), [(2, 1), (2, 2), (4, 1), (8, 4)])
def test_a_tree_goes_up_updates_and_comes_down(count: int, ranks: int) -> None:
    up, down = stages(hosts(count, ranks), "tree")
    expected = EXCHANGES["tree"].link_bytes(BYTES, hosts(count, ranks))
    assert (up.loads["link in"], down.loads["link out"]) == (expected, expected)
    assert up.then_s >= 2.0


@pytest.mark.parametrize(("count", "ranks"), [(2, 1), (2, 2), (4, 1), (8, 4)])
def test_an_owner_takes_and_gives(count: int, ranks: int) -> None:
    size = count * ranks
    gather, tell = stages(hosts(count, ranks), "ps")
    assert gather.loads == {"in 0": pytest.approx((size - ranks) * BYTES)}
    assert tell.loads == {"out 0": pytest.approx((size - ranks) * BYTES)}
    # when each host owns as much: a host's own buckets, and its ranks' gradients for the others'
    whole = (size - ranks) * BYTES / count + ranks * BYTES * (count - 1) / count
    assert whole == pytest.approx(EXCHANGES["ps"].link_bytes(BYTES, hosts(count, ranks)))


def test_a_tree_of_puts_moves_the_same_bytes() -> None:
    for plain, put in zip(stages(hosts(2, 2), "tree"), stages(hosts(2, 2), "rma_tree"), strict=True):
        assert put.loads == plain.loads
        assert (put.hops > plain.hops, put.then_s) == (True, plain.then_s)


@pytest.mark.parametrize(("count", "ranks"), [(2, 2), (4, 2), (2, 4)])
def test_groups_of_a_host_send_their_sums_only(count: int, ranks: int) -> None:
    groups = hosts(count, ranks)
    journeys = Journeys(groups, LINK, Link(0.0, 1.0), keepers=range(count), teams=groups)
    inside, gather, tell, down = journeys.bucket("ps", BYTES, 1, keeper=0, update_s=2.0)
    assert inside.loads == {"inside": pytest.approx(2 * (ranks - 1) / ranks * BYTES)}
    assert gather.loads == {"in 0": (count - 1) * BYTES, **{f"out {host}": BYTES for host in range(1, count)}}
    assert tell.loads["out 0"] == (count - 1) * BYTES
    assert gather.then_s == 2.0
    assert down.loads == {"inside out": (ranks - 1).bit_length() * BYTES}


def test_groups_across_hosts_use_the_link() -> None:
    journeys = Journeys(hosts(4, 1), LINK, Link(0.0, 1e12), keepers=[0, 1], teams=[(0, 1), (2, 3)])
    ring, gather, _, down = journeys.bucket("ps", BYTES, 1, keeper=1, update_s=0.0)
    assert ring.loads == {"out": BYTES}
    assert gather.loads == {"in 2": BYTES, "out 0": BYTES}  # the second server is in the second group
    assert down.loads == {"out": BYTES}


def test_a_server_alone_works_for_all() -> None:
    alone, among = (
        Journeys(hosts(4, 1), Link(0.0, 1.0, 1.0), Link(0.0, 1.0), keepers=keepers).bucket("ps", BYTES, 1, keeper=0, update_s=0.0)[0]
        for keepers in ([0], [0, 1, 2, 3])
    )
    assert alone.processor == 4 * among.processor == 3 * BYTES


def test_factors_go_round_all_ranks() -> None:
    product = Product(16, 4096, 1000)
    (stage,) = Journeys(hosts(2, 2), LINK, Link(0.0, 1e12), keepers=[]).factors(product)
    assert stage.loads["out"] == sent_bytes(product, 4, 1) == 3 * 4 * 16 * (4096 + 1000)


def test_on_one_host_nothing_leaves_it() -> None:
    for exchange in ("allreduce", "hierarchical", "tree"):
        assert all(set(stage.loads) <= {"inside", "inside in", "inside out"} for stage in stages(hosts(1, 4), exchange))
