"""What the page shows of parameters: histograms, filters as pictures, dead channels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from caffepy.net.graph import Graph, Node
from caffepy.report.view.images import filters
from caffepy.report.view.statistics import statistics

Floats = npt.NDArray[np.float32]
MOST_FILTERS = 256
IMAGE_CHANNELS = (1, 3)
"""Filters with so many channels can be shown as gray or colour pictures."""
DEAD_SHARE = 1e-3
"""A channel is dead if its largest weight is at most this share of the layer's largest."""
CONVOLUTIONS = ("Convolution", "DepthwiseConvolution", "ConvolutionDepthwise")


def weights_data(graph: Graph, arrays: Mapping[int, Floats]) -> list[dict[str, Any]]:
    """What the page shows of the parameters of each layer; ``arrays``: by index in Graph.params."""
    return [
        layer_weights(graph, node, arrays) for node in graph.nodes if not node.is_automatic_split
    ]


def layer_weights(graph: Graph, node: Node, arrays: Mapping[int, Floats]) -> dict[str, Any]:
    """The parameters of one layer; empty if it has none."""
    values = [arrays[index].reshape(graph.params[index].shape) for index in node.params]
    if not values:
        return {}
    found: dict[str, Any] = {"statistics": [statistics(array) for array in values]}
    weight = values[0]
    if node.type in CONVOLUTIONS and are_pictures(weight):
        found["filters"] = filters(weight, MOST_FILTERS).data()
    channels = channel_weights(node, weight)
    if channels is not None:
        found["dead"] = {"channels": dead_channels(channels), "of": len(channels)}
    return found


def are_pictures(weight: Floats) -> bool:
    """Whether filters have the channels of an image and are larger than 1 x 1."""
    if weight.ndim != 4:
        return False
    _, channels, height, width = weight.shape
    return channels in IMAGE_CHANNELS and height * width > 1


def channel_weights(node: Node, weight: Floats) -> Floats | None:
    """The weights of each top channel, (channels, weights); None for types without channels."""
    if node.type == "InnerProduct":
        return weight.T if node.layer.param.inner_product_param.transpose else weight
    if node.type in (*CONVOLUTIONS, "Convolution3D"):
        return weight.reshape(len(weight), -1)
    if node.type == "Scale" and weight.ndim == 1:
        return weight[:, None]
    return None


def dead_channels(weights: Floats) -> list[int]:
    """The channels whose weights are all about zero, see `DEAD_SHARE`."""
    largest = np.abs(np.nan_to_num(weights)).max(axis=1, initial=0)
    return np.flatnonzero(largest <= DEAD_SHARE * largest.max(initial=0)).tolist()
