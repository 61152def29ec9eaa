"""Folds the layers behind a convolution into its weights, in TEST nets with frozen parameters.

On a CPU the weights are also put into oneDNN's own order.
"""

# C channels, O outputs, K... kernel

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeGuard

import torch
import torch.nn.functional as F
from torch import Tensor

from caffepy.engine.fusion.batch_norm import fuse_scale
from caffepy.engine.fusion.fused import Fused
from caffepy.layers.core.base import Layer, Run, Shape, count
from caffepy.layers.linear.scale import ScaleLayer
from caffepy.layers.neuron.relu import ReLULayer
from caffepy.layers.norm.batch_norm import BatchNormLayer
from caffepy.layers.windows.convolution import ConvolutionLayer

Convolve = Callable[[Tensor], Tensor]
Affine = BatchNormLayer | ScaleLayer
PREPARED = "convolution"
BLOCK = 1 << 16
"""So many weights are scaled at once, as float64 copies of all take much memory."""
VANISHING = 1e-30
"""A slope so small that its products do not change a sum."""


def fold(
    layer: ConvolutionLayer, followers: Sequence[Layer], only_summed: Sequence[bool]
) -> Fused | None:
    """Join ``layer`` with the BatchNorm and Scale layers behind it and a ReLU behind these.

    None unless it convolves images. Folding takes longer than it saves in one pass. So it is done
    only while the parameters are frozen (``run.frozen``); otherwise the layers run one by one.

    oneDNN's ReLU turns NaN to 0, which would hide that a net has diverged; with a slope it does
    not. So the ReLU gets the slope `VANISHING`. It is only joined if its top is ``only_summed``,
    see `fuse`.
    """
    if len(layer.windows.kernel) != 2 or layer.axis != 1 or layer.top_count != 1:
        return None
    affine: list[Affine] = []
    for follower in followers:
        if not _is_affine(follower):
            break
        affine.append(follower)
    last = len(affine)
    rectified = last < len(followers) and _rectifies(followers[last]) and only_summed[last]
    row = [*affine, *followers[last : last + rectified]]
    known: tuple[Shape, bool] = ((), False)  # a shape, and whether windows reach beyond its padding

    def forward(bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run) -> tuple[Tensor, ...]:
        nonlocal known
        if run.frozen is None or layer.elementary:
            return _one_by_one([layer, *row], bottoms, blobs, run)
        x = bottoms[0]
        if x.shape != known[0]:
            known = x.shape, any(layer.windows.overhang(x.shape[2:]))
        x = layer.windows.lengthened(x) if known[1] else x
        if run.recorded is not None:
            weight, bias = _folded(layer, affine, blobs)
            return (_plain(layer, weight, bias, rectified=rectified)(x),)
        if PREPARED not in run.frozen:
            run.frozen[PREPARED] = _prepared(
                layer, *_folded(layer, affine, blobs), x, rectified=rectified
            )
        return (run.frozen[PREPARED](x),)

    return Fused(1 + len(row), forward)


def _is_affine(layer: Layer) -> TypeGuard[Affine]:
    """Whether ``layer`` only scales and shifts each channel, in the same way in every batch."""
    if isinstance(layer, ScaleLayer):
        return layer.channel_affine
    return isinstance(layer, BatchNormLayer) and layer.use_global_stats


def _rectifies(layer: Layer) -> bool:
    return isinstance(layer, ReLULayer) and layer.slope == 0


def _one_by_one(
    layers: Sequence[Layer], bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
) -> tuple[Tensor, ...]:
    """Compute the layers one by one, but a BatchNorm together with the Scale behind it."""
    own = len(layers[0].blobs)
    tops = layers[0].forward(bottoms, blobs[:own], run)
    rest = list(layers[1:])
    left = list(blobs[own:])
    while rest:
        fused = fuse_scale(rest[0], rest[1:]) if isinstance(rest[0], BatchNormLayer) else None
        done = rest[: fused.count if fused else 1]
        forward = fused.forward if fused else rest[0].forward
        number = sum(len(layer.blobs) for layer in done)
        tops = tuple(forward(tops, left[:number], run))
        del rest[: len(done)], left[:number]
    return tops


def _folded(
    layer: ConvolutionLayer, affine: Sequence[Affine], blobs: Sequence[Tensor]
) -> tuple[Tensor, Tensor | None]:
    """Weight (O, C/group, K...) and bias (O,) of one convolution that does the same as all layers.

    They are computed in float64.
    """
    own = blobs[: len(layer.blobs)]
    rest = blobs[len(layer.blobs) :]
    weight = own[0]
    bias = own[1] if len(own) > 1 else None
    if not affine:
        return weight, bias
    factor = torch.ones(layer.num_output, dtype=torch.float64, device=weight.device)
    shift = torch.zeros_like(factor) if bias is None else bias.double()
    for follower in affine:
        scale, offset = follower.affine([blob.double() for blob in rest[: len(follower.blobs)]])
        factor = factor * scale
        shift = shift * scale + offset
        rest = rest[len(follower.blobs) :]
    scaled = torch.empty_like(weight)
    rows = max(1, BLOCK // count(weight.shape[1:]))
    for some, by, to in zip(weight.split(rows), factor.split(rows), scaled.split(rows)):
        to.copy_(some.double() * by.view(-1, 1, 1, 1))
    return scaled, shift.to(weight)


def _prepared(
    layer: ConvolutionLayer, weight: Tensor, bias: Tensor | None, x: Tensor, *, rectified: bool
) -> Convolve:
    """The convolution with these parameters.

    On a CPU the weights are put into oneDNN's order once, which torch would do in every pass.
    """
    w = layer.windows
    group = layer.group
    plain = _plain(layer, weight, bias, rectified=rectified)
    if x.device.type != "cpu" or not x.numel() or not torch.backends.mkldnn.is_available():
        return plain
    stride = list(w.stride)
    pad = list(w.pad)
    dilation = list(w.dilation)
    after: tuple[str, list[float]] = ("leaky_relu", [VANISHING]) if rectified else ("none", [])
    try:
        packed = torch.ops.mkldnn._reorder_convolution_weight(
            weight, pad, stride, dilation, group, list(x.shape)
        )
        convolve = torch.ops.mkldnn._convolution_pointwise.default
        convolve(x, packed, bias, pad, stride, dilation, group, *after, "")
    except (AttributeError, RuntimeError):
        # Torch lacks these functions, or they do not take the shape.
        return plain
    return lambda x: convolve(x, packed, bias, pad, stride, dilation, group, *after, "")


def _plain(
    layer: ConvolutionLayer, weight: Tensor, bias: Tensor | None, *, rectified: bool
) -> Convolve:
    """The convolution with these parameters, by torch's own operators."""
    w = layer.windows

    def convolve(x: Tensor) -> Tensor:
        y = F.conv2d(x, weight, bias, w.stride, w.pad, w.dilation, layer.group)
        return F.leaky_relu_(y, 0.0) if rectified else y

    return convolve
