"""A net some of whose layers need the host.

The layers between these form pieces, each of which is recorded by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from caffepy.engine.piece import Outline, Piece
from caffepy.engine.plan import Step

LEAST_STEPS = 2
"""Of a piece: to replay one saves hardly anything."""

MakePiece = Callable[[Outline], Piece]


@dataclass(frozen=True)
class Course:
    """What a pass goes through: ``steps``, some of which are the ``pieces``."""

    steps: list[Step]
    pieces: list[Piece]


def in_pieces(steps: Sequence[Step], make: MakePiece) -> Course:
    """``steps`` with one in place of each row of them that can be recorded.

    What comes from outside is first. A layer may not overwrite what another piece, or a layer
    outside of pieces, has made: its recording would not find it again.
    """
    inside = [step for step in steps if not step.outside]
    rows: list[list[Step]] = [[]]
    for step in inside:
        if needs_host(step):
            rows.extend(([step], []))
        else:
            rows[-1].append(step)
    home = {value: number for number, row in enumerate(rows) for step in row for value in step.tops}
    course = [step for step in steps if step.outside]
    pieces = list[Piece]()
    for row in rows:
        if len(row) < LEAST_STEPS or needs_host(row[0]):
            course.extend(row)
            continue
        pieces.append(make(_outline(len(pieces) + 1, row, inside)))
        course.append(_step(row, pieces[-1]))
    for number, row in enumerate(rows):
        for step in row:
            own = [home.get(value) == number for value in step.inputs]
            step.run.inplace = step.run.inplace and own[0]
            step.run.second_free = step.run.second_free and own[1]
    return Course(course, pieces)


def needs_host(step: Step) -> bool:
    """It waits for the device, or the weight of a loss that it makes is another in each pass."""
    return (
        step.reshapes
        or bool(step.rewritten)
        or any(node.layer.device.on_host for node in step.nodes)
    )


def _outline(number: int, row: Sequence[Step], steps: Sequence[Step]) -> Outline:
    made = {value for step in row for value in step.tops}
    given: dict[int, bool] = {}
    for step in row:
        for value, down in step.bottoms:
            if value not in made:
                given[value] = given.get(value, False) or (down and step.backward)
    freed = {value for step in row for value in step.frees}
    shown = {
        value
        for step in row
        for value in (*step.keeps, *(v for v, _ in (*step.losses, *step.seeds)))
    }
    left = [value for step in row for value in step.tops if value not in freed or value in shown]
    members = {id(step) for step in row}
    differentiated = {v for step in row for v, _ in step.seeds} | {
        v
        for step in steps
        if id(step) not in members and step.backward
        for v, down in step.bottoms
        if down
    }
    return Outline(
        number, tuple(row), given, tuple(left), frozenset(differentiated.intersection(left))
    )


def _step(row: Sequence[Step], piece: Piece) -> Step:
    outline = piece.outline
    freed = {value for step in row for value in step.frees}
    return Step(
        node=row[0].node,
        nodes=tuple(node for step in row for node in step.nodes),
        run=row[0].run,
        forward=piece.forward,
        outside=False,
        by_shape=False,
        reshapes=False,
        bottoms=list(outline.given.items()),
        inputs=list(outline.given),
        tops=outline.left,
        blobs=[],
        params=(),
        views=[],
        backward=outline.learns,
        losses=[loss for step in row for loss in step.losses],
        seeds=[seed for step in row for seed in step.seeds],
        keeps=[value for step in row for value in step.keeps],
        frees=[value for value in (*outline.given, *outline.left) if value in freed],
    )
