"""transform_param against the formula, element by element, in Caffe's order of draws."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from caffepy.data import mean_file
from caffepy.data.random import Mt19937
from caffepy.data.transformer import Transformer, TransformSpec
from caffepy.errors import DataError
from caffepy.proto import caffe_pb2
from caffepy.proto.weights import write_blob
from tests.data.build import TEST, TRAIN

Array = npt.NDArray[Any]
HEIGHT, WIDTH = 6, 9


@pytest.fixture
def mean(tmp_path: Path) -> tuple[str, Array]:
    values = np.random.default_rng(5).uniform(0, 255, (3, HEIGHT, WIDTH)).astype(np.float32)
    write_blob(str(tmp_path / "mean.binaryproto"), values[None])
    return str(tmp_path / "mean.binaryproto"), values


def images(n: int, dtype: str = "uint8") -> Array:
    random = np.random.default_rng(n)
    return random.integers(0, 256, (n, 3, HEIGHT, WIDTH)).astype(dtype)


def by_the_formula(
    image: Array, spec: TransformSpec, mean: Array | None, random: Mt19937, phase: int
) -> Array:
    """Caffe's loop over one image, in float32."""
    crop = spec.crop_size
    mirror = spec.mirror and random.draw() % 2 == 1
    height, width = (crop, crop) if crop else image.shape[1:]
    top, left = (image.shape[1] - height) // 2, (image.shape[2] - width) // 2
    if crop and phase == TRAIN:
        top, left = (
            random.draw() % (image.shape[1] - crop + 1),
            random.draw() % (image.shape[2] - crop + 1),
        )
    out = np.empty((image.shape[0], height, width), np.float32)
    for c, h, w in np.ndindex(*out.shape):
        value = np.float32(image[c, top + h, left + w])
        if mean is not None:
            value -= mean[c, top + h, left + w]
        elif spec.mean_values:
            value -= np.float32(spec.mean_values[c % len(spec.mean_values)])
        out[c, h, width - 1 - w if mirror else w] = value * np.float32(spec.scale)
    return out


SPECS = [
    TransformSpec(),
    TransformSpec(scale=0.00390625),
    TransformSpec(mirror=True),
    TransformSpec(crop_size=4),
    TransformSpec(crop_size=5, mirror=True, scale=0.017),
    TransformSpec(crop_size=6, mirror=True),  # as high as the image
    TransformSpec(mean_values=(104.0,)),
    TransformSpec(mean_values=(104.5, 117.25, 123.0), crop_size=3, mirror=True),
    TransformSpec(mean_file="mean"),
    TransformSpec(mean_file="mean", mirror=True),
    TransformSpec(mean_file="mean", crop_size=4, mirror=True, scale=0.5),
]


@pytest.mark.parametrize("phase", [TRAIN, TEST])
@pytest.mark.parametrize("spec", SPECS, ids=str)
def test_each_element(spec: TransformSpec, phase: int, mean: tuple[str, Array]) -> None:
    used = TransformSpec(**{**vars(spec), "mean_file": mean[0]}) if spec.mean_file else spec
    values = mean[1] if spec.mean_file else None
    for kind in ("planes", "pixels", "floats", "stack"):
        transformer = Transformer(used, phase)
        transformer.random = Mt19937(3)
        given = images(8, "float32" if kind == "floats" else "uint8")
        if kind == "pixels":  # as a decoder gives them: the three colours side by side
            given = np.ascontiguousarray(given.transpose(0, 2, 3, 1)).transpose(0, 3, 1, 2)
        out = np.full((8, *transformer.output_shape(given.shape[1:])), np.nan, np.float32)
        draws = transformer.draws(8)
        if kind == "stack":
            transformer.apply_stack(given, out, draws)
        else:
            for i, image in enumerate(given):
                transformer.apply(image, out[i], None if draws is None else draws[i].tolist())
        random = Mt19937(3)
        np.testing.assert_array_equal(
            out,
            [by_the_formula(image, spec, values, random, phase) for image in given],
            err_msg=kind,
        )


def test_a_batch_of_which_nothing_is_mirrored() -> None:
    transformer = Transformer(TransformSpec(mirror=True), TEST)
    out = np.empty((2, 3, HEIGHT, WIDTH), np.float32)
    transformer.apply_stack(images(2), out, np.array([[2], [4]], np.uint32))
    np.testing.assert_array_equal(out, images(2))


def test_one_channel_and_one_pixel() -> None:
    transformer = Transformer(TransformSpec(mirror=True, mean_values=(1.0,)), TEST)
    out = np.empty((1, 1, 1), np.float32)
    transformer.apply(np.array([[[7]]], np.uint8), out, [1])
    assert out.item() == 6


@pytest.mark.parametrize(
    ("spec", "shape", "says"),
    [
        (TransformSpec(crop_size=7), (3, 6, 9), "crop_size 7 is larger than the image, 3x6x9"),
        (TransformSpec(crop_size=10), (240, 8, 3), "240x8x3 .*a height x width x channels array"),
        (
            TransformSpec(mean_values=(1.0, 2.0)),
            (3, 6, 9),
            "Specify either 1 mean_value or as many as channels: 3",
        ),
    ],
)
def test_images_that_do_not_fit(
    spec: TransformSpec, shape: tuple[int, int, int], says: str
) -> None:
    with pytest.raises(DataError, match=says):
        Transformer(spec, TRAIN).output_shape(shape)


def test_a_mean_image_of_another_size(mean: tuple[str, Array]) -> None:
    with pytest.raises(
        DataError, match="the image is 3x6x8, mean_file .* is 3x6x9; needed: the same size"
    ):
        Transformer(TransformSpec(mean_file=mean[0]), TRAIN).output_shape((3, 6, 8))


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        (
            {"mean_file": "m", "mean_value": [1]},
            "Cannot specify mean_file and mean_value at the same time",
        ),
        ({"force_color": True, "force_gray": True}, "cannot set both force_color and force_gray"),
    ],
)
def test_fields_that_exclude_each_other(fields: dict[str, Any], says: str) -> None:
    with pytest.raises(DataError, match=says):
        TransformSpec.from_proto(caffe_pb2.TransformationParameter(**fields))


@pytest.mark.parametrize(
    "content", [None, b"", b"no blob at all", b"\x08\x01\x10\x03", b"\x10\x03\x18\x02\x20\x02"]
)
def test_a_mean_file_that_is_none(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "mean.binaryproto"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(DataError, match="mean_file.*mean.binaryproto"):
        Transformer(TransformSpec(mean_file=str(path)), TRAIN)


def test_state_goes_on_with_the_draws() -> None:
    first = Transformer(TransformSpec(mirror=True, crop_size=3), TRAIN)
    first.random = Mt19937(9)
    first.draws(5)
    second = Transformer(TransformSpec(mirror=True, crop_size=3), TRAIN)
    second.restore(first.state())
    np.testing.assert_array_equal(first.draws(4), second.draws(4))
    plain = Transformer(TransformSpec(), TRAIN)
    assert plain.state() is None
    plain.restore(None)
    assert plain.draws(3) is None


def test_a_mean_with_too_many_windows_for_a_table(
    mean: tuple[str, Array], monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = TransformSpec(mean_file=mean[0], crop_size=4, mirror=True)
    found = []
    for limit in (mean_file.TABLE_BYTES, 0):
        monkeypatch.setattr(mean_file, "TABLE_BYTES", limit)
        transformer = Transformer(spec, TRAIN)
        out = np.empty((8, 3, 4, 4), np.float32)
        transformer.apply_stack(images(8), out, transformer.draws(8))
        found.append(out)
    np.testing.assert_array_equal(found[0], found[1])
