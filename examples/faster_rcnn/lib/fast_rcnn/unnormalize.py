"""Weights for testing, of weights in training: the offsets of boxes in their own units.

    python -m fast_rcnn.unnormalize NET.prototxt TRAINED.caffemodel TESTED.caffemodel
    python -m fast_rcnn.unnormalize --back NET.prototxt TESTED.caffemodel TRAINED.caffemodel

In training the targets are offsets less BBOX_NORMALIZE_MEANS, by BBOX_NORMALIZE_STDS.
py-faster-rcnn undoes that in the last layer's weights whenever it writes a snapshot, so that a net
in TEST gives offsets as they are. Its published weights are such.
`caffe train` writes the weights as they are in training, from which it can go on.
--back makes such of published ones.

NET is any prototxt with the layers, such as that for testing.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager

import caffe
import numpy as np

from fast_rcnn.config import cfg


def unnormalize(net: caffe.Net, back: bool = False) -> list[str]:
    """Undo the normalisation in the weights of a net, or with `back` do it; the layers' names."""
    done = []
    means = cfg.TRAIN.BBOX_NORMALIZE_MEANS
    stds = cfg.TRAIN.BBOX_NORMALIZE_STDS
    # bbox_pred has 4 outputs for each class; rfcn_bbox has a map for each output and cell.
    for name in ("bbox_pred", "rfcn_bbox"):
        if name in net.params:
            _change(net.params[name], means, stds, _cells(net, name), back)
            done.append(name)
    if cfg.TRAIN.RPN_NORMALIZE_TARGETS and "rpn_bbox_pred" in net.params:
        means = cfg.TRAIN.RPN_NORMALIZE_MEANS
        stds = cfg.TRAIN.RPN_NORMALIZE_STDS
        _change(net.params["rpn_bbox_pred"], means, stds, 1, back)
        done.append("rpn_bbox_pred")
    return done


@contextmanager
def unnormalized(net: caffe.Net) -> Iterator[None]:
    """Within the block, a net in training has the weights for testing: `net.save(...)`."""
    kept = {name: [blob.data.copy() for blob in blobs] for name, blobs in net.params.items()}
    unnormalize(net)
    try:
        yield
    finally:
        for name, values in kept.items():
            for blob, value in zip(net.params[name], values):
                blob.data[...] = value


def _cells(net: caffe.Net, name: str) -> int:
    """The cells of R-FCN's grid, each of which has channels of its own."""
    if name != "rfcn_bbox":
        return 1
    outputs = net.blobs["bbox_pred"].shape[1]
    return len(net.params[name][0].data) // outputs


def _change(
    blobs: caffe.BlobVec, means: tuple[float, ...], stds: tuple[float, ...], cells: int, back: bool
) -> None:
    weights = blobs[0].data
    bias = blobs[1].data
    groups = len(weights) // (len(stds) * cells)
    std = np.tile(np.repeat(np.float32(stds), cells), groups)
    mean = np.tile(np.repeat(np.float32(means), cells), groups)
    by_output = std.reshape(-1, *[1] * (weights.ndim - 1))
    if back:
        weights[...] = weights / by_output
        bias[...] = (bias - mean) / std
    else:
        weights[...] = weights * by_output
        bias[...] = bias * std + mean


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("net")
    parser.add_argument("given")
    parser.add_argument("made")
    parser.add_argument("--back", action="store_true", help="normalise instead")
    options = parser.parse_args()
    net = caffe.Net(options.net, caffe.TEST, weights=options.given)
    done = unnormalize(net, options.back)
    if not done:
        parser.error(f"{options.net} has no layer bbox_pred or rfcn_bbox with weights")
    net.save(options.made)
    print(f"{options.made}: {', '.join(done)} {'normalised' if options.back else 'unnormalised'}")


if __name__ == "__main__":
    main()
