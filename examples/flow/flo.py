"""Flow fields: files in Middlebury's format, and the usual colours.

A flow is (H, W, 2) float32: how far each pixel of the first picture moves to the right and down.
A .flo file has the number 202021.25, width and height as int32, then the rows of the flow.
"""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np

MAGIC = 202021.25
UNKNOWN = 1e9
"""A component larger than this is unknown, as in Middlebury's files."""


def read_flow(path: Path) -> np.ndarray:
    """The flow in a .flo file; NaN where it is unknown."""
    data = path.read_bytes()
    if len(data) < 12 or np.frombuffer(data, "<f4", 1)[0] != MAGIC:
        raise SystemExit(f"{path}: is no .flo file, which begins with the number {MAGIC}")
    width, height = (int(side) for side in np.frombuffer(data, "<i4", 2, offset=4))
    if len(data) != 12 + 8 * width * height:
        raise SystemExit(
            f"{path}: {len(data)} bytes; needed for {width} x {height}: {12 + 8 * width * height}"
        )
    flow = np.frombuffer(data, "<f4", offset=12).reshape(height, width, 2).copy()
    flow[np.abs(flow) > UNKNOWN] = np.nan
    return flow


def write_flow(path: Path, flow: np.ndarray) -> None:
    """Write a flow as a .flo file."""
    height, width = flow.shape[:2]
    head = np.array([MAGIC], "<f4").tobytes() + np.array([width, height], "<i4").tobytes()
    path.write_bytes(head + np.where(np.isnan(flow), 10 * UNKNOWN, flow).astype("<f4").tobytes())


def resize_flow(flow: np.ndarray, height: int, width: int) -> np.ndarray:
    """A flow for pictures of another size; its vectors become longer or shorter with them."""
    if flow.shape[:2] == (height, width):
        return flow
    scale = np.array([width / flow.shape[1], height / flow.shape[0]], np.float32)
    resized: np.ndarray = cv2.resize(flow, (width, height), interpolation=cv2.INTER_AREA) * scale
    return resized


def end_point_errors(flow: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """How far each pixel's end is from the true one; only where the truth is known."""
    errors = np.linalg.norm(flow - truth, axis=2)
    return errors[~np.isnan(errors)]


def colours(flow: np.ndarray, longest: float) -> np.ndarray:
    """Middlebury's colours, (H, W, 3) uint8 RGB: the hue is the direction, white is no motion.

    Vectors of the length `longest` and more have the full colour.
    """
    wheel = colour_wheel()
    known = np.nan_to_num(flow)
    length = np.linalg.norm(known, axis=2, keepdims=True) / longest
    angle = np.arctan2(-known[:, :, 1], -known[:, :, 0]) / np.pi
    place = (angle + 1) / 2 * (len(wheel) - 1)
    low = np.floor(place).astype(int)
    part = (place - low)[:, :, None]
    hue = (1 - part) * wheel[low] + part * wheel[(low + 1) % len(wheel)]
    shade = np.where(length <= 1, 1 - length * (1 - hue), hue * 0.75)
    return np.round(shade * 255).astype(np.uint8)


def colour_wheel() -> np.ndarray:
    """(55, 3), from 0 to 1: red, yellow, green, cyan, blue, magenta, and back to red."""
    corners = ((1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 1, 1), (0, 0, 1), (1, 0, 1), (1, 0, 0))
    steps = (15, 6, 4, 11, 13, 6)
    rows = []
    for start, end, count in zip(corners, corners[1:], steps):
        for i in range(count):
            rows.append(np.array(start) + (np.array(end) - np.array(start)) * (i / count))
    return np.array(rows)
