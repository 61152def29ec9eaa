"""The ImageSegData layer's source."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from caffepy.data.random import Mt19937
from caffepy.data.shard import Shard
from caffepy.data.sources.image_seg_data import ImageSegDataSource
from caffepy.errors import DataError
from caffepy.layers.core.random import CaffeRandom
from tests.data.build import TEST, TRAIN, layer, picture, seeded, take, write_images

LAYER = (
    'type: "ImageSegData" top: "data" top: "label" top: "dim" '
    'image_data_param {{ source: "{}" root_folder: "{}/" batch_size: {} {} }} transform_param {{ {} }}'
)
SIZES = ((6, 8), (5, 9), (4, 4))
MEANS = "mean_value: 10 mean_value: 20 mean_value: 30.5"
Floats = npt.NDArray[np.float32]


def labels_of(seed: int) -> npt.NDArray[np.uint8]:
    height, width = SIZES[seed % 3]
    return np.random.default_rng(100 + seed).integers(0, 21, (height, width), np.uint8)


def written(folder: Path, count: int = 3) -> Path:
    """Images of three sizes with label images; their list."""
    for i in range(count):
        cv2.imwrite(str(folder / f"{i}.png"), picture(i, *SIZES[i % 3]))
        cv2.imwrite(str(folder / f"l{i}.png"), labels_of(i))
    listed = folder / "list.txt"
    listed.write_text("".join(f"{i}.png l{i}.png\n" for i in range(count)))
    return listed


def open_source(
    listed: Path,
    batch: int = 1,
    fields: str = "label_type: PIXEL",
    transform: str = "",
    *,
    phase: int = TEST,
    shard: Shard = Shard(),
) -> ImageSegDataSource:
    return ImageSegDataSource(
        layer(LAYER.format(listed, listed.parent, batch, fields, transform)), phase, shard
    )


def filled(seed: int, side: int, ignore: int = 255) -> tuple[Floats, Floats]:
    """Image less its means and labels, at least ``side`` high and wide."""
    height, width = SIZES[seed % 3]
    data = np.tile(np.array([10, 20, 30.5], np.float32), (max(height, side), max(width, side), 1))
    data[:height, :width] = picture(seed, height, width)
    labels = np.full(data.shape[:2], ignore, np.float32)
    labels[:height, :width] = labels_of(seed)
    return (data - np.array([10, 20, 30.5], np.float32)).transpose(2, 0, 1), labels


def test_images_of_their_own_size(tmp_path: Path) -> None:
    source = open_source(written(tmp_path), transform="scale: 0.5 mean_value: 10")
    assert source.shapes == ((1, 3, 6, 8), (1, 1, 6, 8), (1, 1, 1, 2))
    for i in (0, 1, 2, 0):
        data, label, dim = source.next()
        np.testing.assert_array_equal(
            data[0], (picture(i, *SIZES[i]).transpose(2, 0, 1).astype(np.float32) - 10) / 2
        )
        np.testing.assert_array_equal(label[0, 0], labels_of(i))
        np.testing.assert_array_equal(dim[0, 0, 0], SIZES[i])


@pytest.mark.parametrize(
    "crop", ["crop_size: 5", "crop_height: 5 crop_width: 5", "crop_h: 5 crop_w: 5"]
)
def test_the_middle_is_cut_in_tests_and_small_images_are_filled_up(
    tmp_path: Path, crop: str
) -> None:
    source = open_source(
        written(tmp_path), 3, "label_type: PIXEL ignore_label: 21", f"{crop} {MEANS}"
    )
    assert source.shapes == ((3, 3, 5, 5), (3, 1, 5, 5), (3, 1, 1, 2))
    data, label, dim = take(source, 1)
    for i in range(3):
        whole, marks = filled(i, 5, 21)
        top, left = (marks.shape[0] - 5) // 2, (marks.shape[1] - 5) // 2
        np.testing.assert_array_equal(data[i], whole[:, top : top + 5, left : left + 5])
        np.testing.assert_array_equal(label[i, 0], marks[top : top + 5, left : left + 5])
    np.testing.assert_array_equal(dim[:, 0, 0], [(5, 5), (5, 5), (4, 4)])


def test_draws_are_those_of_caffe(tmp_path: Path) -> None:
    """Two seeds for the transformer, the second of which counts.

    Then mirror, top and left for each image.
    """
    source = seeded(
        open_source(
            written(tmp_path), 3, transform=f"mirror: true crop_size: 5 {MEANS}", phase=TRAIN
        ),
        7,
    )
    data, label, _ = take(source, 4)
    stream = CaffeRandom(7)
    draws = Mt19937(int(stream.raw(2)[1])).raw(36).reshape(12, 3).tolist()
    mirrored = 0
    for i, (mirror, top, left) in enumerate(draws):
        whole, marks = filled(i % 3, 5)
        top, left = top % (marks.shape[0] - 4), left % (marks.shape[1] - 4)
        wanted = np.concatenate((whole, marks[None]))[:, top : top + 5, left : left + 5]
        mirrored += mirror % 2
        np.testing.assert_array_equal(
            np.concatenate((data[i], label[i])), wanted[:, :, ::-1] if mirror % 2 else wanted
        )
    assert 0 < mirrored < 12


def test_a_scale_factor_is_drawn_behind_the_mirror(tmp_path: Path) -> None:
    factors = (0.5, 1.0, 1.75)
    transform = "mirror: true crop_size: 5 " + " ".join(
        f"scale_factors: {factor}" for factor in factors
    )
    source = seeded(open_source(written(tmp_path), 3, transform=transform, phase=TRAIN), 7)
    data, label, dim = take(source, 4)
    draws = Mt19937(int(CaffeRandom(7).raw(2)[1])).raw(48).reshape(12, 4).tolist()
    for i, (mirror, which, top, left) in enumerate(draws):
        factor, (height, width) = factors[which % 3], SIZES[i % 3]
        size = (int(width * factor), int(height * factor))
        image = cv2.resize(picture(i % 3, height, width), size)
        marks = cv2.resize(labels_of(i % 3), size, interpolation=cv2.INTER_NEAREST)
        whole = np.zeros((4, max(5, size[1]), max(5, size[0])), np.float32)
        whole[3] = 255
        whole[:3, : size[1], : size[0]], whole[3, : size[1], : size[0]] = (
            image.transpose(2, 0, 1),
            marks,
        )
        top, left = top % (whole.shape[1] - 4), left % (whole.shape[2] - 4)
        wanted = whole[:, top : top + 5, left : left + 5]
        np.testing.assert_array_equal(
            np.concatenate((data[i], label[i])), wanted[:, :, ::-1] if mirror % 2 else wanted
        )
        # as it was read
        np.testing.assert_array_equal(dim[i, 0, 0], (min(5, height), min(5, width)))


@pytest.mark.parametrize(
    ("fields", "wanted"),
    [
        ("", (10, 11)),
        ("label_type: NONE", (255, 255)),
        ("label_type: NONE ignore_label: 7", (7, 7)),
    ],
)
def test_one_label_for_a_whole_image(tmp_path: Path, fields: str, wanted: tuple[int, int]) -> None:
    data, label, _ = take(open_source(write_images(tmp_path, 2), 2, f"is_color: false {fields}"), 1)
    assert data.shape == (2, 1, 6, 8)
    for i in range(2):
        np.testing.assert_array_equal(label[i], np.full((1, 6, 8), wanted[i]))


def test_labels_are_resized_by_the_nearest_pixel(tmp_path: Path) -> None:
    data, label, dim = take(
        open_source(written(tmp_path), 3, "label_type: PIXEL new_height: 3 new_width: 5"), 1
    )
    for i in range(3):
        np.testing.assert_array_equal(
            data[i], cv2.resize(picture(i, *SIZES[i]), (5, 3)).transpose(2, 0, 1)
        )
        np.testing.assert_array_equal(
            label[i, 0], cv2.resize(labels_of(i), (5, 3), interpolation=cv2.INTER_NEAREST)
        )
    np.testing.assert_array_equal(dim[:, 0, 0], [(3, 5)] * 3)


def test_the_sizes_may_be_left_out(tmp_path: Path) -> None:
    text = LAYER.replace(' top: "dim"', "").format(
        written(tmp_path), tmp_path, 1, "label_type: PIXEL", ""
    )
    source = ImageSegDataSource(layer(text), TEST)
    assert source.shapes == ((1, 3, 6, 8), (1, 1, 6, 8))
    assert [tuple(top.shape) for top in source.next()] == [(1, 3, 6, 8), (1, 1, 6, 8)]


def test_lists_may_have_empty_lines_and_further_words(tmp_path: Path) -> None:
    listed = written(tmp_path)
    listed.write_text("\n0.png\tl0.png weights.mat\r\n\n2.png   l2.png\n")
    label = take(open_source(listed, 2, transform="crop_size: 4"), 1)[1]
    np.testing.assert_array_equal(label[1, 0], labels_of(2))


def test_state_skip_and_ranks(tmp_path: Path) -> None:
    listed, fields, transform = (
        written(tmp_path, 5),
        "label_type: PIXEL shuffle: true",
        "mirror: true crop_size: 5 scale_factors: 1.5",
    )
    source = seeded(open_source(listed, 2, fields, transform, phase=TRAIN))
    source.next()
    state = source.state()
    wanted = take(source, 3)
    again = open_source(listed, 2, fields, transform, phase=TRAIN)
    again.restore(state)
    again.skip(1)
    for found, whole in zip(take(again, 2), wanted):
        np.testing.assert_array_equal(found, whole[2:])
    one = take(open_source(listed, 4, transform="crop_size: 5"), 1)[0]
    for rank in range(2):
        mine = take(open_source(listed, 2, transform="crop_size: 5", shard=Shard(rank, 2)), 1)[0]
        np.testing.assert_array_equal(mine, one[rank::2])


@pytest.mark.parametrize(
    ("fields", "transform", "message"),
    [
        ("", 'mean_file: "m"', "ImageSegDataLayer does not support mean file; needed: mean_value"),
        ("", "crop_height: 3", "Must either specify crop_size or both crop_height and crop_width"),
        (
            "",
            "crop_size: 3 crop_h: 3 crop_w: 3",
            "Must either specify crop_size or both crop_height and crop_width",
        ),
        ("", "scale_factors: 2", "scale_factors needs a crop_size"),
        (
            "",
            "crop_size: 3 scale_factors: 2 scale_factors: -1",
            "scale_factors needs a crop_size, .* needed: also > 0",
        ),
        *(
            (
                "",
                f"crop_size: 3 scale_factors: {odd}",
                "scale_factors needs .* needed: also > 0 and finite",
            )
            for odd in ("nan", "inf")
        ),
        ("", "mean_value: 1 mean_value: 2", "line 1 .*1 mean_value or as many as channels: 3"),
        ("new_width: 3", "", "requires new_height and new_width to be set at the same time"),
    ],
)
def test_unusable_fields(tmp_path: Path, fields: str, transform: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        open_source(written(tmp_path), 1, f"label_type: PIXEL {fields}", transform)


@pytest.mark.parametrize(
    ("text", "fields", "message"),
    [
        ("", "label_type: PIXEL", "names no image"),
        (
            "0.png l0.png\n1.png",
            "label_type: PIXEL",
            r"line 2 \('1.png'\): its line names no label image",
        ),
        (
            "0.png l0.png\n1.png none.png",
            "label_type: PIXEL",
            r"line 2 \('1.png'\): Could not load .*none.png: No such file",
        ),
        (
            "0.png l0.png\n1.png list.txt",
            "label_type: PIXEL",
            r"line 2 .*Could not load .*list.txt: it is no image",
        ),
        (
            "0.png l0.png\n1.png l0.png",
            "label_type: PIXEL",
            r"line 2 .*its label image is 6x8; needed: 5x9, the size of the image",
        ),
        (
            "0.png l0.png\n1.png l1.png",
            "label_type: PIXEL",
            r"line 2 .*is 3x5x9, its batch is 3x6x8; needed: new_height and new_width",
        ),
        (
            "0.png l0.png",
            "",
            r"line 1 .*its label is 'l0.png'; needed: an integer from 0 to 255 \(label_type: PIXEL for a label image",
        ),
        ("0.png 256", "", "line 1 .*its label is '256'; needed: an integer from 0 to 255"),
        ("0.png", "", "line 1 .*its label is ''; needed: an integer"),
    ],
)
def test_unusable_lists(tmp_path: Path, text: str, fields: str, message: str) -> None:
    listed = written(tmp_path)
    listed.write_text(text)
    with pytest.raises(DataError, match=message):
        open_source(listed, 2, fields).next()


def test_an_ignore_label_that_is_no_byte(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    label = take(open_source(written(tmp_path), 1, "label_type: NONE ignore_label: -1"), 1)[1]
    assert not label.any()
    assert "ignore_label is -1; labels are bytes: 0 is used, as in Caffe" in capsys.readouterr().err
