from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from caffepy.parallel.exchange.core.network import Link, Network
from caffepy.parallel.factors.factors import Product, sent_bytes
from caffepy.parallel.predict.cluster_spec import Cluster, parse_cluster
from caffepy.parallel.predict.polling import PollDelays
from caffepy.parallel.predict.prediction import Costs, LayerCost, Way, factors_stage, predict, recommend, ways

CONV = LayerCost(0.2, 0.4, ((1 << 18,), (64,)))
PRODUCT = LayerCost(0.05, 0.1, ((4096, 4096), (4096,)), Product(16, 4096, 4096))
COSTS = Costs((CONV, LayerCost(0.01, 0.02), PRODUCT), update_s=1e-10, processor=1e12)
SLOW = Cluster(Link(0.0, 1e7), Link(0.0, 1e12), 1)


def seconds(exchange: str, *, lazy: bool = False, svb: bool = False, cluster: Cluster = SLOW, size: int = 2) -> float:
    return predict(COSTS, cluster, size, Way(exchange, lazy, svb))


def test_a_process_alone() -> None:
    assert COSTS.alone_s == pytest.approx(0.78 + 4e-10 * (4096 * 4097 + (1 << 18) + 64))


@pytest.mark.parametrize("way", ways(), ids=lambda way: way.flags)
def test_links_without_limit_cost_nothing(way: Way) -> None:
    fast = Cluster(Link(0.0, 1e15), Link(0.0, 1e15), 2)
    assert predict(COSTS, fast, 4, way) == pytest.approx(COSTS.alone_s, rel=0.02)


@pytest.mark.parametrize("way", ways(), ids=lambda way: way.flags)
def test_no_job_is_faster_than_so_many_ranks_alone(way: Way) -> None:
    """An update that goes on beside the rest of the backward pass, on links that take nothing: servers do not hide it."""
    costs = Costs((LayerCost(0.02, 0.02), LayerCost(0.001, 0.001, ((1 << 20,),))), update_s=1e-9, processor=1e12)
    fast = Cluster(Link(0.0, 1e15), Link(0.0, 1e15), 2)
    assert predict(costs, fast, 4, way) >= costs.alone_s


@pytest.mark.parametrize("size", [2, 4, 16])
def test_a_ring_that_is_slow_takes_its_bytes(size: int) -> None:
    n_bytes = 4 * (4096 * 4097 + (1 << 18) + 64)
    transfer = 2 * (size - 1) / size * n_bytes / 1e7
    # the forward pass, and what of the backward pass comes before the first bucket; behind it all, the update
    expected = 0.26 + 0.1 + transfer + n_bytes * 1e-10
    assert seconds("allreduce", size=size) == pytest.approx(expected, rel=0.01)


def test_a_transfer_as_long_as_the_rest_of_backward_is_hidden() -> None:
    wide = replace(SLOW, between=Link(0.0, 4 * 4096 * 4097 / 0.3))
    assert seconds("allreduce", cluster=wide) == pytest.approx(COSTS.alone_s, rel=0.03)


def test_lazy_updates_hide_behind_the_next_forward() -> None:
    wide = replace(SLOW, between=Link(0.0, 4 * 4096 * 4097 / 0.6))
    assert seconds("allreduce", lazy=True, cluster=wide) < seconds("allreduce", cluster=wide) - 0.1


def test_factors_go_round_all_ranks() -> None:
    product = Product(16, 4096, 1000)
    stage = factors_stage(Network([range(2), range(2, 4)], Link(0.0, 1.0), Link(0.0, 1e12)), product)
    assert stage.loads["out"] == sent_bytes(product, 4, 1) == 3 * 4 * 16 * (4096 + 1000)


def test_factors_where_the_link_is_slow_only() -> None:
    assert seconds("allreduce", svb=True) < 0.3 * seconds("allreduce")
    fast = replace(SLOW, between=Link(0.0, 1e14))
    assert seconds("allreduce", svb=True, cluster=fast) == seconds("allreduce", cluster=fast)


def test_ranks_of_a_host_share_its_link() -> None:
    pairs = replace(SLOW, ranks_per_host=2)
    assert seconds("hierarchical", cluster=pairs, size=4) == pytest.approx(seconds("allreduce", size=2), rel=0.02)
    assert seconds("hierarchical", cluster=pairs, size=4) < 0.8 * seconds("allreduce", cluster=pairs, size=4)


def test_a_tree_and_an_owner_send_everything_to_each_child() -> None:
    assert seconds("tree", size=16) > 3 * seconds("allreduce", size=16)
    assert seconds("ps", size=16) > 5 * seconds("allreduce", size=16)


def test_more_ranks_are_never_faster() -> None:
    cluster = parse_cluster("10gbe,ranks_per_host=4")
    for way in [way for way in ways() if not (way.svb or way.groups)]:  # what travels, and between whom, depends on the size
        found = [predict(COSTS, cluster, size, way) for size in cluster.sizes()]
        assert all(later >= 0.98 * earlier for earlier, later in pairwise(found)), way.flags


def test_one_server_is_the_bottleneck() -> None:
    even = replace(COSTS, layers=(replace(CONV, forward_s=0.001, backward_s=0.002),) * 8)
    found = {servers: predict(even, SLOW, 8, Way("ps", servers=servers)) for servers in (0, 1, 2, 8)}
    assert found[1] > 1.8 * found[2] > 3 * found[8]
    assert found[8] == found[0]


def test_what_may_be_late_is_hidden() -> None:
    n_bytes = 4 * (4096 * 4097 + (1 << 18) + 64)
    wide = replace(SLOW, between=Link(0.0, n_bytes / 0.7))  # a transfer takes nearly as long as the passes, in each direction
    assert predict(COSTS, wide, 2, Way("ps")) > 1.2 * COSTS.alone_s
    assert predict(COSTS, wide, 2, Way("ps", staleness=1)) == pytest.approx(COSTS.alone_s + n_bytes * 1e-10, rel=0.02)
    # and a link that cannot carry it remains one
    assert predict(COSTS, SLOW, 2, Way("ps", staleness=1)) > 1.8 * n_bytes / 1e7


def test_groups_have_equal_sizes() -> None:
    way = Way("ps", groups=2, staleness=1)
    assert [size for size in range(1, 9) if way.fits(size)] == [2, 4, 6, 8]
    assert way.flags == "-exchange ps -n_group 2 -table_staleness 1"


def test_messages_wait_for_a_rank_that_looks_seldom() -> None:
    lazy_eyes = replace(COSTS, polling=PollDelays(0.05, 0.02))
    assert predict(lazy_eyes, SLOW, 2, Way("allreduce")) > predict(COSTS, SLOW, 2, Way("allreduce")) + 0.02


def test_ranks_that_share_cores_take_turns_at_messages() -> None:
    busy = Cluster(Link(0.0, 1e9, 5e-9), Link(0.0, 1e12), 2, cores=2)
    assert predict(COSTS, replace(busy, cores=1), 4, Way("hierarchical")) > predict(COSTS, busy, 4, Way("hierarchical")) + 0.05
    assert COSTS.slowed(2.0).alone_s == pytest.approx(2 * COSTS.alone_s)


def test_a_root_has_its_core_while_the_others_sleep() -> None:
    """Of 16 ranks on 4 cores' worth of time, a tree's root does eight times what the others do in the mean, so that it is hardly slower."""
    costs = Costs((LayerCost(1e-6, 1e-6, ((1 << 20,),)),), 0.0, 1e12, PollDelays(0.0, 0.0))
    one = Cluster(Link(0.0, 1e15, 1e-9), Link(0.0, 1e15), 1)
    found = {(way, crowd): predict(costs, replace(one, cores=1 / crowd), 16, Way(way)) for way in ("allreduce", "tree") for crowd in (1, 4)}
    assert found["allreduce", 4] == pytest.approx(4 * found["allreduce", 1], rel=0.01)
    assert found["tree", 4] == pytest.approx(found["tree", 1], rel=0.01)


def test_a_simple_way_is_recommended_unless_another_is_faster() -> None:
    assert recommend([1.01, 1.0, 5.0]) == 0
    assert recommend([1.03, 1.0, 5.0]) == 1
    assert ways()[0] == Way("allreduce")
    assert Way("hierarchical", lazy=True, svb=True).flags == "-exchange hierarchical -svb auto -lazy_update"


def test_a_net_without_parameters() -> None:
    assert predict(Costs((LayerCost(0.1, 0.2),), 0.0, 1e9), SLOW, 2, Way("allreduce")) == pytest.approx(0.3)
