"""Net definitions to graphs: phase filter, splits, shapes, parameters, and where backward runs."""

from caffepy.net.compile import AUTOMATIC, compile, refitted, reshaped
from caffepy.net.graph import UNKNOWN, Graph, Node, Param, Value

__all__ = [
    "AUTOMATIC",
    "UNKNOWN",
    "Graph",
    "Node",
    "Param",
    "Value",
    "compile",
    "refitted",
    "reshaped",
]
