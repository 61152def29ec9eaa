"""Who does what for a table of a parameter server, where ranks come in groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from caffepy.errors import ParallelError
from caffepy.parallel.collective.tree import Place, place_in_tree


@dataclass(frozen=True)
class TableRoles:
    """Who does what for a table.

    ``owner``: the rank that updates it.
    ``agents``: one rank of each group, which deals with the owner; the owner is one of them.
    ``agent``: the one of this rank's group. ``group``: that group's ranks.
    ``place``: this rank's in the tree below its agent.
    """

    owner: int
    agents: tuple[int, ...]
    agent: int
    group: tuple[int, ...]
    place: Place

    @property
    def others(self) -> tuple[int, ...]:
        """The agents that the owner deals with, from the one behind it round to the one before it.

        So the owners of several tables do not all ask the same agent at the same time, whose link
        would carry no more for that.
        """
        behind = self.agents.index(self.owner) + 1
        return (*self.agents[behind:], *self.agents[: behind - 1])


def group_up(order: Sequence[int], count: int) -> list[tuple[int, ...]]:
    """``count`` groups of neighbours in ``order``; 0: each rank is a group.

    Errors: ParallelError if the groups would not be equal.
    """
    count = count or len(order)
    if len(order) % count:
        divisors = [number for number in range(1, len(order) + 1) if len(order) % number == 0]
        fitting = ", ".join(map(str, divisors))
        raise ParallelError(
            f"-n_group {count}: {len(order)} ranks make no equal groups; needed: one of {fitting}"
        )
    length = len(order) // count
    return [tuple(order[start : start + length]) for start in range(0, len(order), length)]


def round_hosts(
    groups: Sequence[tuple[int, ...]], hosts: Sequence[Sequence[int]]
) -> list[tuple[int, ...]]:
    """The ``groups``, those first that begin with the first rank of a host.

    Servers go round them in this order, so that few servers share the links of many hosts.
    """
    place = {rank: number for host in hosts for number, rank in enumerate(host)}
    return sorted(groups, key=lambda group: place[group[0]])


def roles_of(groups: Sequence[Sequence[int]], rank: int, server: int) -> TableRoles:
    """The roles of ``rank`` for the tables of the server with number ``server``.

    Servers go round the groups, then on to the next rank of each.
    """
    agents = tuple(group[server // len(groups) % len(group)] for group in groups)
    mine = next(number for number, group in enumerate(groups) if rank in group)
    agent = agents[mine]
    group = tuple(groups[mine])
    below = [agent, *(member for member in group if member != agent)]
    return TableRoles(
        agents[server % len(groups)], agents, agent, group, place_in_tree(below, rank)
    )


def divide(sizes: Sequence[int], servers: int) -> list[int]:
    """A server for each size, so that the sums of the servers are about equal.

    The largest size is placed first, each at the server that has least.
    """
    loads = [0] * servers
    owners = [0] * len(sizes)
    for index in sorted(range(len(sizes)), key=lambda index: -sizes[index]):
        owners[index] = loads.index(min(loads))
        loads[owners[index]] += sizes[index]
    return owners
