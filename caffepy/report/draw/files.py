"""Pictures of nets as files: DOT for graphviz, SVG, and by matplotlib PNG, PDF and others."""

from __future__ import annotations

from pathlib import Path

from caffepy.errors import DataError, UsageError
from caffepy.proto import caffe_pb2
from caffepy.proto.atomic import atomic_write
from caffepy.report.draw.dot import dot_text
from caffepy.report.draw.picture import picture
from caffepy.report.draw.scene import ALL, scene
from caffepy.report.draw.sources import repeat_sources
from caffepy.report.draw.svg import svg_text

DIRECTIONS = ("TB", "LR", "BT", "RL")
GRAPHVIZ = ("dot", "gv", "raw")
"""Endings of texts for graphviz; the last is Caffe's."""
MOST_PX = 30_000
SAVED_DPI = 150


def draw_net_to_file(
    net: caffe_pb2.NetParameter,
    path: str,
    *,
    rankdir: str = "TB",
    phase: str = ALL,
    display_lrm: bool = False,
) -> None:
    """Draw a NetParameter (upgraded) to a file, whose ending says the format.

    ``rankdir``: TB (top to bottom), LR, BT or RL.
    Errors: UsageError for an unknown ending or direction, DataError if it cannot be written.
    """
    if rankdir not in DIRECTIONS:
        needed = "TB (top to bottom), LR (left to right), BT or RL"
        raise UsageError(f"rankdir {rankdir}: needed: {needed}")
    shown = repeat_sources(scene(net, phase=phase, display_lrm=display_lrm))
    ending = Path(path).suffix.lower().removeprefix(".")
    if ending in GRAPHVIZ:
        _write(path, dot_text(shown, rankdir))
        return
    laid_out = picture(shown, rankdir)
    if ending == "svg":
        _write(path, svg_text(laid_out))
        return
    if max(laid_out.layout.width, laid_out.layout.height) > MOST_PX:
        what = f"the picture would have more than {MOST_PX} pixels a side"
        raise UsageError(f"{path}: {what}; write .svg or .dot")
    from caffepy.report.draw.raster import paint
    from caffepy.report.plot_log import save

    save(paint(laid_out), path, dpi=SAVED_DPI, others=GRAPHVIZ)


def _write(path: str, text: str) -> None:
    with atomic_write(path, error=DataError) as temporary:
        temporary.write_text(text, encoding="utf-8")
