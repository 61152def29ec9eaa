"""A picture of a net as a matplotlib figure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from caffepy.report.draw.picture import (
    ARROW,
    FONT_PX,
    INK,
    MARGIN_PX,
    SMALL_PX,
    Picture,
    bends,
    extent,
    labels,
    line_y,
)
from caffepy.report.draw.scene import COLORS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DPI = 100
POINTS_A_PX = 72 / DPI
CENTERED: dict[str, Any] = {"ha": "center", "va": "center", "color": INK}
"""Of all texts."""


def paint(shown: Picture) -> Figure:
    """The figure; one unit is one pixel."""
    from matplotlib.figure import Figure
    from matplotlib.patches import FancyArrowPatch, FancyBboxPatch
    from matplotlib.path import Path

    layout = shown.layout
    width = layout.width + 2 * MARGIN_PX
    height = layout.height + 2 * MARGIN_PX
    figure = Figure(figsize=(width / DPI, height / DPI), dpi=DPI, facecolor="white")
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set(xlim=(-MARGIN_PX, width - MARGIN_PX), ylim=(height - MARGIN_PX, -MARGIN_PX))
    axes.set_axis_off()
    for path in layout.paths:
        points = [path[0]]
        codes = [Path.MOVETO]
        for piece in bends(shown, path):
            points += piece
            codes += [Path.CURVE4] * 3
        style = "-|>,head_width=2.5,head_length=5"
        curve = Path(points, codes)
        axes.add_patch(FancyArrowPatch(path=curve, arrowstyle=style, color=ARROW, linewidth=1))
    for box, (x, y) in zip(shown.scene.boxes, layout.centers):
        w, h = extent(box)
        corner = (x - w / 2, y - h / 2)
        style = "round,pad=0,rounding_size=6"
        axes.add_patch(FancyBboxPatch(corner, w, h, boxstyle=style, fc=COLORS[box.kind], ec="0.6"))
        for i, line in enumerate((box.name, *box.lines)):
            weight = "bold" if i == 0 else "normal"
            size = FONT_PX * POINTS_A_PX
            axes.text(x, line_y(box, y, i), line, **CENTERED, size=size, weight=weight)
    for text, (x, y) in labels(shown):
        halo = {"facecolor": "white", "edgecolor": "none", "pad": 0.5}
        axes.text(x, y, text, **CENTERED, size=SMALL_PX * POINTS_A_PX, bbox=halo)
    return figure
