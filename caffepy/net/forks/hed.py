"""Nets of HED's Caffe, whose losses and Crop layers differ from BVLC Caffe's."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from caffepy import log
from caffepy.net.coord_map import SAME_PLACE, compose, inverse, window_map
from caffepy.proto import caffe_pb2
from caffepy.proto.window_fields import window_field

ALONG = SAME_PLACE | {"Concat", "Softmax"}
"""Types whose tops are aligned with their first bottoms.

HED's Caffe has more of them than BVLC's ``coord_map.py``.
"""
Map = tuple[Fraction, Fraction]
"""Along one axis, the ``scale`` and the ``start`` of a `Place`."""


@dataclass(frozen=True)
class Place:
    """The position of a blob relative to the blob ``root``.

    Its element x, along height and width, is that at ``scale * x + start`` of ``root``.
    """

    root: tuple[int, str]
    scale: tuple[Fraction, Fraction] = (Fraction(1), Fraction(1))
    start: tuple[Fraction, Fraction] = (Fraction(0), Fraction(0))


def adapt(net: caffe_pb2.NetParameter) -> None:
    """Set fields of a filtered NetParameter as HED's Caffe computes, if it has ImageLabelmapData.

    A SigmoidCrossEntropyLoss with its labels balances them. A Crop without crop_param cuts at the
    position of the second bottom in the first, as in HED's Caffe and the first one for FCN. In
    other nets it cuts at 0 as in BVLC Caffe, and a warning tells of the difference.
    """
    labels: set[str] = set()
    for layer in net.layer:
        if layer.type == "ImageLabelmapData":
            labels.update(layer.top[1:])
    for layer in net.layer:
        labelled = not labels.isdisjoint(layer.bottom[1:])
        labelled = labelled and layer.type == "SigmoidCrossEntropyLoss"
        if labelled and not layer.loss_param.HasField("balance_labels"):
            layer.loss_param.balance_labels = True
            log.info(
                "hed.py:0",
                f"Layer {layer.name} balances its labels, as in the Caffe that has"
                " ImageLabelmapData.",
            )
    for layer, offset in _offsets(net):
        if labels:
            layer.crop_param.offset.extend(offset)
            log.info(
                "hed.py:0",
                f"Layer {layer.name} cuts at {offset[0]}, {offset[1]}, where"
                f" {layer.bottom[1]} lies in {layer.bottom[0]}.",
            )
        elif any(offset):
            log.warning(
                "hed.py:0",
                f"layer '{layer.name}' (Crop) without crop_param cuts at 0, as in BVLC"
                f" Caffe; '{layer.bottom[1]}' lies at {offset[0]},"
                f" {offset[1]} in '{layer.bottom[0]}', where the Caffe of HED and of the"
                " first FCN cuts:"
                f" crop_param {{ offset: {offset[0]} offset: {offset[1]} }}",
            )


def _offsets(net: caffe_pb2.NetParameter) -> list[tuple[caffe_pb2.LayerParameter, list[int]]]:
    """Each Crop without crop_param, and the position of its second bottom in its first.

    The position is along height and width. Layers for which it is unknown are left out.
    """
    places: dict[str, Place] = {}
    offsets = []
    for index, layer in enumerate(net.layer):
        below = [places.get(name) for name in layer.bottom]
        if layer.type == "Crop" and len(below) == 2:
            if not layer.HasField("crop_param") and (offset := _offset_between(*below)) is not None:
                offsets.append((layer, offset))
            own = below[1]
        else:
            own = _place_of_tops(layer, below[0]) if below and below[0] else None
        for top in layer.top:
            places[top] = own or Place((index, top))
    return offsets


def _offset_between(first: Place | None, second: Place | None) -> list[int] | None:
    """The position of the second blob in the first; None if it has none."""
    if first is None or second is None or first.root != second.root or first.scale != second.scale:
        return None
    offset = [round((b - a) / scale) for a, b, scale in zip(first.start, second.start, first.scale)]
    return offset if min(offset) >= 0 else None


def _place_of_tops(layer: caffe_pb2.LayerParameter, below: Place) -> Place | None:
    """The place of the tops of a layer whose bottom is at ``below``; None if they have none."""
    if layer.type in ALONG:
        return below
    if layer.type not in ("Convolution", "Deconvolution", "Pooling") or (
        layer.type == "Pooling" and layer.pooling_param.global_pooling
    ):
        return None
    height, width = (
        _map_along(layer, axis, (below.scale[axis], below.start[axis])) for axis in range(2)
    )
    return Place(below.root, (height[0], width[0]), (height[1], width[1]))


def _map_along(layer: caffe_pb2.LayerParameter, axis: int, below: Map) -> Map:
    """The map of the tops of a layer with windows, along height (0) or width (1).

    ``below``: the map of its bottom.
    """
    p = layer.pooling_param if layer.type == "Pooling" else layer.convolution_param

    def value(name: str, default: int) -> Fraction:
        values = window_field(p, name) or (default,)
        return Fraction(values[min(axis, len(values) - 1)])

    own = window_map(
        value("kernel", 1),
        max(Fraction(1), value("stride", 1)),
        value("pad", 0),
        value("dilation", 1),
    )
    return compose(below, inverse(*own) if layer.type == "Deconvolution" else own)
