"""Several steps of a TEST pass in a row, joined to one step that computes them in its own way."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from torch import Tensor

from caffepy.engine.plan import Step
from caffepy.layers.core.base import Forward
from caffepy.net.graph import Node

Tell = Callable[[Node], None]


def inputs_of(steps: Sequence[Step]) -> list[int]:
    """The values that ``steps`` read and do not make."""
    made = {value for step in steps for value in step.tops}
    return list(dict.fromkeys(v for step in steps for v in step.inputs if v not in made))


def left_by(steps: Sequence[Step]) -> list[int]:
    """The tops of ``steps`` that later steps read, that are outputs of the net, or losses."""
    freed = {value for step in steps for value in step.frees}
    lasting = {value for step in steps for value in step.keeps}
    lasting.update(value for step in steps for value, _ in step.losses)
    return [
        value for step in steps for value in step.tops if value not in freed or value in lasting
    ]


def run_steps(steps: Sequence[Step], values: dict[int, Tensor], tell: Tell) -> dict[int, Tensor]:
    """Run the steps. Returns those of ``values`` and the tops that are not freed.

    ``tell``: called with each node before it runs.
    """
    kept: dict[int, Tensor] = {}
    for step in steps:
        tell(step.node)
        values.update(
            zip(step.tops, step.forward([values[v] for v in step.inputs], step.blobs, step.run))
        )
        kept.update((value, values[value]) for value in step.keeps)
        kept.update((value, values[value]) for value, _ in step.losses)
        for value in step.frees:
            del values[value]
    return values | kept


def joined(steps: Sequence[Step], forward: Forward, given: list[int], left: list[int]) -> Step:
    """One step in place of ``steps``.

    ``forward`` computes the values ``left`` from the ``given``.
    """
    return Step(
        node=steps[0].node,
        nodes=tuple(node for step in steps for node in step.nodes),
        run=steps[0].run,
        forward=forward,
        outside=False,
        by_shape=False,
        reshapes=False,
        bottoms=[(value, False) for value in given],
        inputs=given,
        tops=tuple(left),
        blobs=[],
        params=(),
        views=[],
        backward=False,
        losses=[loss for step in steps for loss in step.losses],
        keeps=[value for step in steps for value in step.keeps],
        frees=[value for step in steps for value in step.frees if value in given or value in left],
    )
