"""A scene with a place for everything in it: what the writers of SVG and of other pictures share."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from math import copysign

from caffepy.report.draw.layout import Layout, Point, lay_out
from caffepy.report.draw.scene import Box, Scene

FONT_PX, SMALL_PX, LINE_PX, MARGIN_PX, PADDING_PX = 12, 10, 16, 16, 9
CHARACTER_PX = 7.6
"""An average character of the font; names of layers are set in bold."""
INK, ARROW = "#333333", "#78828C"


@dataclass(frozen=True)
class Picture:
    """A scene with its places."""

    scene: Scene
    layout: Layout
    sideways: bool


def picture(scene: Scene, rankdir: str) -> Picture:
    """Lay a scene out: TB from top to bottom, LR from left to right, BT and RL the other way round."""
    arrows, sideways = [(arrow.source, arrow.target) for arrow in scene.arrows], rankdir in ("LR", "RL")
    layout = lay_out([extent(box) for box in scene.boxes], arrows, sideways=sideways)
    return Picture(scene, layout.turned(sideways=sideways) if rankdir in ("BT", "RL") else layout, sideways)


def extent(box: Box) -> Point:
    """Width and height of a box in pixels."""
    longest = max(map(len, (box.name, *box.lines)))
    return longest * CHARACTER_PX + 2 * PADDING_PX, (1 + len(box.lines)) * LINE_PX + PADDING_PX


def line_y(box: Box, y: float, line: int) -> float:
    """The middle of a line of a box whose middle is at ``y``."""
    return y + (line - len(box.lines) / 2) * LINE_PX


def bends(shown: Picture, path: list[Point]) -> list[tuple[Point, Point, Point]]:
    """An arrow as cubic curves: two control points and an end for each piece, leaving and arriving along the rows' direction."""
    pieces = []
    for (x1, y1), (x2, y2) in itertools.pairwise(path):
        middle_x, middle_y = (x1 + x2) / 2, (y1 + y2) / 2
        first, second = ((middle_x, y1), (middle_x, y2)) if shown.sideways else ((x1, middle_y), (x2, middle_y))
        pieces.append((first, second, (x2, y2)))
    return pieces


def labels(shown: Picture) -> list[tuple[str, Point]]:
    """The names of blobs and where they stand: near the start of their arrows, once for each box and blob."""
    found: dict[tuple[int, str], Point] = {}
    for arrow, path in zip(shown.scene.arrows, shown.layout.paths):
        if arrow.label:
            (x, y), (x2, y2) = path[0], path[1]
            if shown.sideways:
                place = x + copysign(LINE_PX, x2 - x), y + (y2 - y) * 0.45
            else:
                place = x + (x2 - x) * 0.45, y + copysign(LINE_PX, y2 - y)
            found.setdefault((arrow.source, arrow.label), place)
    return [(label, place) for (_, label), place in found.items()]
