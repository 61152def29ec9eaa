"""From a net's text to its graph, as ``net.prototxt``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from caffepy.net import compile
from caffepy.net.graph import Graph
from caffepy.proto.text import read_net

TRAIN, TEST = 0, 1
INPUT = 'layer { name: "in" type: "Input" top: "data" input_param { shape { dim: 4 dim: 3 dim: 8 dim: 8 } } }\n'
PAIR = (
    'layer { name: "in" type: "Input" top: "x" top: "y" input_param { shape { dim: 2 dim: 3 } } }\n'
)


def compiled(
    text: str,
    folder: Path,
    phase: int = TRAIN,
    *,
    level: int = 0,
    stages: Sequence[str] = (),
    opener: Callable[[Any], Any] | None = None,
) -> Graph:
    """The graph for that state; the file lies in ``folder``."""
    path = folder / "net.prototxt"
    path.write_text(text)
    message, places = read_net(path)
    message.state.phase = phase
    message.state.level = level
    message.state.stage.extend(stages)
    return compile(message, where=places.where, opener=opener)


def names(graph: Graph) -> list[str]:
    """The layers, in order."""
    return [node.name for node in graph.nodes]


def shape(graph: Graph, blob: str) -> tuple[int, ...]:
    """Of the last state of a blob."""
    return graph.values[graph.final[blob]].shape
