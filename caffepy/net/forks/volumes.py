"""Nets on volumes, in whose Caffes some layers take more than four axes and BVLC Caffe's do not."""

from __future__ import annotations

from caffepy.proto import caffe_pb2

C3D = frozenset(("Convolution3D", "Pooling3D"))
OF_C3D = frozenset(("PReLU", "HingeLoss", "MultinomialLogisticLoss"))
OF_INTEL = frozenset(("PReLU",))
SIZES = ("kernel_size_3d", "stride_3d", "pad_3d")
"""Intel's fields of a Pooling of volumes."""


def adapt(net: caffe_pb2.NetParameter) -> None:
    """Mark the layers that take any number of axes.

    C3D's, if the net has a layer of C3D, or Intel's.
    """
    types = {layer.type for layer in net.layer}
    intel = bool(net.engine) or any(
        layer.engine or any(getattr(layer.pooling_param, name) for name in SIZES)
        for layer in net.layer
    )
    wanted = OF_C3D if types & C3D else OF_INTEL if intel else frozenset()
    for layer in net.layer:
        if layer.type in wanted:
            layer.any_axes = True
