"""What layers on a GPU could not tell without a wait, told once somebody waits."""

from __future__ import annotations

from typing import Protocol

import torch

from caffepy.engine.node_errors import node_errors
from caffepy.layers.core.base import Run
from caffepy.layers.core.places import KEY, Extremes
from caffepy.net.graph import Graph


class Passed(Protocol):
    """An engine."""

    graph: Graph
    runs: list[Run]


def check_places(engine: Passed) -> None:
    """LayerError for the first layer that met a label or an index outside since the last call.

    Waits for the device.
    """
    known_places: list[tuple[int, Extremes]] = [
        (i, run.state[KEY]) for i, run in enumerate(engine.runs) if KEY in run.state
    ]
    if not known_places:
        return
    for (i, known), (least, most) in zip(
        known_places, torch.stack([known.seen for _, known in known_places]).tolist()
    ):
        if least < 0 or most >= known.n:
            known.seen.zero_()
            with node_errors(engine.graph.nodes[i]):
                raise known.refusal(least if least < 0 else most)
