"""What nets, blobs, layers, solvers and NetSpecs show of themselves in a notebook, as HTML.

Names of the user's are escaped. Pictures stand in it as ``data:`` addresses, so neither their
styles nor anything in them reaches the notebook.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from itertools import islice

import numpy as np
import numpy.typing as npt

from caffepy.engine.blob import Blob as EngineBlob
from caffepy.errors import CaffeError
from caffepy.net.graph import Graph
from caffepy.proto.caffe_pb2 import NetParameter
from caffepy.pycaffe.repr_text import (
    blob_words,
    layer_row,
    name_text,
    net_head,
    present_values,
)
from caffepy.report.draw.picture import Picture, picture
from caffepy.report.draw.scene import scene
from caffepy.report.draw.sources import repeat_sources
from caffepy.report.draw.svg import svg_text
from caffepy.report.summary import si, summarize
from caffepy.report.view.images import filters, maps, smaller
from caffepy.report.view.net_scene import boxes_of

Floats = npt.NDArray[np.float32]

MOST_BOXES = 250
"""Layers of a net that is drawn: a picture of more is slow to lay out and too tall to read."""
MOST_ROWS = 60
MOST_IMAGES = 16
MOST_FILTERS = 256
MOST_MAPS = 64
LARGEST_PX = 224
"""The longer side of an image or feature map."""
WIDEST_PX = 640
IMAGE_CHANNELS = (1, 3)
SCROLLED = "max-height:32em;overflow:auto"
LEFT = "text-align:left"


def heading(text: str) -> str:
    """A line above what is shown."""
    return f"<p><b>{escape(name_text(text))}</b></p>"


def table(head: Sequence[str], rows: Iterable[Sequence[str]], count: int) -> str:
    """A table of the first rows of ``count``, and a row that tells how many are left out."""
    lines = [tag_row("th", head)]
    lines += [tag_row("td", row) for row in islice(rows, MOST_ROWS)]
    left_out = count - MOST_ROWS
    if left_out > 0:
        lines.append(f'<tr><td colspan="{len(head)}">… {left_out} more …</td></tr>')
    return f"<table>{''.join(lines)}</table>"


def tag_row(tag: str, cells: Sequence[str]) -> str:
    """A row of cells, escaped."""
    texts = [f'<{tag} style="{LEFT}">{escape(name_text(cell))}</{tag}>' for cell in cells]
    return f"<tr>{''.join(texts)}</tr>"


def drawn(shown: Picture) -> str:
    """A net's picture in a box that scrolls."""
    content = base64.b64encode(svg_text(shown).encode()).decode()
    image = f'<img alt="the net" src="data:image/svg+xml;base64,{content}">'
    return f'<div style="{SCROLLED}">{image}</div>'


def net_html(kind: str, graph: Graph | None) -> str:
    """A net: its picture and a table of its layers. ``graph``: None if it was never built."""
    if graph is None:
        return heading(f"{kind}, which was not built")
    summary = summarize(graph)
    parts = [heading(net_head(kind, graph, summary))]
    if 0 < len(summary.rows) <= MOST_BOXES:
        parts.append(drawn(boxes_of(graph).picture))
    rows = ((*layer_row(layer), si(layer.flops)) for layer in summary.rows)
    head = ("layer", "type", "tops", "parameters", "FLOPs")
    parts.append(table(head, rows, len(summary.rows)))
    return "".join(parts)


def blob_html(blob: EngineBlob) -> str:
    """A blob: shape and range, and a picture where it holds images, filters or feature maps."""
    return heading(f"Blob {blob_words(blob)}") + blob_picture(present_values(blob))


def blob_picture(values: Floats | None) -> str:
    """Images and filters (N, 1 or 3, H, W), or the feature maps of the first item (N, C, H, W).

    Empty for values that are no picture.
    """
    if values is None or values.ndim != 4 or not values.size or values[0, 0].size == 1:
        return ""
    count, channels, height, width = values.shape
    if channels in IMAGE_CHANNELS:
        most = MOST_FILTERS if max(height, width) <= 16 else MOST_IMAGES
        shrunk = [[smaller(plane, LARGEST_PX) for plane in item] for item in values[:most]]
        shown = filters(np.array(shrunk, np.float32), most)
        words = f"{shown.shown} of {count} items"
    else:
        shown = maps(values[0], MOST_MAPS, LARGEST_PX // 4)
        words = f"{shown.shown} of the {channels} channels of item 0, each on its own scale"
    # small filters are enlarged, without smoothing
    width = shown.columns * shown.cell_w
    enlarged = width * max(1, LARGEST_PX // width)
    style = f"width:{min(WIDEST_PX, enlarged)}px;image-rendering:pixelated"
    return f'<p>{words}</p><img alt="{words}" style="{style}" src="{shown.address}">'


def layer_html(text: str, blobs: Sequence[object]) -> str:
    """A layer with its parameters. ``text``: its line."""
    parts = [heading(text.strip("<>"))]
    for blob in blobs:
        shown = getattr(blob, "_repr_html_", None)
        if shown is not None:
            parts.append(shown())
    return "".join(parts)


def solver_html(kind: str, facts: Mapping[str, str]) -> str:
    """A solver. ``facts``: what it is at, by words; empty if it was never built."""
    if not facts:
        return heading(f"{kind}, which was not built")
    return heading(kind) + table(("", ""), facts.items(), 0)


def spec_html(rows: Sequence[Sequence[str]], to_proto: Callable[[], NetParameter]) -> str:
    """A NetSpec: its picture, where it is a net so far, and a table of its tops.

    ``rows``: for each top its name, the layer's type, its bottoms and fields.
    """
    parts = [heading(f"NetSpec, {len(rows)} tops")]
    if 0 < len(rows) <= MOST_BOXES:
        try:
            shown = repeat_sources(scene(to_proto()))
        except CaffeError as error:
            parts.append(heading(f"no net yet: {error}"))
        else:
            parts.append(drawn(picture(shown, "TB")))
    parts.append(table(("top", "type", "bottoms", "fields"), rows, len(rows)))
    return "".join(parts)
