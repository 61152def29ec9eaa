"""Errors that a layer meets while it runs get the layer's place and name."""

from __future__ import annotations

from contextlib import AbstractContextManager

from caffepy.net.graph import Graph, Node
from caffepy.net.layer_errors import layer_errors


def blame(node: Node) -> AbstractContextManager[None]:
    """Name ``node`` in a LayerError or DataError raised inside."""
    return layer_errors(node.name, node.type, lambda *path: node.where, node.layer.param)


def gradient_refusal(node: Node, graph: Graph) -> str:
    """Which bottom of ``node`` is to get a gradient that its layer does not give, in words.

    Empty: none is.
    """
    gradients = node.layer.gradients
    for i, (value, wanted) in enumerate(zip(node.bottoms, node.propagate_down)):
        if wanted and (not gradients.backward or i in gradients.refused):
            return f"cannot backpropagate to bottom {i} '{graph.values[value].name}'"
    return ""
