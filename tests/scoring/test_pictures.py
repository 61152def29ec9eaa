"""Image files as inputs of nets."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from caffepy.errors import DataError
from caffepy.scoring.pictures import read_labels, read_pixels


@pytest.mark.parametrize("given", [1, 3, 4])
@pytest.mark.parametrize("needed", [1, 3])
def test_channels(given: int, needed: int, tmp_path: Path) -> None:
    image = np.full((4, 6, given), 100, np.uint8)
    cv2.imwrite(str(tmp_path / "a.png"), image)
    pixels = read_pixels(str(tmp_path / "a.png"), needed, 4, 6)
    assert pixels.shape == (needed, 4, 6)
    assert pixels.dtype == np.float32
    assert np.all(pixels == 100)


def test_channels_are_blue_green_red_and_resized(tmp_path: Path) -> None:
    image = np.zeros((4, 4, 3), np.uint8)
    image[..., 2] = 200  # OpenCV's third channel is red
    image[:, 2:, 0] = 50
    cv2.imwrite(str(tmp_path / "a.png"), image)
    pixels = read_pixels(str(tmp_path / "a.png"), 3, 2, 2)
    assert pixels[:, 0].tolist() == [[0, 50], [0, 0], [200, 200]]


def test_labels(tmp_path: Path) -> None:
    (tmp_path / "labels.txt").write_bytes(b"n01 tench, Tinca\r\nn02 caf\xc3\xa9\n")
    assert read_labels(str(tmp_path / "labels.txt")) == ["n01 tench, Tinca", "n02 café"]


def test_files_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="Unable to decode image none.png: No such file"):
        read_pixels("none.png", 3, 2, 2)
    with pytest.raises(DataError, match="Unable to open labels file none.txt: No such file"):
        read_labels("none.txt")
