"""VGG-16."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from caffepy.pycaffe.model_libs.blocks import freeze, learned, needed, rectified, same_pad
from caffepy.pycaffe.net_spec import NetSpec, layers, params

STAGES = ((64, 2), (128, 2), (256, 3), (512, 3), (512, 3))
"""Channels and convolutions between two poolings."""


def VGGNetBody(
    net: NetSpec,
    from_layer: str,
    need_fc: bool = True,
    fully_conv: bool = False,
    reduced: bool = False,
    dilated: bool = False,
    nopool: bool = False,
    dropout: bool = True,
    freeze_layers: Sequence[str] = (),
    dilate_pool4: bool = False,
) -> NetSpec:
    """VGG-16 up to its last convolution, or with ``need_fc`` up to fc7.

    SSD starts from one that is ``fully_conv``, ``reduced`` and ``dilated``.

    ``fully_conv``: fc6 and fc7 as convolutions, ``reduced``: with 1024 outputs and a small window.
    ``dilated``: pool5 leaves the size as it is, ``dilate_pool4``: so does pool4. ``nopool``:
    convolutions of stride 2 for the poolings.
    """
    needed(net, from_layer)
    last = from_layer
    dilation = 1
    for stage, (channels, count) in enumerate(STAGES, 1):
        window: dict[str, Any] = {"pad": 1}
        if stage == len(STAGES):
            window = {"pad": same_pad(3, dilation), "dilation": dilation}
        for number in range(1, count + 1):
            last = rectified(
                net, last, f"{stage}_{number}", num_output=channels, kernel_size=3, **window
            )
        if stage == len(STAGES) and not need_fc:
            break
        thin = (stage == 4 and dilate_pool4 and not nopool) or (stage == 5 and dilated)
        if nopool:
            name = f"conv{stage}_{count + 1}"
            step = 1 if thin else 2
            net[name] = layers.Convolution(
                net[last], num_output=channels, pad=1, kernel_size=3, stride=step, **learned()
            )
        else:
            name = f"pool{stage}"
            size = {"kernel_size": 2, "stride": 2}
            if thin:
                size = {"kernel_size": 3, "stride": 1, "pad": 1}
            net[name] = layers.Pooling(net[last], pool=params.Pooling.MAX, **size)
        dilation = 2 if stage == 4 and thin else dilation
        last = name
    if need_fc:
        _tail(
            net,
            last,
            fully_conv=fully_conv,
            reduced=reduced,
            dilation=dilation * _widening(reduced, dilated),
            dropout=dropout,
        )
    freeze(net, freeze_layers)
    return net


def _widening(reduced: bool, dilated: bool) -> int:
    """How far apart fc6 sees, so that it sees as much as in the net that was trained."""
    return (3 if reduced else 1) * (2 if dilated else 1)


def _tail(
    net: NetSpec, bottom: str, *, fully_conv: bool, reduced: bool, dilation: int, dropout: bool
) -> None:
    size, outputs = (3, 1024) if reduced else (7, 4096)
    if fully_conv:
        pad = same_pad(size, dilation)
        net.fc6 = layers.Convolution(
            net[bottom],
            num_output=outputs,
            pad=pad,
            kernel_size=size,
            dilation=dilation,
            **learned(),
        )
    else:
        net.fc6 = layers.InnerProduct(net[bottom], num_output=4096)
    fc_tail(net, outputs=outputs, fully_conv=fully_conv, dropout=dropout)


def fc_tail(net: NetSpec, *, outputs: int, fully_conv: bool, dropout: bool) -> None:
    """What comes behind fc6, up to fc7."""
    _follow(net, "6", dropout)
    if fully_conv:
        net.fc7 = layers.Convolution(net.relu6, num_output=outputs, kernel_size=1, **learned())
    else:
        net.fc7 = layers.InnerProduct(net.relu6, num_output=4096)
    _follow(net, "7", dropout)


def _follow(net: NetSpec, number: str, dropout: bool) -> None:
    net[f"relu{number}"] = layers.ReLU(net[f"fc{number}"], in_place=True)
    if dropout:
        net[f"drop{number}"] = layers.Dropout(
            net[f"relu{number}"], dropout_ratio=0.5, in_place=True
        )
