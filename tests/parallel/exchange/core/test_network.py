"""The model asks of the links what the exchanges' own formulas say."""

from __future__ import annotations

import pytest

from caffepy.parallel.exchange.core.base import Serving
from caffepy.parallel.exchange.core.network import Link, Load, Network, Stage
from caffepy.parallel.exchange.core.registry import EXCHANGES

BYTES = 1 << 20
LINK = Link(0.0, 1.0)  # a byte a second


INSIDE = Link(0.0, 1e12)


def model(
    name: str, network: Network, *, buckets: int = 1, number: int = 0, serving: Serving | None = None, update_s: float = 2.0
) -> list[Stage]:
    """The stages of one of ``buckets``."""
    stages = EXCHANGES[name].model(network, [BYTES] * buckets, serving or Serving())
    return stages(Load(number, BYTES, 1, update_s))


def stages(groups: list[range], exchange: str) -> list[Stage]:
    return model(exchange, Network(groups, LINK, INSIDE))


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
    network = Network(groups, LINK, Link(0.0, 1.0))
    inside, gather, tell, down = model("ps", network, buckets=count, serving=Serving(groups=count))
    assert inside.loads == {"inside": pytest.approx(2 * (ranks - 1) / ranks * BYTES)}
    assert gather.loads == {"in 0": (count - 1) * BYTES, **{f"out {host}": BYTES for host in range(1, count)}}
    assert tell.loads["out 0"] == (count - 1) * BYTES
    assert gather.then_s == 2.0
    assert down.loads == {"inside out": (ranks - 1).bit_length() * BYTES}


def test_groups_across_hosts_use_the_link() -> None:
    network = Network(hosts(4, 1), LINK, INSIDE)
    ring, gather, _, down = model("ps", network, buckets=2, number=1, serving=Serving(groups=2))
    assert ring.loads == {"out": BYTES}
    assert gather.loads == {"in 2": BYTES, "out 0": BYTES}  # the second server is in the second group
    assert down.loads == {"out": BYTES}


def test_a_server_alone_works_for_all() -> None:
    network = Network(hosts(4, 1), Link(0.0, 1.0, 1.0), Link(0.0, 1.0))
    alone, among = (model("ps", network, buckets=4, serving=Serving(servers=servers))[0] for servers in (1, 4))
    assert alone.processor == 4 * among.processor == 3 * BYTES


def test_on_one_host_nothing_leaves_it() -> None:
    for exchange in ("allreduce", "hierarchical", "tree"):
        assert all(set(stage.loads) <= {"inside", "inside in", "inside out"} for stage in stages(hosts(1, 4), exchange))
