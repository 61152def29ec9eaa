"""``detectnet_augmentation_param``: DetectNet's random changes of images and of their boxes."""

# H W picture, B boxes (x, y, width, height) in pixels

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from caffepy.data.opencv import rounded
from caffepy.data.random import Mt19937
from caffepy.data.resize_policy import Size
from caffepy.proto import caffe_pb2

Floats: TypeAlias = npt.NDArray[np.float32]
f32 = np.float32

EPSILON = float(np.finfo(np.float32).eps)
BYTE_MAX = 255


@dataclass(frozen=True)
class Augmentation:
    """What is done to an image.

    In this order: hue and saturation, mean, flip, resize, rotation, crop.
    """

    size: Size
    """The size to which it is resized."""
    crop: Size
    """The size of the result, with zeros where the image is smaller."""
    top: int = 0
    left: int = 0
    hue: float = 0.0
    """Degrees to add."""
    saturation: float = 1.0
    """A factor."""
    flip: bool = False
    rotation: float = 0.0
    """Degrees, clockwise."""

    @property
    def recolors(self) -> bool:
        """Whether hue or saturation change."""
        return abs(self.hue) > EPSILON or self.desaturates

    @property
    def desaturates(self) -> bool:
        """Whether the saturation changes by more than one level of a byte."""
        return self.saturation < 1 - 1 / BYTE_MAX

    @property
    def rotates(self) -> bool:
        """Whether it is rotated."""
        return abs(self.rotation) > EPSILON

    def picture(self, image: Floats, mean: Floats) -> Floats:
        """The crop (h, w, 3) of an image (H, W, 3) with values up to 255.

        ``mean``: (3,) or (H, W, 3), up to 1. Source: ``transform_image_cpu``.
        """
        import cv2

        values = image * f32(1 / BYTE_MAX)
        if self.recolors:
            values = self._recolored(values)
        values = values - mean
        if self.flip:
            values = np.asarray(cv2.flip(values, 1), np.float32)
        if values.shape[:2] != self.size:
            values = np.asarray(
                cv2.resize(values, self.size[::-1], interpolation=cv2.INTER_CUBIC), np.float32
            )
        if self.rotates:
            height, width = rotated_size(self.size, self.rotation)
            turned = np.zeros((height, width, 3), np.float32)
            matrix = rotation_matrix(self.size, self.rotation)
            cv2.warpAffine(
                values, matrix, (width, height), turned, cv2.INTER_LINEAR, cv2.BORDER_TRANSPARENT
            )
            values = turned
        return self._cropped(values) * f32(BYTE_MAX)

    def boxes(self, boxes: Floats, size: Size) -> Floats:
        """The boxes (B, 4) of an image of ``size``, in the crop; they may lie outside of it.

        Source: ``transform_label_cpu``.
        """
        corner, extent = boxes[:, :2], boxes[:, 2:]
        if self.flip:
            corner = np.stack(
                (f32(size[1]) - corner[:, 0] - extent[:, 0] - f32(1), corner[:, 1]), 1
            )
        if size != self.size:
            scale = np.array(
                [f32(after) / f32(before) for after, before in zip(self.size[::-1], size[::-1])],
                np.float32,
            )
            corner, extent = corner * scale, extent * scale
        if self.rotates:
            center = (corner + (corner + extent)) * f32(0.5)
            matrix = rotation_matrix(self.size, self.rotation).astype(np.float64)
            turned = (center @ matrix[:, :2].T + matrix[:, 2]).astype(np.float32)
            corner = turned - (corner + extent - center)
        return np.concatenate((corner - np.array([self.left, self.top], np.float32), extent), 1)

    def _recolored(self, image: Floats) -> Floats:
        import cv2

        hsv = np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2HSV), np.float32)
        if abs(self.hue) > EPSILON:
            # newer OpenCVs accept no hue below 0
            hsv[:, :, 0] = np.mod(hsv[:, :, 0] + f32(self.hue), f32(360))
        if self.desaturates:
            hsv[:, :, 1] *= f32(self.saturation)
        return np.asarray(cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR))

    def _cropped(self, image: Floats) -> Floats:
        cropped = np.zeros((*self.crop, 3), np.float32)
        (top, bottom), (left, right) = (
            (max(start, 0), max(min(start + side, whole), start, 0))
            for start, side, whole in zip((self.top, self.left), self.crop, image.shape)
        )
        part = image[top:bottom, left:right]
        down, across = top - self.top, left - self.left
        cropped[down : down + part.shape[0], across : across + part.shape[1]] = part
        return cropped


def draw_augmentation(
    param: caffe_pb2.DetectNetAugmentationParameter, random: Mt19937, size: Size, crop: Size
) -> Augmentation:
    """The random changes for an image of ``size`` in TRAIN.

    ``param``: a caffe.DetectNetAugmentationParameter. Source: ``get_augmentations``.
    """

    def number() -> np.float32:
        """From 0 to 1, both included."""
        return f32(random.draw()) * f32(2.0**-32)

    hue = rotation = 0.0
    saturation = 1.0
    resized = size
    if number() <= param.hue_rotation_prob:
        hue = min(max((float(number()) - 0.5) * 2 * param.hue_rotation, -180.0), 180.0)
    if number() <= param.desaturation_prob:
        saturation = float(f32(1 - float(number() * f32(param.desaturation_max))))
    flip = bool(number() <= param.flip_prob)
    if number() <= param.scale_prob:
        scale = f32(param.scale_min) + (f32(param.scale_max) - f32(param.scale_min)) * number()
        resized = (rounded(f32(size[0]) * scale), rounded(f32(size[1]) * scale))
    if number() <= param.rotation_prob:
        rotation = float(f32((float(number()) - 0.5) * 2 * param.max_rotate_degree))
    whole = rotated_size(resized, rotation) if abs(rotation) > EPSILON else resized
    across = down = 0.5
    shift = (0, 0)
    if number() <= param.crop_prob:
        across, down = float(number()), float(number())
        shift = (param.shift_y, param.shift_x)
    top, left = (
        rounded(part * (side - wanted + move) - move // 2)
        for part, side, wanted, move in zip((down, across), whole, crop, shift)
    )
    return Augmentation(resized, crop, top, left, float(f32(hue)), saturation, flip, rotation)


def rotated_size(size: Size, rotation: float) -> Size:
    """The size that an image of ``size`` needs when it is rotated about its middle pixel.

    Source: ``getRotatedSize``.
    """
    height, width = size
    corners = _corners((width // 2, height // 2), size, rotation)
    width, height = (np.ceil(corners.max(0)) - np.floor(corners.min(0)) + 1).astype(int).tolist()
    return height, width


def rotation_matrix(size: Size, rotation: float) -> Floats:
    """(2, 3): maps (x, y, 1) of an image of ``size`` to the rotated image.

    Source: ``getTransformationMatrix``.
    """
    import cv2

    center = np.array([size[1], size[0]], np.float32) * f32(0.5)
    up = np.floor(_corners(center, size, rotation).min(0))
    matrix = cv2.getAffineTransform(
        _corners(center, size, 0)[:3], _corners(center - up, size, rotation)[:3]
    )
    return np.asarray(matrix).astype(np.float32)


def _corners(center: Floats | tuple[int, int], size: Size, rotation: float) -> Floats:
    """(4, 2), x and y of the corners."""
    import cv2

    x, y = (float(at) for at in center)
    return np.asarray(
        cv2.boxPoints(((x, y), (float(size[1]), float(size[0])), rotation)), np.float32
    )
