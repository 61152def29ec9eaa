"""A compiled net as boxes and arrows with places.

A box has a layer, the in-place layers on its top, and the shape of that top.
"""

from __future__ import annotations

from dataclasses import dataclass

from caffepy.net.graph import Graph, Node
from caffepy.report.draw.picture import Picture, picture
from caffepy.report.draw.scene import PHASES, Arrow, Box, Scene, kind, one_line
from caffepy.report.draw.sources import repeat_sources
from caffepy.report.offline import dims_text

LONGEST_NAME = 44
"""Characters of a line in a box. Longer lines are cut in the middle."""
CUT = "…"


@dataclass(frozen=True)
class Boxes:
    """A net's picture.

    ``layers``: for each box the indices in Graph.nodes of its layers; none if it repeats a source.
    """

    picture: Picture
    layers: list[list[int]]


def boxes_of(graph: Graph) -> Boxes:
    """The net laid out from top to bottom; automatic Split layers are left out."""
    phases = frozenset((PHASES[graph.phase],))
    boxes: list[Box] = []
    layers: list[list[int]] = []
    arrows: list[Arrow] = []
    makers: dict[int, int] = {}
    origin = origins(graph)
    for node in graph.nodes:
        if node.is_automatic_split:
            continue
        bottoms = [origin[value] for value in node.bottoms]
        if node.in_place and len(bottoms) == len(node.tops) == 1:
            box = makers[node.tops[0]] = makers[bottoms[0]]
            boxes[box].lines.insert(-1, shortened(one_line(node.layer.param)))
            layers[box].append(node.index)
            continue
        box = len(boxes)
        lines = [shortened(one_line(node.layer.param)), shape_line(graph, node)]
        boxes.append(Box(shortened(node.name), kind(node.type), phases, lines))
        layers.append([node.index])
        for value in bottoms:
            maker = makers[value]
            arrows.append(Arrow(maker, box, label(graph, value, boxes[maker])))
        makers.update(dict.fromkeys(node.tops, box))
    shown = repeat_sources(Scene(graph.name, boxes, arrows))
    repeats: list[list[int]] = [[] for _ in shown.boxes[len(layers) :]]
    return Boxes(picture(shown, "TB"), [*layers, *repeats])


def origins(graph: Graph) -> list[int]:
    """For each value itself, or for the top of an automatic Split layer what it copies."""
    found = list(range(len(graph.values)))
    for node in graph.nodes:
        if node.is_automatic_split:
            for value in node.tops:
                found[value] = found[node.bottoms[0]]
    return found


def label(graph: Graph, value: int, box: Box) -> str:
    """The name of an arrow's blob where its box does not tell it."""
    name = shortened(graph.values[value].name)
    return "" if name == box.name else name


def shape_line(graph: Graph, node: Node) -> str:
    """The shapes of a layer's tops."""
    return shortened(
        ", ".join(dims_text(graph.values[value].shape) for value in node.tops) or "no top"
    )


def shortened(text: str) -> str:
    """A text that fits into a box."""
    if len(text) <= LONGEST_NAME:
        return text
    half = (LONGEST_NAME - len(CUT)) // 2
    return f"{text[:half]}{CUT}{text[-half:]}"
