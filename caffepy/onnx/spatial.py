"""ONNX operators of layers that look at windows and planes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import torch

from caffepy.layers.common.base_conv import Windows
from caffepy.layers.common.pooling_windows import divisor
from caffepy.layers.core.base import Shape, count
from caffepy.layers.core.half import LEAST
from caffepy.layers.windows.pooling import AVE, MAX, PoolingSpec
from caffepy.onnx.registry import converts
from caffepy.onnx.site import FLOAT, Array, Site


@converts("Convolution", "ConvolutionDepthwise", "DepthwiseConvolution")
def convolution(at: Site) -> list[str]:
    return [
        _placed(at, i, lambda x: _convolved(at, "Conv", x, at.blobs, _pads(at), at.layer.group))
        for i in range(len(at.inputs))
    ]


@converts("Convolution3D")
def convolution3d(at: Site) -> str:
    biases = [at.floats(bias.reshape(-1)) for bias in at.arrays[1:]]
    return _convolved(at, "Conv", at.x, [at.blobs[0], *biases], _pads(at), at.layer.group)


@converts("Deconvolution")
def deconvolution(at: Site) -> list[str]:
    pads = [*at.layer.windows.pad] * 2
    return [
        _placed(at, i, lambda x: _convolved(at, "ConvTranspose", x, at.blobs, pads, at.layer.group))
        for i in range(len(at.inputs))
    ]


@converts("Im2col")
def im2col(at: Site) -> str:
    """Each channel convolved with kernels that pick one place each."""
    kernel = at.layer.windows.kernel
    channels = at.bottoms[0][at.layer.axis]
    picks = np.eye(count(kernel)).reshape(-1, 1, *kernel)
    weight = at.floats(np.tile(picks, (channels, *(1,) * (1 + len(kernel)))))
    return _placed(at, 0, lambda x: _convolved(at, "Conv", x, [weight], _pads(at), channels))


def _placed(at: Site, index: int, work: Callable[[str], str]) -> str:
    """``work`` done on ``x`` as it takes it.

    The axes before that of the channels are one axis, and there is a spatial axis where the layer
    has none.
    """
    x = at.inputs[index]
    shape = at.bottoms[index]
    axis = at.layer.axis
    flat = not at.layer.windows.kernel
    if axis == 1 and not flat:
        return work(x)
    y = work(at.reshape(x, (-1, *shape[axis:], *(1,) * flat)))
    return at.reshape(y, at.tops[index])


def _convolved(
    at: Site, kind: str, x: str, blobs: Sequence[str], pads: list[int], group: int
) -> str:
    windows: Windows = at.layer.windows
    if not windows.kernel:
        blobs = [at.op("Unsqueeze", blobs[0], at.ints([2])), *blobs[1:]]
        return at.op(kind, x, *blobs, kernel_shape=[1], group=group)
    shape: dict[str, Sequence[int]] = {
        "kernel_shape": windows.kernel,
        "strides": windows.stride,
        "dilations": windows.dilation,
    }
    return at.op(kind, x, *blobs, pads=pads, group=group, **shape)


def _pads(at: Site) -> list[int]:
    """Pads before and after each axis.

    A kernel too large by less than a stride reaches over more at the end.
    """
    windows: Windows = at.layer.windows
    size = at.bottoms[0][at.layer.axis + 1 :]
    return [*windows.pad, *(p + s for p, s in zip(windows.pad, windows.overhang(size)))]


@converts("Pooling", "Pooling3D")
def pooling(at: Site) -> list[str]:
    spec = at.layer.spec
    if not spec.kernel:
        kinds = {MAX: "GlobalMaxPool", AVE: "GlobalAveragePool"}
        if len(at.tops) > 1 or spec.method not in kinds:
            raise at.fail("global pooling with a mask or at random; needed: MAX or AVE and one top")
        return [at.op(kinds[spec.method], at.x)]
    if spec.method == MAX:
        return maxima(at, spec, at.bottoms[0][2:], mask=len(at.tops) > 1)
    if spec.method == AVE:
        return [average(at, spec, at.x, at.bottoms[0][2:])]
    squares, sums = (
        average(at, spec, x, at.bottoms[0][2:]) for x in (at.op("Mul", at.x, at.x), at.x)
    )
    return [at.op("Div", squares, at.op("Max", sums, at.floats(np.finfo(np.float32).tiny)))]


def maxima(at: Site, spec: PoolingSpec, size: Shape, *, mask: bool) -> list[str]:
    """MAX, and the mask."""
    x, pads = _padded(at, spec, at.x, size, LEAST)
    if mask and x != at.x:
        raise at.fail("a mask of windows beyond the bottom")
    shape: dict[str, Sequence[int]] = {
        "kernel_shape": spec.kernel,
        "strides": spec.stride,
        "pads": pads,
    }
    if not mask:
        return [at.op("MaxPool", x, **shape)]
    y, index = at.ops("MaxPool", x, outputs=2, **shape)
    return [y, at.op("Cast", at.op("Mod", index, at.ints(count(size))), to=FLOAT)]


def average(at: Site, spec: PoolingSpec, x: str, size: Shape) -> str:
    """AVE: sums of windows by their part inside bottom and padding, or the bottom alone."""
    x, pads = _padded(at, spec, x, size, 0.0)
    parts = divisor(
        torch.zeros(1, 1, *size),
        spec.kernel,
        spec.stride,
        spec.pad,
        spec.pooled(size),
        counts_pad=spec.counts_pad,
    ).numpy()
    return _shares(at, x, pads, spec.kernel, spec.stride, size, parts)


def _shares(
    at: Site,
    x: str,
    pads: Sequence[int],
    kernel: Shape,
    stride: Shape,
    size: Shape,
    parts: Array | int,
) -> str:
    """Sums of windows by ``parts``, from means of what lies in the planes.

    OpenCV 4 ignores ``count_include_pad``, so that is not used.
    """
    y = at.op("AveragePool", x, kernel_shape=kernel, strides=stride, pads=pads)
    inside = np.array(1.0 if any(pads) else count(kernel))
    for k, s, n, before, after in (
        zip(kernel, stride, size, pads, pads[len(size) :]) if any(pads) else ()
    ):
        starts = np.arange((before + n + after - k) // s + 1) * s - before
        inside = inside[..., np.newaxis] * (np.minimum(starts + k, n) - np.maximum(starts, 0))
    with np.errstate(
        divide="ignore", invalid="ignore"
    ):  # windows beyond the bottom: NaN, as in Caffe
        shares = inside / parts
    return y if (shares == 1).all() else at.op("Mul", y, at.floats(shares))


def _padded(
    at: Site, spec: PoolingSpec, x: str, size: Shape, value: float
) -> tuple[str, list[int]]:
    """``x`` and its pads, so that rounding down gives Caffe's windows.

    Runtimes want pads below the kernel: where they are not, the padding comes first, as an
    operator.
    """
    ends = [
        max(0, (n - 1) * s + k - extent - p)
        for n, s, k, extent, p in zip(spec.pooled(size), spec.stride, spec.kernel, size, spec.pad)
    ]
    if all(p < k and e < k for p, e, k in zip(spec.pad, ends, spec.kernel)):
        return x, [*spec.pad, *ends]
    pads = at.ints([0, 0, *spec.pad, 0, 0, *ends])
    return at.op("Pad", x, pads, at.floats(value)), [0] * (2 * len(size))


@converts("SPP")
def spp(at: Site) -> str:
    size = at.bottoms[0][2:]
    levels = []
    for spec in at.layer.specs:
        levels.append(
            maxima(at, spec, size, mask=False)[0]
            if spec.method == MAX
            else average(at, spec, at.x, size)
        )
    return (
        levels[0]
        if len(levels) == 1
        else at.op("Concat", *(at.op("Flatten", y, axis=1) for y in levels), axis=1)
    )


@converts("LRN")
def lrn(at: Site) -> str:
    layer = at.layer
    if not layer.within:
        return at.op("LRN", at.x, size=layer.size, alpha=layer.alpha, beta=layer.beta, bias=layer.k)
    pads = [layer.size // 2] * 4
    window = (layer.size, layer.size)
    squares = _shares(
        at, at.op("Mul", at.x, at.x), pads, window, (1, 1), at.bottoms[0][2:], count(window)
    )
    return at.op(
        "Mul", at.x, at.op("Pow", at.affine(squares, layer.alpha, 1), at.floats(-layer.beta))
    )


@converts("Crop")
def crop(at: Site) -> str:
    axes, starts, lengths = zip(*at.layer.parts)
    if any(at.tops[0][axis] == -1 for axis in axes):
        raise at.fail("it cuts an axis that grows with the batch")
    return cut(at, at.x, axes, starts, [start + length for start, length in zip(starts, lengths)])


def cut(at: Site, x: str, axes: Sequence[int], starts: Sequence[int], ends: Sequence[int]) -> str:
    """A part of ``x``."""
    return at.op("Slice", x, at.ints(starts), at.ints(ends), at.ints(axes))


@converts("Interp")
def interp(at: Site) -> str:
    p = at.layer.param.interp_param
    size = at.bottoms[0][2:]
    x = at.x
    if p.pad_beg or p.pad_end:
        x = cut(at, x, (2, 3), [-p.pad_beg] * 2, [n + p.pad_end for n in size])
    return resized(
        at,
        x,
        [n + p.pad_beg + p.pad_end for n in size],
        at.layer.size,
        mode="linear",
        transformation="align_corners",
    )


@converts("Resample")
def resample(at: Site) -> str:
    """A product with a matrix for each axis of the planes."""
    taps = at.layer.taps(at.bottoms[0][2:])
    matrices = [
        np.zeros((len(axis.places), old), np.float32) for axis, old in zip(taps, at.bottoms[0][2:])
    ]
    for axis, matrix in zip(taps, matrices):
        np.add.at(matrix, (np.arange(len(matrix))[:, None], axis.places), axis.weights)
    return at.op("MatMul", at.floats(matrices[0]), at.op("MatMul", at.x, at.floats(matrices[1].T)))


@converts("Upsample")
def upsample(at: Site) -> str:
    if len(at.inputs) > 1:
        return unpooled(at)
    return resized(
        at, at.x, at.bottoms[0][2:], at.tops[0][2:], mode="nearest", transformation="asymmetric"
    )


@converts("Unpooling")
def unpooling(at: Site) -> str:
    layer = at.layer
    if not layer.spreads:
        return unpooled(at)
    size = at.bottoms[0][2:]
    kernel = layer.kernel
    shares = 1 / np.array(layer.pixels(size), np.float32)
    values = at.op("Mul", at.x, at.floats(shares)) if layer.averages else at.x
    windows = at.floats(np.ones((at.bottoms[0][1], 1, *kernel), np.float32))
    y = at.op("ConvTranspose", values, windows, group=at.bottoms[0][1], strides=list(layer.stride))
    more = [
        room - (n - 1) * stride - k
        for room, n, stride, k in zip(layer.size, size, layer.stride, kernel)
    ]
    return at.op("Pad", y, at.ints([0] * 6 + more)) if any(more) else y


def unpooled(at: Site) -> str:
    """Each value at its place in the plane, zeros elsewhere.

    The mask gives the place, or it is where the value's window starts.
    """
    n, c, *size = at.bottoms[0]
    values, *masks = (at.reshape(x, (n, c, count(size))) for x in at.inputs)
    places = (
        at.indices(masks[0])
        if masks
        else at.op("Expand", at.ints(at.layer.starts(size)), at.op("Shape", values))
    )
    planes = at.op("Slice", at.op("Shape", at.x), at.ints([0]), at.ints([2]))
    zeros = at.op(
        "Expand", at.floats(0), at.op("Concat", planes, at.ints([count(at.tops[0][2:])]), axis=0)
    )
    return at.reshape(at.op("ScatterElements", zeros, places, values, axis=2), at.tops[0])


@converts("ROIPooling")
def roi_pooling(at: Site) -> str:
    p = at.layer.param.roi_pooling_param
    regions = at.reshape(at.inputs[1], (-1, 5))
    return at.op(
        "MaxRoiPool",
        at.x,
        regions,
        pooled_shape=[p.pooled_h, p.pooled_w],
        spatial_scale=p.spatial_scale,
    )


def resized(
    at: Site, x: str, old: Sequence[int], new: Sequence[int], *, mode: str, transformation: str
) -> str:
    """Planes in another size."""
    factors = at.floats([1, 1, *(b / a for a, b in zip(old, new))])
    return at.op(
        "Resize",
        x,
        "",
        factors,
        mode=mode,
        coordinate_transformation_mode=transformation,
        nearest_mode="floor",
    )


@converts("SpatialTransformer")
def spatial_transformer(at: Site) -> str:
    """The places are linear in theta.

    GridSample has w first, and its -1 and 1 half a pixel further out and in.
    """
    given = at.layer.given
    size = at.layer.size
    height, width = at.bottoms[0][2:]
    learned = [i for i, value in enumerate(given) if value is None]
    sides = np.meshgrid(*(np.arange(n) / n * 2 - 1 for n in size), indexing="ij")
    points = np.stack([*sides, np.ones(size)]).reshape(3, -1)
    places = np.zeros((len(given), points.shape[1], 2))
    places[:3, :, 1] = places[3:, :, 0] = points
    fixed = np.array([1 / width, 1 / height]) + sum(
        value * places[i] for i, value in enumerate(given) if value is not None
    )
    fixed = np.broadcast_to(fixed, places.shape[1:]).reshape(-1)
    theta = at.reshape(at.inputs[1], (-1, len(learned)))
    grid = at.op(
        "Gemm", theta, at.floats(places[learned].reshape(len(learned), -1)), at.floats(fixed)
    )
    return at.op(
        "GridSample",
        at.x,
        at.reshape(grid, (-1, *size, 2)),
        mode="bilinear",
        padding_mode="zeros",
        align_corners=0,
    )
