"""Divides a net at the layers that need the host.

The layers between these form partitions, each of which is recorded as CUDA graphs of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from caffepy.engine.partition import Partition, Subgraph
from caffepy.engine.plan import Step

LEAST_STEPS = 2
"""A partition has at least this many steps, as replaying a single one saves hardly any time."""

MakePartition = Callable[[Subgraph], Partition]


@dataclass(frozen=True)
class PartitionedPlan:
    """The ``steps`` of a pass; some of them run the ``partitions``."""

    steps: list[Step]
    partitions: list[Partition]


def partitioned(steps: Sequence[Step], make: MakePartition) -> PartitionedPlan:
    """Join each row of ``steps`` that can be recorded to one step.

    Steps whose tops come from outside the net come first. From now on no layer overwrites a bottom
    that was made outside its own row: the recording that made the bottom would lose it.
    """
    inside = [step for step in steps if not step.outside]
    rows: list[list[Step]] = [[]]
    for step in inside:
        if needs_host(step):
            rows.extend(([step], []))
        else:
            rows[-1].append(step)
    home = {value: number for number, row in enumerate(rows) for step in row for value in step.tops}
    ordered = [step for step in steps if step.outside]
    partitions = list[Partition]()
    for row in rows:
        if len(row) < LEAST_STEPS or needs_host(row[0]):
            ordered.extend(row)
            continue
        partitions.append(make(_subgraph(len(partitions) + 1, row, inside)))
        ordered.append(_step(row, partitions[-1]))
    for number, row in enumerate(rows):
        for step in row:
            own = [home.get(value) == number for value in step.inputs]
            step.run.inplace = step.run.inplace and own[0]
            step.run.second_free = step.run.second_free and own[1]
    return PartitionedPlan(ordered, partitions)


def needs_host(step: Step) -> bool:
    """Whether ``step`` cannot be recorded.

    It needs the host in each pass, its tops have other shapes in each pass, or each backward pass
    changes the weight of a loss that it computes.
    """
    return (
        step.reshapes
        or bool(step.rewritten)
        or any(node.layer.device.on_host for node in step.nodes)
    )


def _subgraph(number: int, row: Sequence[Step], steps: Sequence[Step]) -> Subgraph:
    made = {value for step in row for value in step.tops}
    given: dict[int, bool] = {}
    for step in row:
        for value, down in step.bottoms:
            if value not in made:
                given[value] = given.get(value, False) or (down and step.backward)
    freed = {value for step in row for value in step.frees}
    shown: set[int] = set()
    for step in row:
        shown.update(step.keeps)
        shown.update(value for value, _ in step.losses)
        shown.update(value for value, _ in step.seeds)
    left = [value for step in row for value in step.tops if value not in freed or value in shown]
    members = {id(step) for step in row}
    differentiated: set[int] = set()
    for step in row:
        differentiated.update(value for value, _ in step.seeds)
    for step in steps:
        if step.backward and id(step) not in members:
            differentiated.update(value for value, down in step.bottoms if down)
    return Subgraph(
        number, tuple(row), given, tuple(left), frozenset(differentiated.intersection(left))
    )


def _step(row: Sequence[Step], partition: Partition) -> Step:
    subgraph = partition.subgraph
    freed = {value for step in row for value in step.frees}
    return Step(
        node=row[0].node,
        nodes=tuple(node for step in row for node in step.nodes),
        run=row[0].run,
        forward=partition.forward,
        outside=False,
        by_shape=False,
        reshapes=False,
        bottoms=list(subgraph.inputs.items()),
        inputs=list(subgraph.inputs),
        tops=subgraph.outputs,
        blobs=[],
        params=(),
        views=[],
        backward=subgraph.learns,
        losses=[loss for step in row for loss in step.losses],
        seeds=[seed for step in row for seed in step.seeds],
        keeps=[value for step in row for value in step.keeps],
        frees=[value for value in (*subgraph.inputs, *subgraph.outputs) if value in freed],
    )
