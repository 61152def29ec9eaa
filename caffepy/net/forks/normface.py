"""Nets of NormFace and AM-Softmax, whose Normalize layer differs from that of SSD's Caffe."""

from __future__ import annotations

from caffepy import log
from caffepy.proto import caffe_pb2


def adapt(net: caffe_pb2.NetParameter) -> None:
    """Give Normalize layers without a field the normalize_param of happynear's Caffe.

    Only if the net has a layer of that Caffe alone. In other nets they are SSD's, which learn a
    scale.
    """
    if not any(_is_of_normface(layer) for layer in net.layer):
        return
    for layer in net.layer:
        if (
            layer.type == "Normalize"
            and not layer.HasField("norm_param")
            and not layer.HasField("normalize_param")
        ):
            layer.normalize_param.SetInParent()
            log.info(
                "normface.py:0",
                f"Layer {layer.name} has no scale, as in the Caffe that has LabelSpecificAdd.",
            )


def _is_of_normface(layer: caffe_pb2.LayerParameter) -> bool:
    """Whether only their Caffe has the layer.

    That is LabelSpecificAdd, or an InnerProduct that normalizes its weights or has them as a
    bottom.
    """
    product = layer.type == "InnerProduct" and (
        layer.inner_product_param.normalize or len(layer.bottom) > 1
    )
    return bool(layer.type == "LabelSpecificAdd" or product)
