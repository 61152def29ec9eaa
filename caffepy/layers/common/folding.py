"""Convolutions of TEST nets whose parameters stay as they are: with what follows them in the weights, in oneDNN's own order."""

# C channels, O outputs, K... kernel

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
import torch.nn.functional as F
from torch import Tensor

from caffepy.layers.common.base_conv import BaseConvolutionLayer
from caffepy.layers.core.base import Layer, Run, Shape, Together, count

Convolve = Callable[[Tensor], Tensor]
PREPARED = "convolution"
BLOCK = 1 << 16
"""Weights scaled at once: float64 copies of all would be most of what a small net needs."""
VANISHING = 1e-30
"""A slope whose products vanish in every sum with numbers that count."""


def fold(layer: BaseConvolutionLayer, followers: Sequence[Layer], rounded: Sequence[bool]) -> Together | None:
    """``layer`` together with the BatchNorm and Scale layers behind it and a ReLU behind these; None unless it convolves images.

    Folding pays only where it is done once for many batches, so it waits for ``run.frozen``; without it, layer by layer.
    oneDNN's ReLU makes 0 of NaN, so that a net that diverged would look sane; with a slope it does not. So the ReLU has the slope
    `VANISHING`, where its top is ``rounded`` (see `Layer.absorb`).
    """
    if len(layer.windows.kernel) != 2 or layer.axis != 1 or layer.top_count != 1:
        return None
    affine = []
    for follower in followers:
        if not follower.fixed_affine:
            break
        affine.append(follower)
    last = len(affine)
    rectified = last < len(followers) and followers[last].rectifies and rounded[last]
    row = [*affine, *followers[last : last + rectified]]
    known: tuple[Shape, bool] = ((), False)  # a shape, and whether windows reach beyond its padding

    def forward(bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run) -> tuple[Tensor, ...]:
        nonlocal known
        if run.frozen is None:
            return _one_by_one([layer, *row], bottoms, blobs, run)
        x = bottoms[0]
        if x.shape != known[0]:
            known = x.shape, any(layer.windows.short(x.shape[2:]))
        x = layer.windows.lengthened(x) if known[1] else x
        if PREPARED not in run.frozen:
            run.frozen[PREPARED] = _prepared(layer, *_folded(layer, affine, blobs), x, rectified=rectified)
        return (run.frozen[PREPARED](x),)

    return Together(len(row), forward)


def _one_by_one(layers: Sequence[Layer], bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run) -> tuple[Tensor, ...]:
    """Each layer in turn, or together where one absorbs the next."""
    own = len(layers[0].blobs)
    tops = layers[0].forward(bottoms, blobs[:own], run)
    rest, left = list(layers[1:]), list(blobs[own:])
    while rest:
        together = rest[0].absorb(rest[1:])
        done = rest[: 1 + (together.followers if together else 0)]
        forward = together.forward if together else rest[0].forward
        number = sum(len(layer.blobs) for layer in done)
        tops = tuple(forward(tops, left[:number], run))
        del rest[: len(done)], left[:number]
    return tops


def _folded(layer: BaseConvolutionLayer, affine: Sequence[Layer], blobs: Sequence[Tensor]) -> tuple[Tensor, Tensor | None]:
    """Weight (O, C/group, K...) and bias (O,) of the one convolution that does all; in float64 on the way."""
    own, rest = blobs[: len(layer.blobs)], blobs[len(layer.blobs) :]
    weight, bias = own[0], own[1] if len(own) > 1 else None
    if not affine:
        return weight, bias
    factor = torch.ones(layer.num_output, dtype=torch.float64, device=weight.device)
    shift = torch.zeros_like(factor) if bias is None else bias.double()
    for follower in affine:
        scale, offset = follower.affine([blob.double() for blob in rest[: len(follower.blobs)]])
        factor, shift = factor * scale, shift * scale + offset
        rest = rest[len(follower.blobs) :]
    scaled, rows = torch.empty_like(weight), max(1, BLOCK // count(weight.shape[1:]))
    for some, by, to in zip(weight.split(rows), factor.split(rows), scaled.split(rows)):
        to.copy_(some.double() * by.view(-1, 1, 1, 1))
    return scaled, shift.to(weight)


def _prepared(layer: BaseConvolutionLayer, weight: Tensor, bias: Tensor | None, x: Tensor, *, rectified: bool) -> Convolve:
    """The convolution with these parameters; on the CPU they are put into oneDNN's order, which it would otherwise do in every pass."""
    w, group = layer.windows, layer.group

    def plain(x: Tensor) -> Tensor:
        y = F.conv2d(x, weight, bias, w.stride, w.pad, w.dilation, group)
        return F.leaky_relu_(y, 0.0) if rectified else y

    if x.device.type != "cpu" or not x.numel() or not torch.backends.mkldnn.is_available():
        return plain
    stride, pad, dilation = list(w.stride), list(w.pad), list(w.dilation)
    after: tuple[str, list[float]] = ("leaky_relu", [VANISHING]) if rectified else ("none", [])
    try:
        packed = torch.ops.mkldnn._reorder_convolution_weight(weight, pad, stride, dilation, group, list(x.shape))
        convolve = torch.ops.mkldnn._convolution_pointwise.default
        convolve(x, packed, bias, pad, stride, dilation, group, *after, "")
    except (AttributeError, RuntimeError):  # a torch without these functions, or a shape that they do not take
        return plain
    return lambda x: convolve(x, packed, bias, pad, stride, dilation, group, *after, "")
