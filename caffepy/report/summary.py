"""What a net is made of and what it costs: a row for each layer, and sums."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from caffepy.layers.core.base import count
from caffepy.net.graph import Graph, Node
from caffepy.report.offline import dims_text

FLOAT_BYTES = 4
HEAD = ("layer", "type", "output", "parameters", "FLOPs", "memory")
NUMBERS = 3
"""So many columns at the right hold numbers."""


@dataclass(frozen=True)
class Row:
    """One layer.

    ``tops``: each top's name and shape.
    ``flops``: of one forward pass.
    ``bytes``: of the tops that are not in place.
    """

    layer: str
    type: str
    tops: tuple[tuple[str, tuple[int, ...]], ...]
    parameters: int
    flops: int
    bytes: int

    @property
    def outputs(self) -> tuple[str, ...]:
        """Each top's name and shape as text: ``pool: 4 x 6 x 6 x 6``."""
        return tuple(f"{name}: {dims_text(shape)}" for name, shape in self.tops)


@dataclass(frozen=True)
class Summary:
    """A net: a row for each of its own layers, without the automatic Split layers.

    ``batch``: its batch size, 0 if that is unknown.
    """

    name: str
    phase: str
    rows: tuple[Row, ...]
    batch: int

    @property
    def parameters(self) -> int:
        """All parameters, shared ones once."""
        return sum(row.parameters for row in self.rows)

    @property
    def flops(self) -> int:
        """One forward pass of the whole batch."""
        return sum(row.flops for row in self.rows)

    @property
    def bytes(self) -> int:
        """All blobs of one pass."""
        return sum(row.bytes for row in self.rows)


def as_object(summary: Summary) -> dict[str, Any]:
    """The summary for JSON: a row for each layer, and the sums."""
    layers = []
    for row in summary.rows:
        tops = [{"name": name, "shape": list(shape)} for name, shape in row.tops]
        layers.append({**asdict(row), "tops": tops})
    return {
        "name": summary.name,
        "phase": summary.phase,
        "batch": summary.batch,
        "layers": layers,
        "parameters": summary.parameters,
        "flops": summary.flops,
        "bytes": summary.bytes,
    }


def summarize(graph: Graph) -> Summary:
    """The summary of a graph."""
    nodes = [node for node in graph.nodes if not node.is_automatic_split]
    sources = [node for node in graph.nodes if node.index in graph.sources]
    fed = graph.inputs or [value for node in sources for value in node.tops]
    batch = graph.values[fed[0]].shape[0] if fed and graph.values[fed[0]].shape else 0
    rows = tuple(row(graph, node) for node in nodes)
    return Summary(graph.name, ("TRAIN", "TEST")[graph.phase], rows, batch)


def row(graph: Graph, node: Node) -> Row:
    """The row of one layer."""
    tops = [graph.values[value] for value in node.tops]
    own = [graph.params[p] for p in node.params if graph.params[p].owner == p]
    new = tops[1:] if node.in_place else tops
    flops = 0
    if not graph.is_outside(node):
        bottom_shapes = [graph.values[value].shape for value in node.bottoms]
        flops = node.layer.flops(bottom_shapes, [top.shape for top in tops])
    return Row(
        layer=node.name,
        type=node.type,
        tops=tuple((top.name, tuple(top.shape)) for top in tops),
        parameters=sum(count(p.shape) for p in own),
        flops=flops,
        bytes=FLOAT_BYTES * sum(count(top.shape) for top in new),
    )


def table(summary: Summary) -> str:
    """The summary as text."""
    rows: list[tuple[str, ...]] = [HEAD]
    for r in summary.rows:
        first, *further = r.outputs or ("",)
        parameters = f"{r.parameters:,}" if r.parameters else ""
        rows.append((r.layer, r.type, first, parameters, si(r.flops), si(r.bytes, "B")))
        rows += [("", "", output, "", "", "") for output in further]
    lines = columns(rows)
    rule = "-" * max(map(len, lines))
    title = f"{summary.name or 'net'}, {summary.phase} phase, {len(summary.rows)} layers"
    return "\n".join([title, rule, lines[0], rule, *lines[1:], rule, *totals(summary)])


def totals(summary: Summary) -> list[str]:
    """The sums as sentences."""
    batch = summary.batch
    one = ""
    if batch > 1 and summary.flops:
        one = f" for a batch of {batch}; {si(summary.flops // batch)} for one"
    parameter_bytes = si(summary.parameters * FLOAT_BYTES, "B") or "0 B"
    counted = "two a multiply-add, of convolutions, inner products, recurrent layers"
    more = "training holds their gradients as well, and the gradient and history of each parameter"
    return [
        f"parameters {summary.parameters:,} ({parameter_bytes})",
        f"forward pass {si(summary.flops) or '0'} FLOPs{one} ({counted})",
        f"blobs {si(summary.bytes, 'B') or '0 B'}; {more}",
    ]


def columns(rows: Sequence[tuple[str, ...]]) -> list[str]:
    """Lines of a table: words to the left, numbers to the right."""
    widths = [max(map(len, column)) for column in zip(*rows)]
    left = len(widths) - NUMBERS
    lines = []
    for row in rows:
        words = [cell.ljust(width) for cell, width in zip(row[:left], widths)]
        numbers = [cell.rjust(width) for cell, width in zip(row[left:], widths[left:])]
        lines.append("  ".join([*words, *numbers]).rstrip())
    return lines


def si(value: int, unit: str = "") -> str:
    """A number with three digits and k, M, G or T; empty for 0."""
    if not value:
        return ""
    scaled = float(value)
    prefix = ""
    for prefix in ("", "k", "M", "G", "T"):
        if scaled < 999.5 or prefix == "T":
            break
        scaled /= 1000
    return f"{scaled:.3g} {prefix}{unit}".rstrip()
