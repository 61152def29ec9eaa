"""Errors of a layer while the net runs: each names the layer and its line of the prototxt."""

from __future__ import annotations

from contextlib import AbstractContextManager

from caffepy.net.graph import Graph, Node
from caffepy.net.layer_errors import layer_errors


def node_errors(node: Node) -> AbstractContextManager[None]:
    """A context in which a LayerError or DataError gets the place and name of ``node``."""
    return layer_errors(node.name, node.type, lambda *path: node.where, node.layer.param)


def gradient_refusal(node: Node, graph: Graph) -> str:
    """Why ``node`` cannot run backward: a bottom needs a gradient that its layer does not give.

    Empty if it can.
    """
    gradients = node.layer.gradients
    for i, (value, wanted) in enumerate(zip(node.bottoms, node.propagate_down)):
        if wanted and (not gradients.backward or i in gradients.refused):
            return f"cannot backpropagate to bottom {i} '{graph.values[value].name}'"
    return ""
