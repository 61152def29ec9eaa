"""What the page shows of a net's parameters: histograms, filters as pictures, channels that are dead."""

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
SEEN = (1, 3)
"""Channels of filters that can be looked at as pictures: gray or colours."""
DEAD_SHARE = 1e-3
"""A channel is dead whose largest weight is at most this share of the layer's largest."""


def weights_data(graph: Graph, arrays: Mapping[int, Floats]) -> list[dict[str, Any]]:
    """For each layer of the page, in its order, what is known of its parameters; ``arrays``: by index in Graph.params."""
    return [layer_weights(graph, node, arrays) for node in graph.nodes if not node.is_automatic_split]


def layer_weights(graph: Graph, node: Node, arrays: Mapping[int, Floats]) -> dict[str, Any]:
    """Statistics of each parameter, pictures of filters that read an image, dead channels; empty for a layer without parameters."""
    values = [arrays[index].reshape(graph.params[index].shape) for index in node.params]
    if not values:
        return {}
    found: dict[str, Any] = {"statistics": [statistics(array) for array in values]}
    weight = values[0]
    if node.type in ("Convolution", "DepthwiseConvolution", "ConvolutionDepthwise") and weight.ndim == 4 and sees_pictures(weight):
        found["filters"] = filters(weight, MOST_FILTERS).data()
    if (channels := channel_weights(node, weight)) is not None:
        found["dead"] = {"channels": dead_channels(channels), "of": len(channels)}
    return found


def sees_pictures(weight: Floats) -> bool:
    """Whether filters have 1 or 3 channels and more than a point."""
    return weight.shape[1] in SEEN and weight.shape[2] * weight.shape[3] > 1


def channel_weights(node: Node, weight: Floats) -> Floats | None:
    """The weights that make each channel of the top, (channels, weights); None for layers that mix none."""
    if node.type in ("Convolution", "InnerProduct", "Convolution3D", "DepthwiseConvolution", "ConvolutionDepthwise"):
        param = node.layer.param.inner_product_param
        if node.type == "InnerProduct" and param.transpose:
            return weight.T
        return weight.reshape(len(weight), -1)
    if node.type == "Scale" and weight.ndim == 1:
        return weight[:, None]
    return None


def dead_channels(weights: Floats) -> list[int]:
    """The channels whose weights are all nearly zero against the layer's largest.  ``weights``: (channels, weights)."""
    largest = np.abs(np.nan_to_num(weights)).max(axis=1, initial=0)
    whole = largest.max(initial=0)
    return np.flatnonzero(largest <= DEAD_SHARE * whole).tolist()
