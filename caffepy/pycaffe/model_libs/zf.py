"""The net of Zeiler and Fergus."""

from __future__ import annotations

from collections.abc import Sequence

from caffepy.pycaffe.model_libs.blocks import freeze, learned, needed, rectified
from caffepy.pycaffe.model_libs.vgg import fc_tail
from caffepy.pycaffe.net_spec import NetSpec, layers, params

FC6: dict[tuple[bool, bool], dict[str, int]] = {
    (True, True): {"num_output": 1024, "pad": 5, "kernel_size": 3, "dilation": 5},
    (True, False): {"num_output": 4096, "pad": 5, "kernel_size": 6, "dilation": 2},
    (False, True): {"num_output": 1024, "pad": 2, "kernel_size": 3, "dilation": 2},
    (False, False): {"num_output": 4096, "pad": 2, "kernel_size": 6},
}
"""As a convolution, by whether it is dilated and reduced."""


def ZFNetBody(
    net: NetSpec,
    from_layer: str,
    need_fc: bool = True,
    fully_conv: bool = False,
    reduced: bool = False,
    dilated: bool = False,
    dropout: bool = True,
    need_fc8: bool = False,
    freeze_layers: Sequence[str] = (),
) -> NetSpec:
    """ZFNet up to its last convolution.

    ``need_fc``: up to fc7. ``need_fc8``: up to the probabilities of 1000 classes.

    The other arguments are those of `VGGNetBody`.
    """
    needed(net, from_layer)
    last = from_layer
    for number, window in (
        ("1", {"num_output": 96, "pad": 3, "kernel_size": 7}),
        ("2", {"num_output": 256, "pad": 2, "kernel_size": 5}),
    ):
        last = _normalized(net, rectified(net, last, number, **window, stride=2), number)
    for number, channels in (("3", 384), ("4", 384), ("5", 256)):
        last = rectified(net, last, number, num_output=channels, pad=1, kernel_size=3)
    if need_fc:
        net.pool5 = layers.Pooling(
            net[last], pool=params.Pooling.MAX, pad=1, kernel_size=3, stride=1 if dilated else 2
        )
        if fully_conv:
            net.fc6 = layers.Convolution(net.pool5, **FC6[dilated, reduced], **learned())
        else:
            net.fc6 = layers.InnerProduct(net.pool5, num_output=4096)
        fc_tail(net, outputs=1024 if reduced else 4096, fully_conv=fully_conv, dropout=dropout)
    if need_fc8:
        last = net.keys()[-1]
        if fully_conv:
            net.fc8 = layers.Convolution(net[last], num_output=1000, kernel_size=1, **learned())
        else:
            net.fc8 = layers.InnerProduct(net[last], num_output=1000)
        net.prob = layers.Softmax(net.fc8)
    freeze(net, freeze_layers)
    return net


def _normalized(net: NetSpec, bottom: str, number: str) -> str:
    within = {"norm_region": params.LRN.WITHIN_CHANNEL, "engine": params.LRN.CAFFE}
    net[f"norm{number}"] = layers.LRN(net[bottom], local_size=3, alpha=0.00005, beta=0.75, **within)
    net[f"pool{number}"] = layers.Pooling(
        net[f"norm{number}"], pool=params.Pooling.MAX, pad=1, kernel_size=3, stride=2
    )
    return f"pool{number}"
