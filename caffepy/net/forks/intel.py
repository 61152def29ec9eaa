"""Nets of Intel's Caffe: a field of the net that its layers use."""

from __future__ import annotations

from caffepy import log
from caffepy.proto import caffe_pb2


def adapt(net: caffe_pb2.NetParameter) -> None:
    """Set every BatchNorm's stats_batch_size to the net's bn_stats_batch_size, as in Caffe.

    The field of the net is then cleared.
    """
    if not net.HasField("bn_stats_batch_size"):
        return
    size = net.bn_stats_batch_size
    for layer in net.layer:
        if layer.type == "BatchNorm":
            layer.batch_norm_param.stats_batch_size = size
            log.info(
                "intel.py:0",
                f"Layer {layer.name} takes every {size or 'batch of'} items as a batch of their"
                " own, as the net says.",
            )
    net.ClearField("bn_stats_batch_size")
