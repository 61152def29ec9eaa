from __future__ import annotations

import pytest

from caffepy.errors import ParallelError
from caffepy.parallel.collective.tree import Place
from caffepy.parallel.exchange.server.roles import divide, group_up, roles_of, round_hosts

GROUPS = [(0, 1, 2), (3, 4, 5)]


def test_owners_carry_about_the_same() -> None:
    assert divide([10, 40, 20, 30], 2) == [1, 0, 1, 1] or divide([10, 40, 20, 30], 2) == [0, 0, 1, 1]
    assert divide([5, 5, 5], 1) == [0, 0, 0]
    assert sorted(divide([7] * 6, 3)) == [0, 0, 1, 1, 2, 2]


def test_groups_are_neighbours() -> None:
    assert group_up([0, 2, 1, 3], 2) == [(0, 2), (1, 3)]
    assert group_up([0, 2, 1], 0) == [(0,), (2,), (1,)]
    with pytest.raises(ParallelError, match="-n_group 4: 6 ranks make no equal groups; needed: one of 1, 2, 3, 6"):
        group_up(range(6), 4)


def test_servers_go_round_the_groups() -> None:
    assert [roles_of(GROUPS, 0, server).owner for server in range(6)] == [0, 3, 1, 4, 2, 5]


def test_the_owner_is_the_agent_of_its_group() -> None:
    for server in range(6):
        roles = [roles_of(GROUPS, rank, server) for rank in range(6)]
        assert all(one.owner in one.agents and one.agents == roles[0].agents for one in roles)
        for rank, one in enumerate(roles):
            assert one.agent in one.group
            assert rank in one.group
            assert (one.place.parent is None) == (rank == one.agent)
    assert roles_of(GROUPS, 4, 3).place == Place(None, (3, 5)), "the agent tells the others"


def test_owners_begin_with_different_agents() -> None:
    groups = [(rank,) for rank in range(5)]
    assert roles_of(groups, 0, 2).others == (3, 4, 0, 1)
    for turn in zip(*(roles_of(groups, 0, server).others for server in range(5))):
        assert sorted(turn) == [0, 1, 2, 3, 4], "each is asked by one owner at a time"
    assert roles_of(GROUPS, 4, 3).others == (1,)
    assert roles_of([(0, 1)], 0, 0).others == ()


def test_few_servers_are_on_many_hosts() -> None:
    hosts = [(0, 1, 2, 3), (4, 5, 6, 7)]
    ranks = round_hosts(group_up(range(8), 0), hosts)
    assert [roles_of(ranks, 0, server).owner for server in range(4)] == [0, 4, 1, 5]
    assert round_hosts(group_up(range(8), 4), hosts) == [(0, 1), (4, 5), (2, 3), (6, 7)]
    assert round_hosts(group_up(range(8), 2), hosts) == hosts
