"""caffe.coord_map: where the elements of one top lie in another.

From it follows the Crop layer that cuts one top to the place of another.

A map ``(axis, a, b)`` takes coordinate x of one top to a * x + b in another, in each spatial axis
from the one after ``axis`` on; axis None: any.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
import numpy.typing as npt

from caffepy.net import coord_map as places
from caffepy.pycaffe.errors import CropError, UnknownName, WrongValue
from caffepy.pycaffe.net_spec import Function, Top, layers

Numbers = npt.NDArray[Any]
Map = tuple[int | None, Any, Any]

PASS_THROUGH_LAYERS = sorted(places.SAME_PLACE)
"""Their tops lie where their bottoms lie."""
LEGACY = {"pad_h", "pad_w", "kernel_h", "kernel_w", "stride_h", "stride_w"}
ONE = np.ones(1)
IDENTITY: Map = (None, 1, 0)


class UndefinedMapException(CropError):
    """The layer has no coordinate map."""


class AxisMismatchException(CropError):
    """Two maps for different axes cannot be composed."""


def conv_params(fn: Function) -> tuple[int, Numbers, Numbers, Numbers]:
    """Axis, stride, extent of the kernel and pad of a layer with windows.

    Caffe reads them of the net's description in Python, where ``kernel_h`` and the like are
    refused: not by `window_field`.
    """
    given = fn.params.get("convolution_param") or fn.params.get("pooling_param") or fn.params
    if LEGACY & set(given):
        raise CropError(
            "cropping does not support legacy _h/_w params:"
            f" {', '.join(sorted(LEGACY & set(given)))}"
        )
    if "kernel_size" not in given:
        raise UnknownName(f"{fn.type_name}: kernel_size is missing; needed for its coordinate map")
    kernel = np.array(given["kernel_size"], ndmin=1)
    dilation = np.array(given.get("dilation", 1), ndmin=1)
    stride = np.array(given.get("stride", 1), ndmin=1)
    pad = np.array(given.get("pad", 0), ndmin=1)
    return given.get("axis", 1), stride, (kernel - 1) * dilation + 1, pad


def crop_params(fn: Function) -> tuple[int, Numbers]:
    """Axis and offset of a Crop layer."""
    given = fn.params.get("crop_param") or fn.params
    return given.get("axis", 2), np.array(given.get("offset", 0), ndmin=1)


def coord_map(fn: Function) -> Map:
    """The map from the layer's bottom to its top.  UndefinedMapException if it has none."""
    if fn.type_name in places.WINDOWS or fn.type_name == "Deconvolution":
        axis, stride, extent, pad = conv_params(fn)
        step, start = places.window_map(extent, stride, pad, ONE)
        if fn.type_name != "Deconvolution":
            step, start = places.inverse(step, start)
        return axis, step, start
    if fn.type_name in PASS_THROUGH_LAYERS:
        return IDENTITY
    if fn.type_name == "Crop":
        axis, offset = crop_params(fn)
        return axis - 1, 1, -offset  # the axis before the first that is cropped
    raise UndefinedMapException(f"{fn.type_name} has no coordinate map")


def compose(base_map: Map, next_map: Map) -> Map:
    """``base_map`` of ``next_map``."""
    axis, a, b = base_map
    next_axis, next_a, next_b = next_map
    if axis is not None and next_axis is not None and axis != next_axis:
        raise AxisMismatchException(
            f"coordinates from axis {axis} on and from axis {next_axis} on cannot be"
            " brought together"
        )
    return next_axis if axis is None else axis, *places.compose((a, b), (next_a, next_b))


def inverse(coord_map: Map) -> Map:
    """The map in the other direction."""
    axis, a, b = coord_map
    return axis, *places.inverse(a, b)


def _walk(start: Top, wanted: Collection[Top] = ()) -> tuple[dict[Top, Map], Top | None]:
    """Maps from the tops below ``start`` to it, and the first of these that is ``wanted``.

    The walk ends there. Of a Crop layer only the bottom that it crops counts.
    """
    maps: dict[Top, Map] = {start: IDENTITY}
    waiting = [start]
    while waiting:
        top = waiting.pop()
        if top in wanted:
            return maps, top
        try:
            own = coord_map(top.fn)
        except UndefinedMapException:
            continue
        for bottom in top.fn.inputs[:1] if top.fn.type_name == "Crop" else top.fn.inputs:
            maps[bottom] = compose(maps[top], own)
            waiting.append(bottom)
    return maps, None


def coord_map_from_to(top_from: Top, top_to: Top) -> Map:
    """The map from ``top_from`` to ``top_to`` over a top that both come from.

    WrongValue if there is none.
    """
    from_maps, _ = _walk(top_from)
    to_maps, common = _walk(top_to, from_maps)
    if common is None:
        raise WrongValue(
            "Could not compute map between tops; are they connected by spatial layers?"
        )
    return compose(to_maps[common], inverse(from_maps[common]))


def crop(top_from: Top, top_to: Top) -> Top:
    """A Crop layer that cuts ``top_from`` to the place of ``top_to``.

    CropError if their scales or places do not fit.
    """
    axis, a, b = coord_map_from_to(top_from, top_to)
    if not np.all(np.equal(a, 1)):
        raise CropError(f"scale mismatch on crop (a = {a})")
    if not np.all(np.less_equal(b, 0)):
        raise CropError(f"cannot crop negative offset (b = {b})")
    if not np.all(np.round(b) == b):
        raise CropError(f"cannot crop noninteger offset (b = {b})")
    offset = [-int(n) for n in np.atleast_1d(np.round(b))]
    crop_param = {"axis": 2 if axis is None else axis + 1, "offset": offset}
    cropped: Top = layers.Crop(top_from, top_to, crop_param=crop_param)
    return cropped
