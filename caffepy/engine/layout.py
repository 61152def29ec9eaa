"""In which order the elements of images lie in memory: NCHW, or with the channels last."""

from __future__ import annotations

from caffepy.net.graph import Graph

IMAGE_TYPES = ("Convolution", "Deconvolution", "Pooling")


def prefers_channels_last(graph: Graph) -> bool:
    """Whether a net runs faster with its channels last: where it convolves or pools images.

    torch's pooling of contiguous images is ten times slower, and no convolution, grouped or not, is slower this way.
    """
    return any(node.type in IMAGE_TYPES and len(graph.values[node.bottoms[0]].shape) == 4 for node in graph.nodes)
