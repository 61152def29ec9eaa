"""Forms of normalisations."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from caffepy.layers.core.base import count
from caffepy.layers.norm.bn import SEGNET_EPS
from caffepy.report.pytorch.helpers import norm as helpers
from caffepy.report.pytorch.registry import form
from caffepy.report.pytorch.site import Form, Site
from caffepy.report.pytorch.step import OTHER, OUT, Arg, Array, Learned, Module, number, short

AXES = {2: "1d", 3: "1d", 4: "2d", 5: "3d"}
"""Axes of a bottom, and the end of the name of torch's class for it."""
STEADY = 0.99
"""A part of all that the factor can become: from there on torch's own momentum does the same."""
TORCH_EPS, TORCH_MOMENTUM = 1e-5, 0.1


@form("LRN")
def lrn(at: Site) -> Form:
    """Across channels torch's own."""
    layer = at.layer
    figures = f"{layer.size}, alpha={number(layer.alpha)}, beta={number(layer.beta)}"
    if layer.within:
        return Form(f"lrn_within_channel({{0}}, {figures})", helpers=(helpers.lrn_within_channel,))
    return Form(
        f"F.local_response_norm({{0}}, {figures}{'' if layer.k == 1 else f', k={number(layer.k)}'})"
    )


@form("BatchNorm")
def batch_norm(at: Site) -> Form:
    """Without a Scale behind it, or with NVIDIA's own scale and bias."""
    return _batch_norm(
        at, {"weight": at.learned(3), "bias": at.learned(4)} if at.layer.scales else {}
    )


def batch_norm_with_scale(at: Site, scale: Site) -> Form:
    """A BatchNorm and the Scale behind it are one module of torch."""
    channels, bias = (at.layer.channels,), len(scale.node.params) > 1
    learned = {
        "weight": scale.learned(0, channels),
        "bias": scale.learned(1, channels) if bias else None,
    }
    return _batch_norm(at, learned, {} if bias else {"bias": np.zeros(channels, np.float32)})


def _batch_norm(
    at: Site, learned: Mapping[str, Learned | None], beside: Mapping[str, Array] | None = None
) -> Form:
    layer, axes = at.layer, _axes(at)
    if layer.stats_batch_size and not layer.use_global_stats:
        raise at.fail(
            f"each {layer.stats_batch_size} items are a batch of their own;"
            " needed: no stats_batch_size"
        )
    channels, eps = Arg(layer.channels, OUT), Arg(short(layer.eps), OTHER, "eps", TORCH_EPS)
    affine = Arg(bool(learned), OTHER, "affine", True)
    statistics = {**_statistics(at), **(beside or {})}
    if not at.trains:
        tracks = Arg(bool(layer.use_global_stats), OTHER, "track_running_stats", True)
        buffers = (
            {**statistics, "num_batches_tracked": np.array(0)}
            if layer.use_global_stats
            else dict(beside or {})
        )
        return _wraps(
            at.module(f"nn.BatchNorm{axes}", [channels, eps, affine, tracks], learned, buffers)
        )
    if layer.use_global_stats:
        return _wraps(
            at.module("FrozenBatchNorm", [channels, eps, affine], learned, statistics),
            helpers.FrozenBatchNorm,
        )
    if count(at.bottoms[0]) == layer.channels:
        raise at.fail(
            "it has one value of each channel, which torch does not normalise;"
            " needed: a larger batch"
        )
    factor = at.arrays[2].reshape(1)
    if layer.scales or factor[0] * (1 - layer.fraction) > STEADY:
        momentum = Arg(round(1 - layer.fraction, 7), OTHER, "momentum", TORCH_MOMENTUM)
        buffers = {**statistics, "num_batches_tracked": np.array(0)}
        return _wraps(
            at.module(f"nn.BatchNorm{axes}", [channels, eps, momentum, affine], learned, buffers)
        )
    fraction = Arg(short(layer.fraction), OTHER, "f", 0.999)
    buffers = {**statistics, "factor": factor, "num_batches_tracked": np.array(0)}
    module = at.module("CountingBatchNorm", [channels, fraction, eps, affine], learned, buffers)
    return _wraps(module, helpers.CountingBatchNorm)


def _wraps(module: Module, *called: type) -> Form:
    return Form("{m}({0})", module, nests=True, helpers=called)


def _axes(at: Site) -> str:
    """The end of the name of torch's class."""
    if at.axes not in AXES:
        raise at.fail(f"its bottom has {at.axes} axes; needed: 2 to 5")
    return AXES[at.axes]


def _statistics(at: Site) -> dict[str, Array]:
    """The stored sums over passes, by how many those are."""
    mean, variance, factor = (array.reshape(-1) for array in at.arrays[:3])
    inverse = 1 if at.layer.scales else 0 if factor == 0 else 1 / factor
    return {
        "running_mean": mean * np.float32(inverse),
        "running_var": variance * np.float32(inverse),
    }


@form("BN")
def bn(at: Site) -> Form:
    """SegNet's by the batch's own statistics, or none; others by stored ones."""
    layer, p, channels = at.layer, at.param.bn_param, at.bottoms[0][1]
    learned = {"weight": at.learned(0, (channels,)), "bias": at.learned(1, (channels,))}
    arguments = [Arg(channels, OUT)]
    buffers: dict[str, Array] = {}
    if layer.segnet and p.HasField("bn_mode") and p.bn_mode == p.INFERENCE:
        return Form(
            "{m}({0})",
            at.module("BatchScale", arguments, learned),
            nests=True,
            helpers=(helpers.BatchScale,),
        )
    if layer.segnet:
        if len(at.tops) > 1:
            raise at.fail("it gives the batch's statistics; needed: one top")
        arguments += [
            Arg(SEGNET_EPS, OTHER, "eps", TORCH_EPS),
            Arg(False, OTHER, "track_running_stats", True),
        ]
    else:
        if at.trains:
            raise at.fail("it learns by PSPNet's rules; needed: a net for TEST")
        mean, variance = (array.reshape(-1) for array in at.arrays[2:4])
        buffers = {
            "running_mean": mean,
            "running_var": variance,
            "num_batches_tracked": np.array(0),
        }
        arguments.append(Arg(short(p.eps), OTHER, "eps", TORCH_EPS))
    return Form(
        "{m}({0})", at.module(f"nn.BatchNorm{_axes(at)}", arguments, learned, buffers), nests=True
    )


@form("MVN")
def mvn(at: Site) -> Form:
    p, shape = at.param.mvn_param, at.layer.shape
    x = (
        "{0}"
        if len(shape) == at.axes
        else f"{{0}}.reshape(*{{0}}.shape, {', '.join('1' * (len(shape) - at.axes))})"
    )
    axis = 1 if p.across_channels else 2
    if axis >= len(shape):
        return Form(f"torch.zeros_like({x})")
    if not p.normalize_variance:
        axes = tuple(range(axis, len(shape)))
        return Form(f"{x} - torch.mean({x}, {axes}, keepdim=True)")
    return Form(f"mvn({x}, {axis}, {number(p.eps)})", helpers=(helpers.mvn,))


@form("Normalize")
def normalize(at: Site) -> Form:
    if at.layer.unit:
        raise at.fail("NormFace's form; needed: SSD's (norm_param)")
    p = at.param.norm_param
    channels = 1 if p.channel_shared else at.layer.channels
    arguments = [
        Arg(channels, OUT),
        Arg(bool(p.across_spatial), OTHER, "across_spatial", False),
        Arg(short(p.eps), OTHER, "eps", 1e-10),
    ]
    module = at.module("Normalize", arguments, {"weight": at.learned(0, (channels,))})
    return Form("{m}({0})", module, helpers=(helpers.Normalize,))


@form("ChannelNorm")
def channel_norm(at: Site) -> Form:
    if at.axes < 4:
        raise at.fail(f"its bottom has {at.axes} axes; needed: 4")
    return Form("torch.sqrt(torch.sum({0} * {0}, 1, keepdim=True))")


@form("Softmax")
def softmax(at: Site) -> Form:
    return Form(f"torch.softmax({{0}}, {at.layer.axis})", nests=True)
