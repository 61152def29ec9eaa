"""What nets, blobs, layers, solvers and NetSpecs show of themselves as text.

To be shown changes nothing: no pass is run, and no memory is handed out.
"""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from caffepy.engine.blob import Blob as EngineBlob
from caffepy.layers.common.array_text import MOST_READ, array_text, shape_text
from caffepy.net.graph import Graph
from caffepy.report.draw.scene import PHASES
from caffepy.report.summary import Row, Summary, summarize

Floats = npt.NDArray[np.float32]
T = TypeVar("T")

MOST_ROWS = 24
"""Rows of a table; of a longer one the middle is left out."""
LONGEST_CELL = 40
LONGEST_LAST_CELL = 72
"""Characters of a cell, and of the last one of a row."""
NOT_COMPUTED = "to be computed when it is looked at"


def name_text(name: str) -> str:
    """A name of the user's, on one line and without control characters."""
    return name if name.isprintable() else ascii(name)


def short(value: object) -> str:
    """A value of any kind in a few characters."""
    shortener = reprlib.Repr()
    shortener.maxstring = shortener.maxother = LONGEST_CELL
    shortener.maxlevel = 2
    return shortener.repr(value)


def table(items: Sequence[T], row: Callable[[T], Sequence[str]]) -> list[str]:
    """Lines of a table: ``row`` of each item.

    Of more than `MOST_ROWS` the middle is left out, which a line tells.
    """
    left_out = len(items) - MOST_ROWS
    first = MOST_ROWS - MOST_ROWS // 3
    kept = items if left_out <= 0 else [*items[:first], *items[first + left_out :]]
    cells = [cut(row(item)) for item in kept]
    widths = [max(map(len, column)) for column in zip(*cells)]
    lines = []
    for texts in cells:
        padded = [text.ljust(width) for text, width in zip(texts, widths)]
        lines.append("  " + "  ".join(padded).rstrip())
    if left_out > 0:
        lines.insert(first, f"  … {left_out} more …")
    return lines


def cut(cells: Sequence[str]) -> list[str]:
    """The cells of a row, none too long."""
    longest = [LONGEST_CELL] * (len(cells) - 1) + [LONGEST_LAST_CELL]
    texts = [name_text(cell) for cell in cells]
    return [
        text if len(text) <= most else f"{text[: most - 1]}…" for text, most in zip(texts, longest)
    ]


def present_values(blob: EngineBlob) -> Floats | None:
    """The values of a blob as they are; None if they are to be computed, or too many to read."""
    values = blob.present()
    if values is None or values.numel() > MOST_READ:
        return None
    # a copy only where the values are on a GPU
    return np.asarray(values.cpu().numpy())


def blob_words(blob: EngineBlob) -> str:
    """Shape and range of a blob."""
    present = blob.present()
    if present is None:
        return NOT_COMPUTED
    values = present_values(blob)
    if values is None:
        return f"{shape_text(tuple(present.shape))}, {present.numel():,} elements"
    return array_text(values)


def layer_text(name: str, type_name: str, blobs: Sequence[object]) -> str:
    """A layer with the shapes of its parameters."""
    shapes = ", ".join(shape_text(getattr(blob, "shape", ())) for blob in blobs)
    return f"<Layer {name!r}, {type_name}{f', parameters {shapes}' if shapes else ''}>"


def named_text(kind: str, named: Mapping[str, object]) -> str:
    """Names and what they stand for, a row each."""
    rows = table(list(named.items()), lambda item: (item[0], short_row(item[1])))
    return "\n".join([f"<{len(named)} {kind}, by name>", *rows])


def short_row(value: object) -> str:
    """A value in a table: the shapes of a list of blobs, else its own text."""
    if isinstance(value, list) and value and hasattr(value[0], "shape"):
        return ", ".join(shape_text(blob.shape) for blob in value)
    text = repr(value)
    return text.removeprefix("<Blob ").removesuffix(">") if text.startswith("<Blob ") else text


def net_head(kind: str, graph: Graph, summary: Summary) -> str:
    """A net in a line."""
    ends = []
    for word, values in (("in", graph.inputs), ("out", graph.outputs)):
        shown = [graph.values[value] for value in values[:3]]
        texts = [f"{name_text(value.name)} {shape_text(value.shape)}" for value in shown]
        if texts:
            ends.append(f"{word}: {', '.join(texts)}{', …' if len(values) > len(shown) else ''}")
    layers = f"{len(summary.rows)} layers"
    facts = [PHASES[graph.phase], layers, f"{summary.parameters:,} parameters", *ends]
    return f"{kind} {graph.name!r}, {', '.join(facts)}"


def layer_row(layer: Row) -> tuple[str, str, str, str]:
    """A layer's name, type, tops with shapes, and number of parameters."""
    tops = ", ".join(f"{name} {shape_text(shape)}" for name, shape in layer.tops)
    parameters = f"{layer.parameters:,}" if layer.parameters else ""
    return layer.layer, layer.type, tops, parameters


def net_text(kind: str, graph: Graph | None) -> str:
    """A net in a line, and a table of its layers. ``graph``: None if it was never built."""
    if graph is None:
        return f"<{kind}, which was not built>"
    summary = summarize(graph)
    return "\n".join([f"<{net_head(kind, graph, summary)}>", *table(summary.rows, layer_row)])


def solver_text(kind: str, facts: Mapping[str, str]) -> str:
    """A solver in a line. ``facts``: what it is at, by words; empty if it was never built."""
    if not facts:
        return f"<{kind}, which was not built>"
    return f"<{kind}, {', '.join(f'{word} {fact}' for word, fact in facts.items())}>"


def fields_text(fields: Mapping[str, object]) -> str:
    """The fields of a layer as they were written."""
    return ", ".join(f"{name}={short(value)}" for name, value in fields.items())


def function_text(type_name: str, bottoms: int, fields: Mapping[str, object]) -> str:
    """A layer of a NetSpec: ``Convolution(1 bottom, num_output=4)``."""
    parts = [f"{bottoms} bottom{'s' if bottoms > 1 else ''}"] if bottoms else []
    if fields:
        parts.append(fields_text(fields))
    return f"{type_name}({', '.join(parts)})"


def spec_text(rows: Sequence[Sequence[str]]) -> str:
    """A NetSpec. ``rows``: for each top its name, the layer's type, its bottoms and fields."""
    head = f"<NetSpec, {len(rows)} top{'' if len(rows) == 1 else 's'}>"
    return "\n".join([head, *table(rows, tuple)])
