"""A scene with a place for everything in it.

What the writers of SVG and of other pictures share.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from math import copysign

from caffepy.report.draw.layout import Layout, Point, lay_out
from caffepy.report.draw.scene import Box, Scene

FONT_PX = 12
SMALL_PX = 10
LINE_PX = 16
MARGIN_PX = 16
PADDING_PX = 9
CHARACTER_PX = 7.6
"""An average character of the font; names of layers are set in bold."""
INK = "#333333"
ARROW = "#78828C"


@dataclass(frozen=True)
class Picture:
    """A scene with its places."""

    scene: Scene
    layout: Layout
    sideways: bool


def picture(scene: Scene, rankdir: str) -> Picture:
    """Lay a scene out.

    TB from top to bottom, LR from left to right, BT and RL the other way round.
    """
    arrows = [(arrow.source, arrow.target) for arrow in scene.arrows]
    sideways = rankdir in ("LR", "RL")
    layout = lay_out([extent(box) for box in scene.boxes], arrows, sideways=sideways)
    if rankdir in ("BT", "RL"):
        layout = layout.turned(sideways=sideways)
    return Picture(scene, layout, sideways)


def extent(box: Box) -> Point:
    """Width and height of a box in pixels."""
    longest = max(map(len, (box.name, *box.lines)))
    return longest * CHARACTER_PX + 2 * PADDING_PX, (1 + len(box.lines)) * LINE_PX + PADDING_PX


def line_y(box: Box, y: float, line: int) -> float:
    """The middle of a line of a box whose middle is at ``y``."""
    return y + (line - len(box.lines) / 2) * LINE_PX


def bends(shown: Picture, path: list[Point]) -> list[tuple[Point, Point, Point]]:
    """An arrow as cubic curves: two control points and an end for each piece.

    It leaves and arrives along the direction of the rows.
    """
    pieces = []
    for (x1, y1), (x2, y2) in itertools.pairwise(path):
        if shown.sideways:
            middle = (x1 + x2) / 2
            pieces.append(((middle, y1), (middle, y2), (x2, y2)))
        else:
            middle = (y1 + y2) / 2
            pieces.append(((x1, middle), (x2, middle), (x2, y2)))
    return pieces


def labels(shown: Picture) -> list[tuple[str, Point]]:
    """The names of blobs and where they stand.

    Near the start of their arrows, once for each box and blob.
    """
    places: dict[tuple[int, str], Point] = {}
    for arrow, path in zip(shown.scene.arrows, shown.layout.paths):
        if arrow.label:
            x, y = path[0]
            x2, y2 = path[1]
            if shown.sideways:
                place = x + copysign(LINE_PX, x2 - x), y + (y2 - y) * 0.45
            else:
                place = x + (x2 - x) * 0.45, y + copysign(LINE_PX, y2 - y)
            places.setdefault((arrow.source, arrow.label), place)
    return [(label, place) for (_, label), place in places.items()]
