"""DetectNet's random changes of pictures and boxes."""

from __future__ import annotations

import colorsys

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from caffepy.data.detectnet_augmentation import (
    Augmentation,
    draw_augmentation,
    rotated_size,
    rotation_matrix,
)
from caffepy.data.random import Mt19937
from caffepy.proto import caffe_pb2
from caffepy.proto.text import parse

Floats = npt.NDArray[np.float32]
ZERO = np.zeros(3, np.float32)
RANDOM = ("crop", "scale", "flip", "rotation", "hue_rotation", "desaturation")


def never(*other: str) -> str:
    """Nothing happens, except for these."""
    return " ".join(f"{name}_prob: {int(name in other)}" for name in RANDOM)


def picture(height: int = 6, width: int = 8, seed: int = 0) -> Floats:
    return np.random.default_rng(seed).integers(0, 256, (height, width, 3)).astype(np.float32)


def augmentation(text: str) -> caffe_pb2.DetectNetAugmentationParameter:
    param = caffe_pb2.DetectNetAugmentationParameter()
    parse(text, param, file="test")
    return param


def draw(
    text: str, seed: int = 1, *, size: tuple[int, int] = (60, 80), crop: tuple[int, int] = (50, 70)
) -> Augmentation:
    return draw_augmentation(augmentation(text), Mt19937(seed), size, crop)


def test_nothing_is_changed_but_the_crop_lies_in_the_middle() -> None:
    assert draw(never()) == Augmentation((60, 80), (50, 70), top=5, left=5)
    # -5.5 is rounded away from 0
    assert draw(never(), crop=(71, 80)) == Augmentation((60, 80), (71, 80), top=-6, left=0)
    image = picture()
    np.testing.assert_allclose(Augmentation((6, 8), (6, 8)).picture(image, ZERO), image, rtol=1e-6)


def test_draws_in_their_order() -> None:
    """One number whether, and then how much; the numbers are draws / 2^32."""
    text = (
        "hue_rotation_prob: 1 hue_rotation: 30 desaturation_prob: 1 desaturation_max: 0.8 flip_prob: 0.5 scale_prob: 1 scale_min: 0.8"
        " scale_max: 1.2 rotation_prob: 1 max_rotate_degree: 5 crop_prob: 1 shift_x: 33 shift_y: 16"
    )
    for seed in range(6):
        numbers = (Mt19937(seed).raw(12) / 2**32).tolist()
        found = draw(text, seed)
        assert found.hue == pytest.approx((numbers[1] - 0.5) * 60)
        assert found.saturation == pytest.approx(1 - numbers[3] * 0.8)
        assert found.flip == (numbers[4] <= 0.5)
        scale = 0.8 + 0.4 * numbers[6]
        assert found.size == (round(60 * scale), round(80 * scale))
        assert found.rotation == pytest.approx((numbers[8] - 0.5) * 10, rel=1e-5)
        height, width = rotated_size(found.size, found.rotation)
        assert found.left == round(numbers[10] * (width - 70 + 33) - 16)
        assert found.top == round(numbers[11] * (height - 50 + 16) - 8)


def test_what_does_not_happen_draws_no_amount() -> None:
    numbers = (Mt19937(4).raw(9) / 2**32).tolist()
    found = draw(never("flip", "crop"), 4)
    assert found.flip
    assert (found.left, found.top) == (round(numbers[6] * 10), round(numbers[7] * 10))


def test_the_hue_is_limited() -> None:
    found = {draw(f"hue_rotation: 2000 {never('hue_rotation')}", seed).hue for seed in range(20)}
    assert {-180.0, 180.0} <= found
    assert max(map(abs, found)) == 180


@pytest.mark.parametrize(
    ("hue", "saturation"), [(30.0, 1.0), (-170.0, 1.0), (0.0, 0.3), (175.0, 0.6)]
)
def test_colors(hue: float, saturation: float) -> None:
    image = picture()
    found = Augmentation((6, 8), (6, 8), hue=hue, saturation=saturation).picture(image, ZERO)
    for pixel, changed in zip(image.reshape(-1, 3) / 255, found.reshape(-1, 3) / 255):
        h, s, v = colorsys.rgb_to_hsv(*pixel[::-1].tolist())
        assert changed[::-1] == pytest.approx(
            colorsys.hsv_to_rgb((h + hue / 360) % 1, s * saturation, v), abs=1e-5
        )


def test_the_mean_is_taken_off_before_zeros_are_put_around() -> None:
    image = picture()
    mean = np.array([10, 20, 30], np.float32)
    found = Augmentation((6, 8), (9, 4), top=-2, left=1).picture(image, mean / 255)
    wanted = np.zeros((9, 4, 3), np.float32)
    wanted[2:8] = image[:, 1:5] - mean
    np.testing.assert_allclose(found, wanted, atol=1e-4)
    own = Augmentation((6, 8), (6, 8), flip=True).picture(image, image / np.float32(255))
    np.testing.assert_allclose(own, np.zeros_like(image), atol=1e-4)


@pytest.mark.parametrize(("top", "left"), [(7, 0), (0, 9), (-7, 0), (0, -9), (-50, 40)])
def test_a_crop_beside_the_picture_is_empty(top: int, left: int) -> None:
    assert not Augmentation((6, 8), (6, 8), top=top, left=left).picture(picture(), ZERO).any()


def test_a_flipped_box_is_where_its_object_is() -> None:
    """As in NVIDIA Caffe, which counts a pixel less: x is width - x - box's width - 1."""
    change = Augmentation((6, 8), (6, 8), flip=True)
    image = picture()
    np.testing.assert_allclose(change.picture(image, ZERO), image[:, ::-1], rtol=1e-6)
    np.testing.assert_array_equal(
        change.boxes(np.array([[1, 2, 3, 4]], np.float32), (6, 8)), [[3, 2, 3, 4]]
    )


def test_a_resized_and_cropped_box() -> None:
    change = Augmentation((12, 24), (10, 10), top=3, left=-2)
    np.testing.assert_array_equal(
        change.boxes(np.array([[1, 2, 3, 4], [0, 0, 1, 1]], np.float32), (6, 8)),
        [[5, 1, 9, 8], [2, -3, 3, 2]],
    )
    image = picture()
    resized = cv2.resize(image, (24, 12), interpolation=cv2.INTER_CUBIC)
    wanted = np.zeros((10, 10, 3), np.float32)
    wanted[:9, 2:] = resized[3:, :8]
    np.testing.assert_allclose(change.picture(image, ZERO), wanted, atol=1e-3)


@pytest.mark.parametrize("rotation", [4.0, -3.0, 40.0, -75.0])
def test_a_box_turns_with_its_picture(rotation: float) -> None:
    """The middle of a bright spot is the middle of its box."""
    size = (80, 101)
    image = np.zeros((*size, 3), np.float32)
    image[20:27, 60:71] = 255
    turned = rotated_size(size, rotation)
    change = Augmentation(size, turned, rotation=rotation)
    found = change.picture(image, ZERO)[:, :, 0]
    weights = found / found.sum()
    middle = (
        float((weights.sum(0) * np.arange(turned[1])).sum()),
        float((weights.sum(1) * np.arange(turned[0])).sum()),
    )
    ((x, y, width, height),) = change.boxes(np.array([[60, 20, 10, 6]], np.float32), size).tolist()
    assert (width, height) == (10, 6)
    assert (x + 5, y + 3) == pytest.approx(middle, abs=0.1)


def test_the_size_of_a_rotated_picture_holds_its_corners() -> None:
    radians = np.deg2rad(30)
    height, width = rotated_size((60, 80), 30.0)
    assert width == pytest.approx(80 * np.cos(radians) + 60 * np.sin(radians), abs=2.5)
    assert height == pytest.approx(80 * np.sin(radians) + 60 * np.cos(radians), abs=2.5)
    matrix = rotation_matrix((60, 80), 30.0)
    np.testing.assert_allclose(
        matrix[:, :2],
        [[np.cos(radians), -np.sin(radians)], [np.sin(radians), np.cos(radians)]],
        atol=1e-6,
    )
