"""ONNX operators of layers with learned weights that are no convolution."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import torch

from caffepy.layers.linear.embed import NO_ROW
from caffepy.layers.linear.inner_product import unit_length
from caffepy.layers.norm.bn import SEGNET_EPS
from caffepy.layers.norm.normalize import EPS, LEAST
from caffepy.onnx.registry import converts
from caffepy.onnx.site import FLOAT, Site


@converts("InnerProduct")
def inner_product(at: Site) -> str:
    layer = at.layer
    rows = (
        at.op("Flatten", at.x, axis=1) if layer.axis == 1 else at.reshape(at.x, (-1, layer.inputs))
    )
    if len(at.inputs) > 1:
        weight = at.reshape(
            at.inputs[1],
            (layer.inputs, layer.num_output)
            if layer.transpose
            else (layer.num_output, layer.inputs),
        )
    elif layer.normalize:
        stored = torch.from_numpy(at.arrays[0]).reshape(layer.num_output, layer.inputs)
        weight = at.floats((stored / unit_length(stored)).reshape(at.arrays[0].shape).numpy())
    else:
        weight = at.blobs[0]
    y = at.op("Gemm", rows, weight, *at.blobs[1:], transB=0 if layer.transpose else 1)
    return y if layer.axis == 1 else at.reshape(y, at.tops[0])


@converts("Embed")
def embed(at: Site) -> str:
    index = at.indices(at.x)
    nothing = at.op(
        "Unsqueeze", at.op("Equal", index, at.ints(NO_ROW)), at.ints([at.axes])
    )  # where Gather takes the last row
    y = at.op("Where", nothing, at.floats(0), at.op("Gather", at.blobs[0], index, axis=0))
    return at.op("Add", y, at.blobs[1]) if len(at.blobs) > 1 else y


@converts("Scale")
def scale(at: Site) -> str:
    y = at.op("Mul", at.x, _second(at))
    return (
        at.op("Add", y, at.learned(-1, at.layer.axis))
        if at.layer.param.scale_param.bias_term
        else y
    )


@converts("Bias")
def bias(at: Site) -> str:
    return at.op("Add", at.x, _second(at))


def _second(at: Site) -> str:
    """The smaller operand, learned or the second bottom."""
    axis = at.layer.axis
    return (
        at.learned(0, axis)
        if len(at.inputs) == 1
        else at.trailing(at.inputs[1], at.bottoms[1], axis)
    )


@converts("BatchNorm")
def batch_norm(at: Site) -> str:
    layer = at.layer
    mean, variance, factor, *learned = at.arrays
    if not layer.use_global_stats:
        if 0 < layer.stats_batch_size < at.bottoms[0][0]:
            raise at.fail(
                f"each {layer.stats_batch_size} items are a batch of their own; "
                "needed: no stats_batch_size"
            )
        y = own_statistics(at, layer.eps)
        return _scaled(at, y, *learned) if learned else y
    inverse = 1 if layer.scales else 0 if factor == 0 else 1 / factor
    ones = np.ones(layer.channels)
    blobs = (
        at.floats(values)
        for values in (*(learned or (ones, ones * 0)), mean * inverse, variance * inverse)
    )
    return at.op("BatchNormalization", at.x, *blobs, epsilon=layer.eps)


@converts("BN")
def bn(at: Site) -> str:
    layer = at.layer
    p = layer.param.bn_param
    scale, shift, *statistics = (blob.reshape(-1) for blob in at.arrays)
    if layer.segnet:
        if len(at.tops) > 1:
            raise at.fail("it gives the batch's statistics; needed: one top")
        learns = not p.HasField("bn_mode") or p.bn_mode != p.INFERENCE
        y = own_statistics(at, SEGNET_EPS) if learns else at.x
        return _scaled(at, y, scale, shift)
    blobs = (at.floats(values) for values in (scale, shift, *statistics))
    return at.op("BatchNormalization", at.x, *blobs, epsilon=float(p.eps))


def _scaled(
    at: Site, y: str, scale: npt.NDArray[np.float32], shift: npt.NDArray[np.float32]
) -> str:
    """``y`` with a scale and a shift for each channel."""
    shape = (-1, *(1,) * (at.axes - 2))
    return at.op(
        "Add", at.op("Mul", y, at.floats(scale.reshape(shape))), at.floats(shift.reshape(shape))
    )


def means(at: Site, x: str, axes: Sequence[int], *, keepdims: int = 1) -> str:
    """Means over the last two of ``axes``, then over those before.

    OpenCV 4 computes wrong numbers for three axes at once.
    """
    for some in (axes[-2:], axes[:-2]):
        x = at.op("ReduceMean", x, axes=list(some), keepdims=keepdims) if some else x
    return x


def sums(at: Site, x: str, axes: Sequence[int], *, keepdims: int = 1) -> str:
    """Sums in the order of `means`."""
    for some in (axes[-2:], axes[:-2]):
        x = at.op("ReduceSum", x, at.ints(some), keepdims=keepdims) if some else x
    return x


def own_statistics(at: Site, eps: float) -> str:
    """Each channel less its mean in the batch, over its deviation."""
    axes = [axis for axis in range(at.axes) if axis != 1]
    centred = at.op("Sub", at.x, means(at, at.x, axes))
    variance = means(at, at.op("Mul", centred, centred), axes)
    return at.op("Div", centred, at.op("Sqrt", at.affine(variance, 1, eps)))


@converts("Normalize")
def normalize(at: Site) -> str | list[str]:
    if at.layer.unit:
        x = at.reshape(at.x, at.tops[0]) if at.axes < 4 else at.x
        plain = at.layer.param.normalize_param.normalize_type == "L1"
        total = sums(at, at.op("Abs", x) if plain else at.op("Mul", x, x), [1])
        if plain:
            length = at.affine(total, 1, EPS)
        else:
            eps = at.op(
                "Where", at.op("Equal", total, at.floats(0)), at.floats(EPS), at.floats(LEAST)
            )
            length = at.op("Sqrt", at.op("Add", total, eps))
        return [at.op("Div", x, length), length][: len(at.tops)]
    axes = list(range(1, at.axes)) if at.layer.param.norm_param.across_spatial else [1]
    total = sums(at, at.op("Mul", at.x, at.x), axes)
    y = at.op("Div", at.x, at.op("Sqrt", at.affine(total, 1, at.layer.eps)))
    return at.op("Mul", y, at.learned(0))


@converts("ChannelNorm")
def channel_norm(at: Site) -> str:
    x = at.reshape(at.x, (*at.bottoms[0], 1, 1, 1)[:4]) if at.axes < 4 else at.x
    return at.op("Sqrt", sums(at, at.op("Mul", x, x), [1]))


@converts("LabelSpecificAdd")
def label_specific_add(at: Site) -> list[str]:
    return [at.op("Identity", at.x), at.floats([0])][: len(at.tops)]


@converts("Parameter")
def parameter(at: Site) -> str:
    return at.op("Identity", at.blobs[0])


@converts("MVN")
def mvn(at: Site) -> str:
    p = at.layer.param.mvn_param
    shape = at.layer.shape
    x = (
        at.op("Unsqueeze", at.x, at.ints(range(at.axes, len(shape))))
        if len(shape) > at.axes
        else at.x
    )
    axes = list(range(1 if p.across_channels else 2, len(shape)))
    if not axes:  # one value by itself: it is its own mean
        return at.op("Mul", x, at.floats(0))
    y = at.op("Sub", x, means(at, x, axes))
    if not p.normalize_variance:
        return str(y)
    deviation = at.op("Sqrt", means(at, at.op("Mul", y, y), axes))
    return at.op("Div", y, at.affine(deviation, 1, p.eps))


@converts("Softmax")
def softmax(at: Site) -> str:
    return at.op("Softmax", at.x, axis=at.layer.axis)


@converts("Reduction")
def reduction(at: Site) -> str:
    layer = at.layer
    p = layer.param.reduction_param
    x = at.x
    if p.operation == p.ASUM:
        x = at.op("Abs", x)
    elif p.operation == p.SUMSQ:
        x = at.op("Mul", x, x)
    axes = range(layer.axis, at.axes)
    if p.operation == p.MEAN:
        return at.affine(means(at, x, axes, keepdims=0), p.coeff, 0)
    return at.affine(sums(at, x, axes, keepdims=0), p.coeff, 0)


@converts("ArgMax")
def argmax(at: Site) -> str:
    layer = at.layer
    x = at.x
    axis = layer.axis
    if axis is None:
        x = at.op("Flatten", x, axis=1)
        axis = 1
    if layer.top_k == 1:
        place = at.op("ArgMax", x, axis=axis, keepdims=1, select_last_index=1)
        values = at.op("ReduceMax", x, axes=[axis])
    else:
        values, place = at.ops("TopK", x, at.ints([layer.top_k]), axis=axis, outputs=2)
    index = at.op("Cast", place, to=FLOAT)
    if layer.axis is not None:
        return values if layer.values else index
    both = at.op("Concat", index, values, axis=1) if layer.values else index
    return at.reshape(both, at.tops[0])
