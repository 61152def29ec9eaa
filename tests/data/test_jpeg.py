"""JPEGs decoded down to the end of a crop: the pixels of OpenCV, and what is left to OpenCV."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from caffepy.data import opencv
from caffepy.data.datum import encode
from caffepy.data.jpeg import BELOW, Header, JpegDecoder, open_decoder, read_header
from caffepy.data.source import Source
from caffepy.data.sources.data import DataSource
from caffepy.data.sources.image_data import ImageDataSource
from caffepy.data.sources.window_data import WindowDataSource
from tests.data.build import TRAIN, layer, picture, png, seeded, take, write_database

Pixels = npt.NDArray[np.uint8]
SAMPLINGS = (0x111111, 0x211111, 0x121111, 0x221111, 0x411111)
EXIF = b"\xff\xe1\x00\x08Exif\0\0"


def jpeg(image: Pixels, sampling: int = 0x221111, *, progressive: bool = False) -> bytes:
    settings = [
        cv2.IMWRITE_JPEG_SAMPLING_FACTOR,
        sampling,
        cv2.IMWRITE_JPEG_PROGRESSIVE,
        int(progressive),
    ]
    return cv2.imencode(".jpg", image, settings)[1].tobytes()


def by_opencv(content: bytes, colorspace: str, *, buffer: Pixels, strict: bool) -> None:
    """Decodes as simplejpeg does, but does not tell small faults."""
    flag = cv2.IMREAD_GRAYSCALE if colorspace == "GRAY" else cv2.IMREAD_COLOR
    image = cv2.imdecode(np.frombuffer(content, np.uint8), flag)
    if image is None:
        raise ValueError(f"strict: {strict}")
    buffer[...] = 99
    buffer.reshape(-1)[: image.size] = image.ravel()


def decode_jpeg(name: str) -> Callable[..., Any]:
    if name == "opencv":
        return by_opencv
    found: Callable[..., Any] = pytest.importorskip("simplejpeg").decode_jpeg
    return found


def test_headers() -> None:
    content = jpeg(picture(0, 30, 20))
    header = read_header(memoryview(content))
    assert header is not None
    assert header == Header(header.place, 30, 20, 3, turned=False, sequential=True)
    assert content[header.place - 5 : header.place - 3] == b"\xff\xc0"
    progressive = read_header(jpeg(picture(0, 30, 20), progressive=True))
    assert progressive is not None
    assert not progressive.sequential
    gray = read_header(jpeg(picture(0, 300, 20)[:, :, 0]))
    assert gray is not None
    assert (gray.height, gray.channels) == (300, 1)
    for at in (2, content.index(b"\xff\xda")):  # also behind the size
        turned = read_header(content[:at] + EXIF + content[at:])
        assert turned is not None
        assert turned.turned


@pytest.mark.parametrize("end", [0, 3, 150, 200, -1, -2])
def test_what_is_no_complete_jpeg_has_no_header(end: int) -> None:
    assert read_header(jpeg(picture(0))[:end]) is None


def test_other_pictures_have_no_header() -> None:
    content = jpeg(picture(0))
    place = content.index(b"\xff\xc0")
    for kind in (0xC3, 0xC9, 0xDA):  # lossless, arithmetic codes, no frame at all
        assert read_header(content[: place + 1] + bytes([kind]) + content[place + 2 :]) is None
    assert read_header(content[: place + 4] + b"\x0c" + content[place + 5 :]) is None  # 12 bits
    assert read_header(content[: place + 9] + b"\x04" + content[place + 10 :]) is None  # CMYK
    assert read_header(cv2.imencode(".png", picture(0))[1].tobytes()) is None


@pytest.mark.parametrize("by", ["opencv", "simplejpeg"])
@pytest.mark.parametrize("sampling", SAMPLINGS)
def test_pixels_are_those_of_the_whole_picture(by: str, sampling: int) -> None:
    decoder = JpegDecoder(decode_jpeg(by))
    for height, width, gray in ((70, 61, False), (33, 40, True)):
        image = picture(height, height, width)
        for progressive in (False, True):
            content = jpeg(image[:, :, 0] if gray else image, sampling, progressive=progressive)
            for color in (None, True, False):
                whole = np.asarray(opencv.decode(content, color))
                for rows in (1, 2, 15, 16, 17, height - 3, height - 1, height):
                    found = decoder.decode(content, color, lambda _, rows=rows: rows)
                    assert found is not None
                    assert found.shape == whole.shape
                    np.testing.assert_array_equal(found[:rows], whole[:rows])


def test_rows_below_the_crop_are_not_decoded() -> None:
    asked: list[tuple[int, ...]] = []

    def decode(content: bytes, colorspace: str, *, buffer: Pixels, strict: bool) -> None:
        header = read_header(content)
        assert header is not None
        asked.append((header.height, len(colorspace), *buffer.shape, strict))

    decoder = JpegDecoder(decode)
    decoder.decode(jpeg(picture(0, 90, 20)), None, lambda shape: shape[1] - 40)
    decoder.decode(jpeg(picture(0, 90, 20)), False, lambda shape: shape[1])
    decoder.decode(jpeg(picture(0, 90, 20), progressive=True), True, lambda _: 10)
    assert asked == [
        (50 + BELOW, 3, 90, 20, 3, False),
        (90, 4, 90, 20, 1, True),
        (90, 3, 90, 20, 3, True),
    ]


def test_orientation_and_faults_are_left_to_opencv() -> None:
    def decode(content: bytes, colorspace: str, *, buffer: Pixels, strict: bool) -> None:
        raise ValueError("Corrupt JPEG data")

    content = jpeg(picture(0))
    turned = content[:2] + EXIF + content[2:]
    assert JpegDecoder(decode).decode(content, True, lambda _: 4) is None
    decoder = JpegDecoder(by_opencv)
    assert decoder.decode(turned, True, lambda shape: shape[1]) is None
    assert decoder.decode(turned, None, lambda shape: shape[1]) is not None


def same_with(
    by: str, monkeypatch: pytest.MonkeyPatch, opened: Callable[[], Source], number: int = 3
) -> None:
    """Holds so many batches by a decoder to those by OpenCV alone."""
    found = []
    for decoder in (None, JpegDecoder(decode_jpeg(by))):
        monkeypatch.setattr("caffepy.data.image_file.open_decoder", lambda decoder=decoder: decoder)
        source = seeded(opened())
        found.append(list(take(source, number)))
        source.close()
    for old, new in zip(*found, strict=True):
        np.testing.assert_array_equal(old, new)


@pytest.mark.parametrize("by", ["opencv", "simplejpeg"])
@pytest.mark.parametrize("more", ["crop_size: 30 mirror: true", "force_gray: true", "crop_size: 8"])
def test_the_same_batches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, by: str, more: str
) -> None:
    records = [
        encode(jpeg(picture(i, 64 + i % 2, 50), SAMPLINGS[i % 5]), label=i, encoded=True)
        for i in range(9)
    ]
    if more.startswith("crop"):
        records.append(png(picture(9, 40, 50), 9))
    else:
        records = records[::2]
    path = write_database(tmp_path / "db", records)

    def opened() -> Source:
        param = layer(
            f'name: "data" type: "Data" top: "data" top: "label" transform_param {{ {more} }}'
            f' data_param {{ source: "{path}" backend: LMDB batch_size: 6 }}'
        )
        return DataSource(param, TRAIN)

    same_with(by, monkeypatch, opened)


@pytest.mark.parametrize("by", ["opencv", "simplejpeg"])
@pytest.mark.parametrize(
    ("fields", "more"),
    [
        ("", "crop_size: 30 mirror: true"),
        ("is_color: false", "crop_size: 8"),
        ("new_height: 40 new_width: 44", "crop_size: 30"),
        ("", "crop_size: 30 img_rand_resize_lower: 40 img_rand_resize_upper: 60"),
        ("", "crop_size: 9 resize_param { height: 20 width: 20 }"),
    ],
)
def test_the_same_batches_of_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, by: str, fields: str, more: str
) -> None:
    for i in range(5):
        (tmp_path / f"{i}.jpg").write_bytes(jpeg(picture(i, 64 + i % 2, 50), SAMPLINGS[i]))
    (tmp_path / "list.txt").write_text("".join(f"{i}.jpg {i}\n" for i in range(5)))

    def opened() -> Source:
        param = layer(
            f'type: "ImageData" top: "data" top: "label" transform_param {{ {more} }}'
            f' image_data_param {{ source: "{tmp_path}/list.txt" root_folder: "{tmp_path}/"'
            f" batch_size: 5 {fields} }}"
        )
        return ImageDataSource(param, TRAIN)

    same_with(by, monkeypatch, opened)


@pytest.mark.parametrize("by", ["opencv", "simplejpeg"])
@pytest.mark.parametrize("window", ["", "context_pad: 2", "crop_mode: 'square'"])
def test_the_same_windows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, by: str, window: str
) -> None:
    (tmp_path / "0.jpg").write_bytes(jpeg(picture(0, 70, 50)))
    boxes = ("1 0.9 2 3 30 12", "2 0.8 5 0 9 1", "1 0.7 40 60 49 69", "0 0.1 0 0 49 30")
    lines = ["# 0", f"{tmp_path}/0.jpg", "3 70 50", "4", *boxes]
    (tmp_path / "windows.txt").write_text("\n".join(lines) + "\n")

    def opened() -> Source:
        param = layer(
            'type: "WindowData" top: "data" top: "label"'
            " transform_param { crop_size: 8 mirror: true } window_data_param"
            f' {{ source: "{tmp_path}/windows.txt" batch_size: 16 fg_fraction: 0.75 {window} }}'
        )
        return WindowDataSource(param, TRAIN)

    same_with(by, monkeypatch, opened, number=2)


def test_simplejpeg_is_taken_where_its_pixels_are_those_of_opencv() -> None:
    pytest.importorskip("simplejpeg")
    assert open_decoder() is not None
