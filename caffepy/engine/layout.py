"""The memory format of images: contiguous (NCHW) or channels last."""

from __future__ import annotations

import torch

from caffepy.net.graph import Graph

IMAGE_TYPES = ("Convolution", "Deconvolution", "Pooling")


def prefers_channels_last(graph: Graph, device: torch.device, *, half: bool = False) -> bool:
    """Whether a net runs faster with channels last.

    It does if it convolves or pools images, on a CPU or in 16 bits (``half``) on a GPU.

    On a CPU torch's pooling is ten times faster with channels last, and no convolution is slower.
    On a GPU the kernels for 16 bits read channels last, and convert other formats first. Those for
    float32, above all for grouped convolutions, read contiguous images.
    """
    if device.type == "cuda" and not half:
        return False
    return any(
        node.type in IMAGE_TYPES and len(graph.values[node.bottoms[0]].shape) == 4
        for node in graph.nodes
    )
