"""Checks labels and indices on a GPU: an error is raised when the host waits anyway."""

from __future__ import annotations

from typing import Protocol

import torch

from caffepy.engine.node_errors import node_errors
from caffepy.layers.core.base import Run
from caffepy.layers.core.places import KEY, Extremes
from caffepy.net.graph import Graph


class Passed(Protocol):
    """An engine that has run passes."""

    graph: Graph
    runs: list[Run]


def check_places(engine: Passed) -> None:
    """LayerError if a layer has read a label or an index out of range since the last call.

    The error names the first such layer. Waits for the device.
    """
    known_places: list[tuple[int, Extremes]] = [
        (i, run.state[KEY]) for i, run in enumerate(engine.runs) if KEY in run.state
    ]
    if not known_places:
        return
    extremes = torch.stack([known.seen for _, known in known_places]).tolist()
    for (i, known), (least, most) in zip(known_places, extremes):
        if least < 0 or most >= known.n:
            known.seen.zero_()
            with node_errors(engine.graph.nodes[i]):
                raise known.refusal(least if least < 0 else most)
