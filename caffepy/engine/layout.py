"""In which order the elements of images lie in memory: NCHW, or with the channels last."""

from __future__ import annotations

from caffepy.net.graph import Graph, Node

IMAGE_TYPES = ("Convolution", "Deconvolution", "Pooling")


def prefers_channels_last(graph: Graph) -> bool:
    """Whether a net runs faster with its channels last; the same answer for the same graph everywhere.

    Nets of 4-axis convolutions and poolings do, since torch's pooling of contiguous images is ten times slower, unless
    grouped convolutions are most of the work.
    """
    flops = {False: 0, True: 0}
    found = False
    for node in graph.nodes:
        if node.type in IMAGE_TYPES and len(graph.values[node.bottoms[0]].shape) == 4:
            found = True
            if node.type != "Pooling":
                flops[_grouped(node)] += _flops(graph, node)
    return found and flops[True] <= flops[False]


def _grouped(node: Node) -> bool:
    return bool(node.layer.param.convolution_param.group > 1)


def _flops(graph: Graph, node: Node) -> int:
    return node.layer.flops([graph.values[v].shape for v in node.bottoms], [graph.values[v].shape for v in node.tops])
