"""Filters and feature maps as small PNG pictures that stand in the page itself."""

# K pictures, C channels (blue, green, red), H W one picture

from __future__ import annotations

import base64
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from caffepy.data.opencv import encode
from caffepy.errors import DataError

Floats = npt.NDArray[np.float32]
GAP_PX = 1
GAP_GRAY = 60


@dataclass(frozen=True)
class Mosaic:
    """Pictures side by side in one PNG, row by row.

    ``address``: the PNG as a ``data:`` address.
    ``cell_w``, ``cell_h``: pixels from one picture to the next, the gap included.
    ``shown``: how many pictures there are.
    """

    address: str
    columns: int
    rows: int
    cell_w: int
    cell_h: int
    shown: int

    def data(self) -> dict[str, Any]:
        """For the page."""
        return dict(vars(self))


def filters(weights: Floats, most: int) -> Mosaic:
    """Filters (K, 1 or 3, H, W) as pictures, all on one scale of gray or colour."""
    shown = weights[:most]
    return mosaic(scaled(shown, *limits(shown)).transpose(0, 2, 3, 1))


def maps(values: Floats, most: int, largest_px: int) -> Mosaic:
    """Feature maps (K, H, W) as gray pictures, each on its own scale, shrunk to ``largest_px``."""
    shown = np.stack([smaller(plane, largest_px) for plane in values[:most]])
    pixels = np.stack([scaled(plane, *limits(plane)) for plane in shown])
    return mosaic(pixels[..., None])


def limits(values: Floats) -> tuple[float, float]:
    """The least and the largest finite value; zeros where there is none."""
    finite = values[np.isfinite(values)]
    return (float(finite.min()), float(finite.max())) if finite.size else (0.0, 0.0)


def scaled(values: Floats, low: float, high: float) -> npt.NDArray[np.uint8]:
    """Values as bytes, ``low`` as 0 and ``high`` as 255; 0 for NaN, and if all are alike."""
    if not high > low:
        return np.zeros(values.shape, np.uint8)
    finite = np.nan_to_num(values.astype(np.float64), nan=low, posinf=high, neginf=low)
    return np.asarray(np.rint((finite - low) * (255 / (high - low))), np.uint8)


def smaller(plane: Floats, largest_px: int) -> Floats:
    """A channel whose longer side has at most so many pixels; averaged, not sampled."""
    import cv2

    height, width = plane.shape
    shrink = max(height, width) / largest_px
    if shrink <= 1:
        return plane
    size = (max(1, round(width / shrink)), max(1, round(height / shrink)))
    return np.asarray(cv2.resize(plane, size, interpolation=cv2.INTER_AREA), np.float32)


def mosaic(pictures: npt.NDArray[np.uint8]) -> Mosaic:
    """Pictures (K, H, W, 1 or 3) in a square as near as can be."""
    count, height, width, channels = pictures.shape
    columns = math.ceil(math.sqrt(count * height / width)) if count else 1
    rows = math.ceil(count / columns)
    cell_h, cell_w = height + GAP_PX, width + GAP_PX
    canvas = np.full((rows * cell_h, columns * cell_w, channels), GAP_GRAY, np.uint8)
    for i, picture in enumerate(pictures):
        top, left = i // columns * cell_h, i % columns * cell_w
        canvas[top : top + height, left : left + width] = picture
    return Mosaic(png_address(canvas), columns, rows, cell_w, cell_h, count)


def png_address(pixels: npt.NDArray[np.uint8]) -> str:
    """An image (H, W, 1 or 3) as a ``data:`` address."""
    content = encode(pixels, "png")
    if content is None:
        raise DataError(
            f"OpenCV cannot write a PNG of {pixels.shape[1]} x {pixels.shape[0]} pixels"
        )
    return f"data:image/png;base64,{base64.b64encode(content).decode()}"
