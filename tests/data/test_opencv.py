"""Image files to pixels, as Caffe's OpenCV reads them."""

from __future__ import annotations

import os
from pathlib import Path

import cv2
import numpy as np
import pytest

from caffepy.data import image_file, opencv
from tests.data.build import picture


def png(pixels: np.ndarray) -> bytes:
    return cv2.imencode(".png", pixels)[1].tobytes()


def test_colour_gray_and_as_it_is() -> None:
    colour, gray = picture(0), picture(1)[:, :, 0]
    np.testing.assert_array_equal(opencv.decode(png(colour), True), colour)
    np.testing.assert_array_equal(opencv.decode(png(gray), True), np.repeat(gray[:, :, None], 3, 2))
    np.testing.assert_array_equal(
        opencv.decode(png(colour), False), cv2.imdecode(np.frombuffer(png(colour), np.uint8), 0)
    )
    np.testing.assert_array_equal(opencv.decode(png(gray), None), gray)


def test_alpha_is_dropped_but_kept_as_it_is() -> None:
    with_alpha = np.dstack([picture(0), np.zeros((6, 8), np.uint8)])
    np.testing.assert_array_equal(opencv.decode(png(with_alpha), True), picture(0))
    found = opencv.decode(png(with_alpha), None)
    assert found is not None
    assert found.shape == (6, 8, 4)


def test_sixteen_bits_are_cut_to_the_high_byte() -> None:
    deep = np.array([[0, 255, 256, 4660, 32767, 32768, 65280, 65535]], np.uint16)
    np.testing.assert_array_equal(
        opencv.decode(png(deep), False), [[0, 0, 1, 18, 127, 128, 255, 255]]
    )


@pytest.mark.parametrize("content", [b"", b"<html>", b"\xff\xd8\xff", png(picture(0))[:30]])
def test_no_image(content: bytes) -> None:
    assert opencv.decode(content, True) is None


def test_resize_needs_both_sizes() -> None:
    assert opencv.resize(picture(0), 0, 4).shape == (6, 8, 3)
    np.testing.assert_array_equal(opencv.resize(picture(0), 3, 4), cv2.resize(picture(0), (4, 3)))


def test_planes_and_mirrored_windows() -> None:
    view = opencv.channels_first(picture(0))
    assert opencv.channels_first(picture(0)[:, :, 0]).shape == (1, 6, 8)
    planes = opencv.planes(view)
    assert planes.flags.c_contiguous
    assert opencv.planes(planes) is planes
    np.testing.assert_array_equal(planes, view)
    for dtype in (np.uint8, np.float32):
        for window in ((0, 0, 6, 8), (1, 2, 3, 5), (5, 7, 1, 1)):
            top, left, height, width = window
            expected = view[:, top : top + height, left : left + width][:, :, ::-1]
            np.testing.assert_array_equal(
                opencv.flip(planes.astype(dtype), window), expected.astype(dtype)
            )


@pytest.mark.parametrize("progressive", [0, 1])
def test_jpegs_that_are_cut_off_anywhere_are_read_as_from_a_file(
    tmp_path: Path, progressive: int
) -> None:
    noise = np.random.default_rng(0).integers(0, 256, (12, 16, 3), np.uint8)
    content = cv2.imencode(".jpg", noise, [cv2.IMWRITE_JPEG_PROGRESSIVE, progressive])[1].tobytes()
    file, seen = tmp_path / "a.jpg", 0
    for end in range(3, len(content), 3):
        file.write_bytes(content[:end])
        expected = cv2.imread(str(file))
        found = opencv.decode(content[:end], True)
        assert (found is None) == (expected is None)
        if found is not None and expected is not None:
            np.testing.assert_array_equal(found, expected)
            seen += 1
    assert seen > 50


def test_encode() -> None:
    np.testing.assert_array_equal(
        opencv.decode(opencv.encode(picture(0), "png") or b"", True), picture(0)
    )
    assert opencv.encode(picture(0), "xyz") is None


def test_why_unreadable(tmp_path: Path) -> None:
    assert "No such file" in opencv.why_unreadable(str(tmp_path / "a"))
    (tmp_path / "a").write_bytes(b"")
    assert opencv.why_unreadable(str(tmp_path / "a")) == "it is empty"
    (tmp_path / "a").write_bytes(b"x")
    assert "no image" in opencv.why_unreadable(str(tmp_path / "a"))
    assert "Is a directory" in opencv.why_unreadable(str(tmp_path))
    assert image_file.read(str(tmp_path), True) is None
    os.mkfifo(tmp_path / "pipe")
    assert "it is a pipe; needed: a file" in opencv.why_unreadable(str(tmp_path / "pipe"))
    assert image_file.read(os.fsencode(tmp_path / "pipe"), True) is None


@pytest.mark.parametrize(
    "wrong",
    [
        "my pic.png ",
        "my pic.png\t",
        '"my pic.png"',
        "my\\ pic.png",
        "a.png 1 0",
        "a.png 3",
        ".\\a.png",
    ],
)
def test_names_that_are_nearly_right(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wrong: str
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("my pic.png", "a.png"):
        Path(name).write_bytes(b"")
    meant = "my pic.png" if "my" in wrong else "./a.png" if "\\" in wrong else "a.png"
    assert opencv.why_unreadable(wrong).startswith(
        f"No such file or directory, but '{meant}' exists; needed: a name as it is, one space"
    )


def test_an_image_for_which_there_is_no_memory_is_no_bad_image(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pixels = np.zeros((2, 3, 3), np.uint8)
    content = opencv.encode(pixels, "png")
    assert content is not None

    def fails(*words: object) -> None:
        error = cv2.error("Insufficient memory")
        error.err = "Failed to allocate 12 bytes"
        raise error

    monkeypatch.setattr(cv2, "imdecode", fails)
    monkeypatch.setattr(cv2, "imencode", fails)
    with pytest.raises(MemoryError, match=r"a\.png: Failed to allocate 12 bytes"):
        opencv.decode(content, True, name="a.png")
    with pytest.raises(MemoryError, match="an image: Failed to allocate 12 bytes"):
        opencv.encode(pixels, "png")
