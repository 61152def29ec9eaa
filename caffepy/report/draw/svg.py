"""A net's picture as SVG."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from caffepy.report.draw.picture import (
    ARROW,
    CHARACTER_PX,
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

FONT = "DejaVu Sans, Verdana, Helvetica, sans-serif"
STYLE = (
    f"text {{ font: {FONT_PX}px {FONT}; fill: {INK}; text-anchor: middle }} "
    ".b { font-weight: bold } "
    f".l {{ font-size: {SMALL_PX}px }} path {{ fill: none; stroke: {ARROW} }}"
)
HEAD = (
    '<defs><marker id="a" viewBox="0 0 8 8" refX="8" refY="4" '
    'markerWidth="8" markerHeight="8" orient="auto">'
    f'<polygon points="0,1 8,4 0,7" fill="{ARROW}"/></marker></defs>'
)
BASELINE_PX = 4
"""From the middle of a line down to where its letters stand."""


def svg_text(shown: Picture) -> str:
    """The text of an .svg file."""
    width = round(shown.layout.width + 2 * MARGIN_PX)
    height = round(shown.layout.height + 2 * MARGIN_PX)
    frame = f'width="{width}" height="{height}"'
    box = f'viewBox="{-MARGIN_PX} {-MARGIN_PX} {width} {height}"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {frame} {box}>',
        f"<title>{escape(shown.scene.name)}</title>",
        f"<style>{STYLE}</style>",
        HEAD,
        f'<rect x="{-MARGIN_PX}" y="{-MARGIN_PX}" {frame} fill="white"/>',
    ]
    return "\n".join([*lines, *_arrows(shown), *_boxes(shown), *_labels(shown), "</svg>"]) + "\n"


def _arrows(shown: Picture) -> Iterator[str]:
    for path in shown.layout.paths:
        pieces = []
        for piece in bends(shown, path):
            pieces.append("C" + " ".join(f"{x:.1f},{y:.1f}" for x, y in piece))
        curve = " ".join(pieces)
        yield f'<path d="M{path[0][0]:.1f},{path[0][1]:.1f} {curve}" marker-end="url(#a)"/>'


def _boxes(shown: Picture) -> Iterator[str]:
    for box, (x, y) in zip(shown.scene.boxes, shown.layout.centers):
        w, h = extent(box)
        place = f'x="{x - w / 2:.1f}" y="{y - h / 2:.1f}" width="{w:.1f}" height="{h:.1f}"'
        fill = f'fill="{COLORS[box.kind]}" stroke="{INK}" stroke-opacity="0.35"'
        yield f'<rect {place} rx="6" {fill}/>'
        for i, line in enumerate((box.name, *box.lines)):
            bold = ' class="b"' if i == 0 else ""
            place = f'x="{x:.1f}" y="{line_y(box, y, i) + BASELINE_PX:.1f}"'
            yield f"<text {place}{bold}>{escape(line)}</text>"


def _labels(shown: Picture) -> Iterator[str]:
    for text, (x, y) in labels(shown):
        w = len(text) * CHARACTER_PX * SMALL_PX / FONT_PX
        place = f'x="{x - w / 2:.1f}" y="{y - SMALL_PX / 2 - 1:.1f}"'
        yield f'<rect {place} width="{w:.1f}" height="{SMALL_PX + 2}" fill="white"/>'
        yield f'<text class="l" x="{x:.1f}" y="{y + BASELINE_PX:.1f}">{escape(text)}</text>'
