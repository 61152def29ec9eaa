"""The data of a net's page: its layers, and what its user wants to see besides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from caffepy import log
from caffepy.engine.arena import Arena
from caffepy.engine.engines import Setup, fill_net
from caffepy.engine.predictions import predictions
from caffepy.engine.weights import arrays_of, tensors_of, weight_files
from caffepy.layers.core.random import CaffeRandom
from caffepy.net.graph import Graph
from caffepy.report.view.activations import activations_data, put_labels
from caffepy.report.view.feeds import Preparation, image_feed, record_feed
from caffepy.report.view.net_data import net_data
from caffepy.report.view.weights import weights_data
from caffepy.scoring.pictures import parse_mean, read_labels

PLACE = "view.cpp:0"


@dataclass(frozen=True)
class Asked:
    """What to show of a net besides its layers; empty text or None: not asked for.

    ``weights``: files, separated by commas.
    ``image``, ``record``: what to run the net on, a file or the number of a record.
    ``layers``: names of layers whose feature maps are kept in full.
    ``mean``, ``scale``: see `Preparation`; ``mean`` may be a file.
    ``labels``: a file with the name of a class a line.
    """

    weights: str = ""
    image: str = ""
    record: int | None = None
    layers: Sequence[str] = ()
    mean: str = ""
    scale: float | None = None
    labels: str = ""

    @property
    def runs(self) -> bool:
        """Whether the net is to be run."""
        return bool(self.image) or self.record is not None


def net_page(graph: Graph, notes: Sequence[str], asked: Asked) -> dict[str, Any]:
    """The data of a net.  ``graph``: with its data open where a record is asked for."""
    data = net_data(graph, notes)
    if asked.weights or asked.runs:
        arena = filled(graph, asked.weights)
        if asked.weights:
            data["weights"] = weights_data(graph, arrays_of(arena))
        if asked.runs:
            data["activations"] = one_pass(graph, arena, asked)
    return data


def filled(graph: Graph, weights: str) -> Arena:
    """The net's parameters, from files or from fillers."""
    files = weight_files([weights]) if weights else []
    arena, _ = fill_net(graph, files, setup=Setup(torch.device("cpu"), CaffeRandom(1)))
    if graph.params and not files:
        log.warning(
            PLACE,
            "no -weights are given: the feature maps come from the fillers' weights",
        )
    return arena


def one_pass(graph: Graph, arena: Arena, asked: Asked) -> dict[str, Any]:
    """What the net makes of a picture or record."""
    part = predictions(graph)
    if asked.record is not None:
        feed = record_feed(graph, part, asked.record)
    else:
        feed = image_feed(
            graph, part, asked.image, Preparation(parse_mean(asked.mean), asked.scale)
        )
    found = activations_data(graph, part, feed, tensors_of(arena), named=asked.layers)
    put_labels(found["classes"], read_labels(asked.labels) if asked.labels else [])
    return found
