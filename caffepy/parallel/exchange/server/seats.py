"""Who does what for a table of a parameter server, where ranks come in groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from caffepy.errors import ParallelError
from caffepy.parallel.collective.tree import Place, place_in_tree


@dataclass(frozen=True)
class Seat:
    """``owner``: the rank that updates the table. ``agents``: a rank of each group, which deals with the owner; the owner is one.

    ``agent``: of the group of the rank that asks, ``group``: that group's ranks, ``place``: that rank's in the tree below its agent.
    """

    owner: int
    agents: tuple[int, ...]
    agent: int
    group: tuple[int, ...]
    place: Place


def group_up(order: Sequence[int], count: int) -> list[tuple[int, ...]]:
    """``count`` groups of neighbours in ``order``; 0: each rank is one.  ParallelError if they would not be equal."""
    count = count or len(order)
    if len(order) % count:
        fitting = ", ".join(
            str(number) for number in range(1, len(order) + 1) if len(order) % number == 0
        )
        raise ParallelError(
            f"-n_group {count}: {len(order)} ranks make no equal groups; needed: one of {fitting}"
        )
    length = len(order) // count
    return [tuple(order[start : start + length]) for start in range(0, len(order), length)]


def take_seat(groups: Sequence[Sequence[int]], rank: int, server: int) -> Seat:
    """The seat of ``rank`` at the tables of the ``server``-th server: servers go round the groups, then on to their next ranks."""
    agents = tuple(group[server // len(groups) % len(group)] for group in groups)
    mine = next(number for number, group in enumerate(groups) if rank in group)
    agent, group = agents[mine], tuple(groups[mine])
    below = [agent, *(member for member in group if member != agent)]
    return Seat(agents[server % len(groups)], agents, agent, group, place_in_tree(below, rank))


def divide(sizes: Sequence[int], servers: int) -> list[int]:
    """A server for each size, so that their sums are about equal: the largest first, each to the server that has least."""
    loads, owners = [0] * servers, [0] * len(sizes)
    for index in sorted(range(len(sizes)), key=lambda index: -sizes[index]):
        owners[index] = loads.index(min(loads))
        loads[owners[index]] += sizes[index]
    return owners
