"""Nets of NormFace and AM-Softmax: what a layer does in their Caffe whose name SSD's Caffe gave to another."""

from __future__ import annotations

from typing import Any

from caffepy import log


def settle(net: Any) -> None:
    """Give Normalize layers without a field the normalize_param of happynear's Caffe, if a layer of the net is of that alone.

    In other nets they are SSD's, which learn a scale.
    """
    if not any(layer.type == "LabelSpecificAdd" or layer.inner_product_param.normalize for layer in net.layer):
        return
    for layer in net.layer:
        if layer.type == "Normalize" and not layer.HasField("norm_param") and not layer.HasField("normalize_param"):
            layer.normalize_param.SetInParent()
            log.info("normface.py:0", f"Layer {layer.name} has no scale, as in the Caffe that has LabelSpecificAdd.")
