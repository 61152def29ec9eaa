"""SegNet's BN layers with the statistics of the whole training set, for the net to test with.

    python compute_bn_statistics.py TRAIN.prototxt WEIGHTS.caffemodel FOLDER

While SegNet trains, a BN layer normalises by the batch. To test, its scale and shift are changed to
include the mean and the variance of the training pictures, averaged over one pass:
    scale' = scale / sqrt(variance + 1e-9)      shift' = shift - mean * scale'
and bn_mode is INFERENCE: scale' * x + shift'.
FOLDER gets test.prototxt and test_weights.caffemodel.
"""

from __future__ import annotations

import sys
from pathlib import Path

import caffe
import numpy as np
from caffe.proto import caffe_pb2
from google.protobuf import text_format

EPS = 1e-9


def read_net(path: str) -> caffe_pb2.NetParameter:
    """The net of a prototxt."""
    net = caffe_pb2.NetParameter()
    text_format.Merge(Path(path).read_text(), net)
    return net


def is_of_phase(layer: caffe_pb2.LayerParameter, phase: int) -> bool:
    """Whether the layer is in the net of this phase, by its include rules."""
    return not layer.include or any(rule.phase == phase for rule in layer.include)


def with_statistics(net: caffe_pb2.NetParameter) -> caffe_pb2.NetParameter:
    """The training net whose BN layers also give the mean and the variance of the batch."""
    result = caffe_pb2.NetParameter()
    result.CopyFrom(net)
    for layer in result.layer:
        if layer.type == "BN":
            layer.top.extend([f"{layer.name}-mean", f"{layer.name}-var"])
    return result


def for_testing(net: caffe_pb2.NetParameter) -> caffe_pb2.NetParameter:
    """The test net: BN layers in the mode INFERENCE."""
    result = caffe_pb2.NetParameter()
    result.CopyFrom(net)
    for layer in result.layer:
        if layer.type == "BN":
            layer.bn_param.bn_mode = caffe_pb2.BNParameter.INFERENCE
    return result


def count_batches(net: caffe_pb2.NetParameter) -> int:
    """The batches of one pass over the training list."""
    for layer in net.layer:
        if layer.type == "DenseImageData" and is_of_phase(layer, caffe.TRAIN):
            data = layer.dense_image_data_param
            lines = Path(data.source).read_text().splitlines()
            return -(-len(lines) // data.batch_size)
    raise ValueError("the net has no DenseImageData layer")


def average_statistics(net: caffe.Net, layers: list[str], batches: int) -> dict[str, np.ndarray]:
    """For each BN layer (2, C): the mean and the unbiased variance of a channel."""
    sums = {layer: np.zeros((2, net.params[layer][0].data.size)) for layer in layers}
    for _ in range(batches):
        net.forward()
        for layer in layers:
            sums[layer][0] += net.blobs[f"{layer}-mean"].data.ravel()
            sums[layer][1] += net.blobs[f"{layer}-var"].data.ravel()
    for layer in layers:
        top = net.blobs[net.top_names[layer][0]].data
        values = top.size / top.shape[1]
        sums[layer][1] *= values / (values - 1)
    return {layer: total / batches for layer, total in sums.items()}


def include_statistics(net: caffe.Net, statistics: dict[str, np.ndarray]) -> None:
    """Change scale and shift of each BN layer by its mean and variance."""
    for layer, (mean, variance) in statistics.items():
        scale, shift = (blob.data for blob in net.params[layer])
        scale[...] /= np.sqrt(variance + EPS).reshape(scale.shape)
        shift[...] -= mean.reshape(shift.shape) * scale


def main() -> None:
    train, weights, result = sys.argv[1:]
    folder = Path(result)
    folder.mkdir(parents=True, exist_ok=True)
    train_net = read_net(train)
    statistics_net = folder / "bn_statistics.prototxt"
    statistics_net.write_text(text_format.MessageToString(with_statistics(train_net)))
    caffe.set_mode_cpu()
    net = caffe.Net(str(statistics_net), weights, caffe.TRAIN)
    layers = [layer.name for layer in train_net.layer if layer.type == "BN"]
    include_statistics(net, average_statistics(net, layers, count_batches(train_net)))
    net.save(str(folder / "test_weights.caffemodel"))
    (folder / "test.prototxt").write_text(text_format.MessageToString(for_testing(train_net)))


if __name__ == "__main__":
    main()
