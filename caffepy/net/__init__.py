"""Net definitions to graphs: phase filter, splits, shapes, parameters, what needs backward."""

from caffepy.net.compile import AUTOMATIC, compile, refitted, reshaped
from caffepy.net.graph import Graph, Node, Param, Value

__all__ = ["AUTOMATIC", "Graph", "Node", "Param", "Value", "compile", "refitted", "reshaped"]
