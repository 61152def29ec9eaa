"""Merges BatchNorm and Scale into the convolutions before them, for nets that only test.

    python merge_bn.py WEIGHTS MERGED_WEIGHTS deploy.prototxt merged/deploy.prototxt ...

Writes each prototxt without these layers beside the merged weights, as scripts of this name do
for MobileNet-SSD and MobileNet-YOLO. The convolutions get a bias. A BatchNorm behind anything
else, or whose input another layer reads too, stays.
"""

from __future__ import annotations

import sys
from pathlib import Path

import caffe
import numpy as np
from caffe.proto import caffe_pb2
from google.protobuf import text_format

MERGED = ("Convolution", "ConvolutionDepthwise", "DepthwiseConvolution", "InnerProduct")
Chain = list[caffe_pb2.LayerParameter]
"""A convolution, its BatchNorm, and perhaps the Scale behind that."""


def chains(net: caffe_pb2.NetParameter) -> list[Chain]:
    """The convolutions that a BatchNorm follows, with what follows."""
    found = []
    for place, layer in enumerate(net.layer):
        if layer.type not in MERGED:
            continue
        chain = [layer]
        for kind in ("BatchNorm", "Scale"):
            reader = _lone_reader(net, chain[-1].top[0], place)
            if reader is None or reader.type != kind or len(reader.bottom) > 1:
                break
            chain.append(reader)
            place = list(net.layer).index(reader)
        if len(chain) > 1:
            found.append(chain)
    return found


def _lone_reader(
    net: caffe_pb2.NetParameter, blob: str, place: int
) -> caffe_pb2.LayerParameter | None:
    """The layer that reads ``blob`` of the layer at ``place``.

    None if there are several, unless the first of them overwrites the blob.
    """
    readers = [layer for layer in net.layer[place + 1 :] if blob in layer.bottom]
    if not readers or (len(readers) > 1 and blob not in readers[0].top):
        return None
    return readers[0]


def without_batch_norm(net: caffe_pb2.NetParameter) -> caffe_pb2.NetParameter:
    """The net whose convolutions do what the chains did."""
    merged = caffe_pb2.NetParameter()
    merged.CopyFrom(net)
    for chain in chains(merged):
        convolution = chain[0]
        convolution.top[0] = chain[-1].top[0]
        field = "inner_product_param" if convolution.type == "InnerProduct" else "convolution_param"
        getattr(convolution, field).bias_term = True
        for layer in chain[1:]:
            merged.layer.remove(layer)
    return merged


def merged_blobs(chain: Chain, blobs: dict[str, list[np.ndarray]]) -> list[np.ndarray]:
    """Weights and bias of the convolution that does what the chain does."""
    weight, *rest = blobs[chain[0].name]
    mean, variance, count = blobs[chain[1].name][:3]
    count = count.item() or 1.0
    slope = 1 / np.sqrt(variance / count + chain[1].batch_norm_param.eps)
    offset = -mean / count * slope
    if rest:
        offset = offset + rest[0].reshape(-1) * slope
    if len(chain) > 2:
        gamma, *beta = (blob.reshape(-1) for blob in blobs[chain[2].name])
        slope = slope * gamma
        offset = offset * gamma + (beta[0] if beta else 0)
    return [weight * slope.reshape(-1, *[1] * (weight.ndim - 1)), offset]


def main() -> None:
    weights, merged_weights, *models = sys.argv[1:]
    for model, merged_model in zip(models[::2], models[1::2]):
        net = caffe_pb2.NetParameter()
        text_format.Parse(Path(model).read_text(), net)
        merged = without_batch_norm(net)
        Path(merged_model).parent.mkdir(parents=True, exist_ok=True)
        Path(merged_model).write_text(text_format.MessageToString(merged))
    # The nets have the same layers with weights, so the last one's weights are those of all.
    trained = caffe.Net(models[-2], caffe.TEST, weights=weights)
    blobs = {name: [blob.data.copy() for blob in own] for name, own in trained.params.items()}
    for chain in chains(net):
        blobs[chain[0].name] = merged_blobs(chain, blobs)
    result = caffe.Net(models[-1], caffe.TEST)
    for name, own in result.params.items():
        for blob, values in zip(own, blobs[name]):
            blob.data[...] = values.reshape(blob.data.shape)
    result.save(merged_weights)
    print(f"{len(chains(net))} BatchNorm layers merged: {merged_weights}")


if __name__ == "__main__":
    main()
