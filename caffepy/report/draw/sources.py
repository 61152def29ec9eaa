"""Small boxes that repeat a source beside its readers, so that the arrows of labels and data do not cross the picture."""

from __future__ import annotations

from dataclasses import replace

from caffepy.report.draw.scene import DATA, Arrow, Box, Scene

REACH = 2
"""An arrow of a source may pass so many rows more than the shortest one of that source."""


def repeat_sources(scene: Scene) -> Scene:
    """The scene with a box of its own, ``repeats`` set, for each use of a source's blob far below the source.

    A source is a box that reads nothing. Layers that read the same blobs share one such box.
    """
    rows = rows_of(scene)
    reading = {arrow.target for arrow in scene.arrows}
    nearest: dict[int, int] = {}
    for arrow in scene.arrows:
        if arrow.source not in reading:
            nearest[arrow.source] = min(nearest.get(arrow.source, rows[arrow.target]), rows[arrow.target])
    boxes, arrows = list(scene.boxes), list[Arrow]()
    shared: dict[tuple[str, frozenset[int]], int] = {}
    drawn: set[tuple[int, int]] = set()
    for arrow in scene.arrows:
        if arrow.source in reading or rows[arrow.target] <= nearest[arrow.source] + REACH:
            arrows.append(arrow)
            continue
        source = scene.boxes[arrow.source]
        blob = arrow.label or source.name
        beside = frozenset(other.source for other in scene.arrows if other.target == arrow.target and other.source in reading)
        box = shared.get((blob, beside))
        if box is None:
            box = shared[blob, beside] = len(boxes)
            boxes.append(Box(blob, DATA, frozenset(), repeats=arrow.source))
        boxes[box].phases |= source.phases & scene.boxes[arrow.target].phases
        if (box, arrow.target) not in drawn:  # the data layers of both phases make one blob
            drawn.add((box, arrow.target))
            arrows.append(replace(arrow, source=box, label=""))
    return Scene(scene.name, boxes, arrows)


def rows_of(scene: Scene) -> list[int]:
    """The row of each box: one more than the last of those that it reads. Arrows come in the order of their targets."""
    rows = [0] * len(scene.boxes)
    for arrow in scene.arrows:
        rows[arrow.target] = max(rows[arrow.target], rows[arrow.source] + 1)
    return rows
