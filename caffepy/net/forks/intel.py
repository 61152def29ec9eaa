"""Nets of Intel's Caffe: what a field of the whole net does there to its layers."""

from __future__ import annotations

from caffepy import log
from caffepy.proto import caffe_pb2


def settle(net: caffe_pb2.NetParameter) -> None:
    """Give every BatchNorm of a filtered NetParameter the bn_stats_batch_size of the net, in place of its own, as Intel's Caffe does."""
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
