"""Nets on volumes: which layers take blobs of more than four axes in Caffes that made it so, and not in BVLC Caffe."""

from __future__ import annotations

from caffepy.proto import caffe_pb2

C3D = frozenset(("Convolution3D", "Pooling3D"))
OF_C3D = frozenset(("PReLU", "HingeLoss", "MultinomialLogisticLoss"))
OF_INTEL = frozenset(("PReLU",))
SIZES = ("kernel_size_3d", "stride_3d", "pad_3d")
"""Intel's, of a Pooling of volumes."""


def settle(net: caffe_pb2.NetParameter) -> None:
    """Write into a filtered NetParameter which layers take any number of axes: C3D's if one of its own is there, or Intel's."""
    types = {layer.type for layer in net.layer}
    intel = bool(net.engine) or any(
        layer.engine or any(getattr(layer.pooling_param, name) for name in SIZES)
        for layer in net.layer
    )
    wanted = OF_C3D if types & C3D else OF_INTEL if intel else frozenset()
    for layer in net.layer:
        if layer.type in wanted:
            layer.any_axes = True
