"""Net surgery: a classifier's weights into a net of convolutions, and bilinear deconvolutions.

python surgery.py CLASSIFIER.prototxt CLASSIFIER.caffemodel FCN.prototxt RESULT.caffemodel
"""

from __future__ import annotations

import sys

import caffe
import numpy as np


def transplant(new_net: caffe.Net, net: caffe.Net) -> None:
    """Copy the parameters of layers with the same name, whatever their shapes are.

    An InnerProduct's weights (outputs, inputs) are those of the Convolution (outputs, channels,
    height, width) whose window is all of the InnerProduct's bottom: in the same order.
    """
    for layer, blobs in net.params.items():
        if layer not in new_net.params:
            print(f"{layer}: not in the new net")
            continue
        for new, old in zip(new_net.params[layer], blobs):
            if new.data.shape != old.data.shape:
                print(f"{layer}: {old.data.shape} becomes {new.data.shape}")
            new.data.flat = old.data.flat


def bilinear_kernel(size: int) -> np.ndarray:
    """(size, size): how much each pixel around counts, by its distance from the centre."""
    reach = (size + 1) // 2
    distances = np.abs(np.arange(size) - (size - 1) / 2)
    weights = 1 - distances / reach
    return np.outer(weights, weights)


def interp(net: caffe.Net, layers: list[str]) -> None:
    """Make the Deconvolution layers enlarge each channel by itself, bilinearly."""
    for layer in layers:
        weights = net.params[layer][0].data
        channels, inputs, height, width = weights.shape
        if height != width or inputs not in (1, channels):
            raise ValueError(
                f"{layer}: its weights are {weights.shape};"
                " needed: square windows, as many inputs as outputs"
            )
        weights[...] = 0
        for channel in range(channels):
            weights[channel, channel % inputs] = bilinear_kernel(height)


def main() -> None:
    classifier, classifier_weights, fcn, result = sys.argv[1:]
    caffe.set_mode_cpu()
    old = caffe.Net(classifier, classifier_weights, caffe.TRAIN)
    new = caffe.Net(fcn, caffe.TRAIN)
    transplant(new, old)
    interp(new, [layer for layer in new.params if "up" in layer])
    new.save(result)


if __name__ == "__main__":
    main()
