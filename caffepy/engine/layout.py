"""In which order the elements of images lie in memory: NCHW, or with the channels last."""

from __future__ import annotations

import torch

from caffepy.net.graph import Graph

IMAGE_TYPES = ("Convolution", "Deconvolution", "Pooling")


def prefers_channels_last(graph: Graph, device: torch.device, *, half: bool = False) -> bool:
    """Whether a net runs faster with its channels last.

    It does where it convolves or pools images on a CPU, or on a GPU in 16 bits (``half``).

    On a CPU torch's pooling of contiguous images is ten times slower, and no convolution, grouped
    or not, is slower this way. On a GPU the kernels for 16 bits read channels last, and turn what
    lies otherwise; those for float32, grouped ones above all, are contiguous.
    """
    if device.type == "cuda" and not half:
        return False
    return any(
        node.type in IMAGE_TYPES and len(graph.values[node.bottoms[0]].shape) == 4
        for node in graph.nodes
    )
