"""Sources drawn again beside their readers, so that label and data arrows do not cross the picture.

A source is a box without an incoming arrow, such as a data layer.
"""

from __future__ import annotations

from dataclasses import replace

from caffepy.report.draw.scene import DATA, Arrow, Box, Scene

REACH = 2
"""An arrow may span this many rows more than the shortest arrow of its source."""


def repeat_sources(scene: Scene) -> Scene:
    """The scene with a small box (``repeats`` set) in place of each long arrow from a source.

    Layers that read the same blobs share one such box.
    """
    rows = rows_of(scene)
    inner = {arrow.target for arrow in scene.arrows}
    nearest = nearest_readers(scene, rows, inner)
    boxes = list(scene.boxes)
    arrows: list[Arrow] = []
    shared: dict[tuple[str, frozenset[int]], int] = {}
    drawn: set[tuple[int, int]] = set()
    for arrow in scene.arrows:
        if arrow.source in inner or rows[arrow.target] <= nearest[arrow.source] + REACH:
            arrows.append(arrow)
            continue
        source = scene.boxes[arrow.source]
        blob = arrow.label or source.name
        key = (blob, other_sources(scene, arrow.target, inner))
        if key not in shared:
            shared[key] = len(boxes)
            boxes.append(Box(blob, DATA, frozenset(), repeats=arrow.source))
        box = shared[key]
        boxes[box].phases |= source.phases & scene.boxes[arrow.target].phases
        # the data layers of both phases make one blob, which needs one arrow
        if (box, arrow.target) not in drawn:
            drawn.add((box, arrow.target))
            arrows.append(replace(arrow, source=box, label=""))
    return Scene(scene.name, boxes, arrows)


def rows_of(scene: Scene) -> list[int]:
    """The row of each box: one below the lowest box that it reads.

    The arrows of a scene are sorted by their targets, so one pass is enough.
    """
    rows = [0] * len(scene.boxes)
    for arrow in scene.arrows:
        rows[arrow.target] = max(rows[arrow.target], rows[arrow.source] + 1)
    return rows


def nearest_readers(scene: Scene, rows: list[int], inner: set[int]) -> dict[int, int]:
    """For each source the row of its highest reader."""
    found: dict[int, int] = {}
    for arrow in scene.arrows:
        if arrow.source not in inner:
            row = rows[arrow.target]
            found[arrow.source] = min(found.get(arrow.source, row), row)
    return found


def other_sources(scene: Scene, target: int, inner: set[int]) -> frozenset[int]:
    """The boxes that a box reads besides sources."""
    arrows = [arrow for arrow in scene.arrows if arrow.target == target]
    return frozenset(arrow.source for arrow in arrows if arrow.source in inner)
