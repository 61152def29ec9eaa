"""Images that NVIDIA's fields of transform_param resize at random before they are cropped."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from caffepy.data.random import Mt19937
from caffepy.data.random_resize import RandomResize, resizes_at_random
from caffepy.data.shard import Shard
from caffepy.data.sources.data import DataSource
from caffepy.data.sources.image_data import ImageDataSource
from caffepy.errors import DataError
from caffepy.layers.core.random import CaffeRandom
from caffepy.proto import caffe_pb2
from caffepy.proto.text import parse
from caffepy.proto.weights import write_blob
from tests.data.build import TEST, TRAIN, layer, picture, png, raw, take, write_database

SIZES = ((30, 40), (33, 26), (28, 28), (24, 60))
MOST = 0xFFFFFFFF


def transform(text: str) -> Any:
    param = caffe_pb2.TransformationParameter()
    parse(text, param, file="test")
    return param


def resize(text: str) -> RandomResize:
    found = RandomResize.from_proto(transform(text))
    assert found is not None
    return found


def test_the_shorter_side_is_drawn() -> None:
    fixed = resize("crop_size: 20 img_rand_resize_lower: 240 img_rand_resize_upper: 240")
    assert fixed.draws == 0
    assert fixed.size((256, 320), []) == (240, 300)
    assert fixed.size((320, 256), []) == (300, 240)
    drawn = resize("crop_size: 20 img_rand_resize_lower: 224 img_rand_resize_upper: 272")
    assert drawn.size((300, 600), [0, 9, 9, 9, 9]) == (224, 448)
    assert drawn.size((300, 600), [49 + 48, 0, 0, 0, 0]) == (272, 544)
    assert drawn.size((300, 601), [5, 0, 0, 0, 0]) == (229, 459)  # 458.76


def test_sides_stay_between_the_crop_and_their_own_length() -> None:
    text = "crop_size: 224 img_rand_resize_lower: 200 img_rand_resize_upper: 400"
    assert resize(text).size((256, 300), [0] * 5) == (224, 234)
    assert resize(text).size((256, 300), [200, 0, 0, 0, 0]) == (256, 300)
    assert resize(f"{text} allow_upscale: true").size((256, 300), [200, 0, 0, 0, 0]) == (400, 469)
    assert resize(f"{text} allow_upscale: true").size((100, 100), [0] * 5) == (224, 224)


def test_ratios_and_stretches() -> None:
    ratio = resize(
        "crop_size: 1 rand_resize_ratio_lower: 1 rand_resize_ratio_upper: 1.5 allow_upscale: true"
    )
    assert ratio.size((20, 80), [0, MOST, 0, 0, 0]) == (20, 30)
    assert ratio.size((80, 20), [0, 0, 0, 0, 0]) == (20, 20)
    assert ratio.size((20, 20), [0, MOST, 0, 0, 0]) == (30, 20)
    assert ratio.size((20, 20), [0, MOST, 1, 0, 0]) == (20, 30)
    stretched = resize(
        "crop_size: 1 vertical_stretch_upper: 2 horizontal_stretch_lower: 0.5 horizontal_stretch_upper: 1 allow_upscale: true"
    )
    assert stretched.size((20, 80), [0, 0, 0, MOST, 0]) == (40, 40)
    assert stretched.size((20, 80), [0, 0, 0, 0, MOST]) == (20, 80)
    assert resize("crop_size: 1 vertical_stretch_lower: 0").size((20, 80), []) == (20, 80)


def test_which_fields_ask_for_it() -> None:
    assert (
        RandomResize.from_proto(
            transform("crop_size: 3 mirror: true allow_upscale: true img_rand_resize_lower: 0")
        )
        is None
    )
    assert not resizes_at_random(
        transform("crop_size: 3 img_rand_resize_lower: 9 img_rand_resize_upper: 9")
    )
    assert resizes_at_random(
        transform("crop_size: 3 img_rand_resize_lower: 9 img_rand_resize_upper: 10")
    )
    with pytest.raises(
        DataError, match="img_rand_resize_lower is 9, img_rand_resize_upper 8; needed: in order"
    ):
        resize("crop_size: 3 img_rand_resize_lower: 9 img_rand_resize_upper: 8")
    with pytest.raises(
        DataError,
        match="images are resized at random, and crop_size is 0; needed: the size of the batch's images",
    ):
        resize("img_rand_resize_lower: 9 img_rand_resize_upper: 9")


def test_sizes_without_end_are_refused() -> None:
    for field, value in (
        ("rand_resize_ratio_upper", "inf"),
        ("vertical_stretch_lower", "-inf"),
        ("horizontal_stretch_upper", "nan"),
    ):
        with pytest.raises(DataError, match=f"{field} is {value}; needed: a finite number"):
            resize(f"crop_size: 3 {field}: {value}")
    for fields in (
        f"img_rand_resize_lower: {2**31 - 1} img_rand_resize_upper: {2**31 - 1}",
        "vertical_stretch_lower: 1e9 vertical_stretch_upper: 1e9",
    ):
        with pytest.raises(
            DataError,
            match="an image of 30x40 becomes .*; needed: at most 2147483647 for both sides together",
        ):
            resize(f"crop_size: 3 allow_upscale: true {fields}").size((30, 40), [0] * 5)


TRANSFORM = "crop_size: 20 mirror: true mean_value: 100 scale: 0.5 img_rand_resize_lower: 21 img_rand_resize_upper: 27"


def records(kind: str) -> list[bytes]:
    pictures = [picture(i, *size) for i, size in enumerate(SIZES)]
    return [png(p, i) if kind == "png" else raw(p, i) for i, p in enumerate(pictures)]


def database(folder: Path, fields: str, kind: str = "png", phase: int = TRAIN) -> DataSource:
    path = (
        write_database(folder / kind, records(kind))
        if not (folder / kind).exists()
        else str(folder / kind)
    )
    text = 'type: "Data" top: "data" top: "label" data_param {{ source: "{}" backend: LMDB batch_size: 4 }} transform_param {{ {} }}'
    return DataSource(layer(text.format(path, fields)), phase, Shard())


@pytest.mark.parametrize("kind", ["png", "raw"])
@pytest.mark.parametrize(
    ("more", "algorithm"),
    [("", cv2.INTER_NEAREST), ("interpolation_algo_down: INTER_AREA", cv2.INTER_AREA)],
)
def test_records_are_resized_cropped_and_mirrored(
    tmp_path: Path, kind: str, more: str, algorithm: int
) -> None:
    source = database(tmp_path, f"{TRANSFORM} {more}", kind)
    assert source.shapes[0] == (4, 3, 20, 20)
    source.seed(CaffeRandom(7))
    stream = Mt19937(int(CaffeRandom(7).raw(2)[1]))
    seen = set()
    for _ in range(3):
        data = source.next()[0].numpy()
        for i, (height, width) in enumerate(SIZES):
            mirror, side, _, _, _, _, top, left = stream.raw(8).tolist()
            shorter = min(21 + side % 7, height, width)
            size = (round(height * shorter / min(SIZES[i])), round(width * shorter / min(SIZES[i])))
            seen.add(size)
            image = cv2.resize(picture(i, height, width), size[::-1], interpolation=algorithm)
            top, left = top % (size[0] - 19), left % (size[1] - 19)
            wanted = (image[top : top + 20, left : left + 20].astype(np.float32) - 100) / 2
            np.testing.assert_array_equal(
                data[i], (wanted[:, ::-1] if mirror & 1 else wanted).transpose(2, 0, 1)
            )
    assert len(seen) > 5
    source.close()


def test_the_same_from_any_number_of_threads_and_after_a_restore(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = database(tmp_path, TRANSFORM)
    source.seed(CaffeRandom(7))
    (first,) = take(source, 1)[:1]
    state = source.state()
    (second,) = take(source, 1)[:1]
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    other = database(tmp_path, TRANSFORM)
    other.seed(CaffeRandom(7))
    np.testing.assert_array_equal(take(other, 2)[0], np.concatenate((first, second)))
    other.restore(state)
    np.testing.assert_array_equal(take(other, 1)[0], second)
    skipping = database(tmp_path, TRANSFORM)
    skipping.seed(CaffeRandom(7))
    skipping.skip(1)
    np.testing.assert_array_equal(take(skipping, 1)[0], second)


def test_a_test_resizes_to_one_size_and_takes_the_middle_of_image_and_mean(tmp_path: Path) -> None:
    mean = np.random.default_rng(3).integers(0, 256, (1, 3, 25, 22)).astype(np.float32)
    write_blob(str(tmp_path / "mean.binaryproto"), mean)
    fields = f'crop_size: 20 mean_file: "{tmp_path}/mean.binaryproto" img_rand_resize_lower: 24 img_rand_resize_upper: 24'
    data = database(tmp_path, fields, phase=TEST).next()[0].numpy()
    for i, size in enumerate(((24, 32), (30, 24), (24, 24), (24, 60))):
        image = cv2.resize(picture(i, *SIZES[i]), size[::-1], interpolation=cv2.INTER_NEAREST)
        top, left = (size[0] - 20) // 2, (size[1] - 20) // 2
        wanted = image[top : top + 20, left : left + 20].transpose(2, 0, 1) - mean[0, :, 2:22, 1:21]
        np.testing.assert_array_equal(data[i], wanted)
    with pytest.raises(
        DataError, match="is 3x25x22; needed: at least crop_size, 23, high and wide"
    ):
        database(tmp_path, fields.replace("crop_size: 20", "crop_size: 23"))


def test_images_of_a_list(tmp_path: Path) -> None:
    for i, size in enumerate(SIZES):
        cv2.imwrite(str(tmp_path / f"{i}.png"), picture(i, *size))
    (tmp_path / "list.txt").write_text("".join(f"{tmp_path}/{i}.png {i}\n" for i in range(4)))
    text = 'type: "ImageData" top: "data" top: "label" image_data_param {{ source: "{}" batch_size: 4 }} transform_param {{ {} }}'
    fields = TRANSFORM.replace("mirror: true", "")
    listed = (
        ImageDataSource(layer(text.format(tmp_path / "list.txt", fields)), TEST).next()[0].numpy()
    )
    np.testing.assert_array_equal(listed, database(tmp_path, fields, phase=TEST).next()[0].numpy())


def test_small_images(tmp_path: Path) -> None:
    text = "crop_size: 30 img_rand_resize_lower: 40 img_rand_resize_upper: 50"
    with pytest.raises(
        DataError, match=r"record 1 .*crop_size 30 is larger than the image, 3x33x26"
    ):
        database(tmp_path, text).next()
    assert database(tmp_path, f"{text} allow_upscale: true").next()[0].shape == (4, 3, 30, 30)


INTELS = "crop_size: 20 random_resize_param { min_size: 24 max_size: 30 %s }"


def test_intels_sizes() -> None:
    it = resize(INTELS % "")
    assert it.draws == 5
    assert it.size((100, 160), [0] * 5) == (24, 38)  # 38.4 is cut off
    assert it.size((160, 100), [6 + 7, 0, 0, 0, 0]) == (48, 30)
    assert it.size((50, 50), [3, 0, 0, 0, 0]) == (27, 27)
    own = resize("crop_size: 20 random_resize_param { }")
    assert own.size((40, 60), [20, 0, 0, 0, 0]) == (60, 90)
    assert own.size((40, 60), [21, 0, 0, 0, 0]) == (40, 60)


def test_intels_interpolation() -> None:
    image = picture(3, 40, 60).transpose(2, 0, 1)
    for mode, number in (
        ("", cv2.INTER_LINEAR),
        ("resize_param { interp_mode: CUBIC }", cv2.INTER_CUBIC),
    ):
        made = resize(INTELS % mode).apply(image, [1, 0, 0, 0, 0])
        wanted = cv2.resize(
            np.ascontiguousarray(image.transpose(1, 2, 0)), (37, 25), interpolation=number
        )
        np.testing.assert_array_equal(made, wanted.transpose(2, 0, 1))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("random_resize_param { min_size: 30 max_size: 40 }", "crop_size is 0"),
        ("crop_size: 9 random_resize_param { min_size: 30 max_size: 20 }", "needed: in order"),
        (
            "crop_size: 9 random_resize_param { } img_rand_resize_lower: 3",
            "random_resize_param and img_rand_resize_lower",
        ),
        (
            "crop_size: 9 random_resize_param { resize_param { resize_mode: FIT_SMALL_SIZE } }",
            "needed: WARP and one",
        ),
    ],
)
def test_what_intels_fields_cannot_be(text: str, said: str) -> None:
    with pytest.raises(DataError, match=said):
        RandomResize.from_proto(transform(text))


def test_intels_crop_has_to_fit_in() -> None:
    with pytest.raises(DataError, match="needed: a min_size of at least crop_size, 40"):
        resize("crop_size: 40 random_resize_param { min_size: 24 max_size: 50 }").size(
            (100, 160), [0] * 5
        )


@pytest.mark.parametrize("phase", [TRAIN, TEST])
def test_images_of_intels_sizes(tmp_path: Path, phase: int) -> None:
    """Both phases draw; each image is a crop of one of the sizes."""
    write_database(tmp_path / "lmdb", [raw(picture(i, 40, 60), i) for i in range(2)])
    fields = INTELS % ""
    text = f'type: "Data" data_param {{ source: "{tmp_path}/lmdb" backend: LMDB batch_size: 2 }} transform_param {{ {fields} }}'
    source = DataSource(layer(text), phase)
    source.seed(CaffeRandom(5))
    data = source.next()[0]
    assert tuple(data.shape) == (2, 3, 20, 20)
