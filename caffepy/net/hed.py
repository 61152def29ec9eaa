"""Nets of HED's Caffe: what its layers do for which BVLC Caffe has others under the same names."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from caffepy import log
from caffepy.net import coord_map

ALONG = coord_map.ALONG | {"Concat", "Softmax"}
"""Their tops lie where their first bottoms lie: HED's Caffe knows of more layers than BVLC's ``coord_map.py``."""


@dataclass(frozen=True)
class Place:
    """Where a blob lies: its element x, along height and width, is that at ``scale * x + start`` of the blob ``root``."""

    root: tuple[int, str]
    scale: tuple[Fraction, Fraction] = (Fraction(1), Fraction(1))
    start: tuple[Fraction, Fraction] = (Fraction(0), Fraction(0))


def settle(net: Any) -> None:
    """Write into a filtered NetParameter what its layers do in HED's Caffe, if one of them is ImageLabelmapData.

    A SigmoidCrossEntropyLoss with its labels balances them. A Crop without crop_param, which in HED's Caffe and the first for FCN cuts
    where the second bottom lies in the first, does so; in other nets, where it cuts at 0 as in BVLC Caffe, a warning tells of it.
    """
    labels = {top for layer in net.layer if layer.type == "ImageLabelmapData" for top in layer.top[1:]}
    for layer in net.layer:
        labelled = layer.type == "SigmoidCrossEntropyLoss" and not labels.isdisjoint(layer.bottom[1:])
        if labelled and not layer.loss_param.HasField("balance_labels"):
            layer.loss_param.balance_labels = True
            log.info("hed.py:0", f"Layer {layer.name} balances its labels, as in the Caffe that has ImageLabelmapData.")
    for layer, offset in _offsets(net):
        if labels:
            layer.crop_param.offset.extend(offset)
            log.info("hed.py:0", f"Layer {layer.name} cuts at {offset[0]}, {offset[1]}, where {layer.bottom[1]} lies in {layer.bottom[0]}.")
        elif any(offset):
            log.warning(
                "hed.py:0",
                f"layer '{layer.name}' (Crop) without crop_param cuts at 0, as in BVLC Caffe; '{layer.bottom[1]}' lies at {offset[0]},"
                f" {offset[1]} in '{layer.bottom[0]}', where the Caffe of HED and of the first FCN cuts:"
                f" crop_param {{ offset: {offset[0]} offset: {offset[1]} }}",
            )


def _offsets(net: Any) -> list[tuple[Any, list[int]]]:
    """For each Crop without crop_param the place of its second bottom in its first, along height and width, if it is known."""
    places: dict[str, Place] = {}
    found = []
    for index, layer in enumerate(net.layer):
        below = [places.get(name) for name in layer.bottom]
        if layer.type == "Crop" and len(below) == 2:
            if not layer.HasField("crop_param") and (offset := _between(*below)) is not None:
                found.append((layer, offset))
            own = below[1]
        else:
            own = _moved(layer, below[0]) if below and below[0] else None
        for top in layer.top:
            places[top] = own or Place((index, top))
    return found


def _between(first: Place | None, second: Place | None) -> list[int] | None:
    """Where the second lies in the first; None where that is no place."""
    if first is None or second is None or first.root != second.root or first.scale != second.scale:
        return None
    offset = [round((b - a) / scale) for a, b, scale in zip(first.start, second.start, first.scale)]
    return offset if min(offset) >= 0 else None


def _moved(layer: Any, below: Place) -> Place | None:
    """The place of the tops of a layer on a blob that lies at ``below``; None if it has none."""
    if layer.type in ALONG:
        return below
    if layer.type not in ("Convolution", "Deconvolution", "Pooling") or (layer.type == "Pooling" and layer.pooling_param.global_pooling):
        return None
    windows = [_window(layer, axis) for axis in range(2)]
    if layer.type == "Deconvolution":
        windows = [coord_map.inverse(*window) for window in windows]
    scales = [scale * step for scale, (step, _) in zip(below.scale, windows)]
    starts = [start + scale * first for start, scale, (_, first) in zip(below.start, below.scale, windows)]
    return Place(below.root, (scales[0], scales[1]), (starts[0], starts[1]))


def _window(layer: Any, axis: int) -> tuple[Fraction, Fraction]:
    """Along height (0) or width (1): the step from window to window, and where the middle of the first lies."""
    p = layer.pooling_param if layer.type == "Pooling" else layer.convolution_param
    letter = "hw"[axis]

    def figure(name: str, single: str, default: int) -> int:
        if p.HasField(f"{name}_{letter}"):
            return int(getattr(p, f"{name}_{letter}"))
        value = getattr(p, single)
        if layer.type == "Pooling":
            return int(value) if p.HasField(single) else default
        return int(value[min(axis, len(value) - 1)]) if value else default

    kernel, stride, pad = figure("kernel", "kernel_size", 1), max(1, figure("stride", "stride", 1)), figure("pad", "pad", 0)
    dilation = 1 if layer.type == "Pooling" or not p.dilation else int(p.dilation[min(axis, len(p.dilation) - 1)])
    step, start = coord_map.window_map(Fraction(kernel), Fraction(stride), pad, dilation)
    return step, start
