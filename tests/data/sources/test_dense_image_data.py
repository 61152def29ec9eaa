"""The DenseImageData layer's source."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from caffepy.data.shard import Shard
from caffepy.data.sources.dense_image_data import DenseImageDataSource
from caffepy.errors import DataError
from tests.data.build import TEST, layer, picture, seeded, take, write_images

LAYER = (
    'type: "DenseImageData" top: "data" top: "label" '
    'dense_image_data_param {{ source: "{}" root_folder: "{}/" batch_size: {} {} }} transform_param {{ {} }}'
)


def written(folder: Path, count: int, *, height: int = 6, width: int = 8) -> Path:
    """Images with label images that hold their red channel; their list."""
    listed = write_images(folder, count, height=height, width=width)
    for i in range(count):
        cv2.imwrite(str(folder / f"l{i}.png"), picture(i, height, width)[:, :, 2])
    listed.write_text("".join(f"{i}.png l{i}.png\n" for i in range(count)))
    return listed


def open_source(
    listed: Path, batch: int = 2, fields: str = "", transform: str = "", *, shard: Shard = Shard()
) -> DenseImageDataSource:
    return DenseImageDataSource(
        layer(LAYER.format(listed, listed.parent, batch, fields, transform)), TEST, shard
    )


def test_images_and_labels(tmp_path: Path) -> None:
    source = open_source(written(tmp_path, 3), 2, "", "scale: 0.5 mean_value: 10")
    assert source.shapes == ((2, 3, 6, 8), (2, 1, 6, 8))
    data, label = take(source, 2)
    for i, number in enumerate((0, 1, 2, 0)):
        np.testing.assert_array_equal(
            data[i], (picture(number).transpose(2, 0, 1).astype(np.float32) - 10) / 2
        )
        np.testing.assert_array_equal(label[i, 0], picture(number)[:, :, 2])


def test_labels_are_resized_by_the_nearest_pixel(tmp_path: Path) -> None:
    data, label = take(open_source(written(tmp_path, 1), 1, "new_height: 3 new_width: 5"), 1)
    np.testing.assert_array_equal(data[0], cv2.resize(picture(0), (5, 3)).transpose(2, 0, 1))
    np.testing.assert_array_equal(
        label[0, 0], cv2.resize(picture(0)[:, :, 2], (5, 3), interpolation=cv2.INTER_NEAREST)
    )


def test_labels_may_be_smaller(tmp_path: Path) -> None:
    source = seeded(
        open_source(
            written(tmp_path, 2),
            2,
            "new_height: 6 new_width: 9 label_divide_factor: 2 mirror: true",
        )
    )
    assert source.shapes == ((2, 3, 6, 9), (2, 1, 3, 4))
    data, label = take(source, 4)
    for i in range(8):
        small = cv2.resize(picture(i % 2)[:, :, 2], (4, 3), interpolation=cv2.INTER_NEAREST)
        mirrored = np.array_equal(data[i, 2], cv2.resize(picture(i % 2), (9, 6))[:, ::-1, 2])
        np.testing.assert_array_equal(label[i, 0], small[:, ::-1] if mirrored else small)


def test_mirror_and_crop_do_the_same_to_both(tmp_path: Path) -> None:
    listed = written(tmp_path, 2)
    source = seeded(
        open_source(listed, 4, "mirror: true crop_height: 4 crop_width: 5 shuffle: true")
    )
    assert source.shapes == ((4, 3, 4, 5), (4, 1, 4, 5))
    data, label = take(source, 5)
    np.testing.assert_array_equal(label[:, 0], data[:, 2])
    assert len({image.tobytes() for image in data}) > 10
    plain = seeded(open_source(listed, 4, "shuffle: true"))
    assert not np.array_equal(take(plain, 5)[0][:, :, :4, :5], data)


def test_state_skip_and_ranks(tmp_path: Path) -> None:
    listed, fields = written(tmp_path, 5), "mirror: true crop_height: 4 crop_width: 5 shuffle: true"
    source = seeded(open_source(listed, 2, fields))
    source.next()
    state = source.state()
    wanted = take(source, 3)
    again = open_source(listed, 2, fields)
    again.restore(state)
    again.skip(1)
    for found, whole in zip(take(again, 2), wanted):
        np.testing.assert_array_equal(found, whole[2:])
    one = take(open_source(listed, 4), 1)[0]
    for rank in range(2):
        np.testing.assert_array_equal(
            take(open_source(listed, 2, shard=Shard(rank, 2)), 1)[0], one[rank::2]
        )


@pytest.mark.parametrize(
    ("fields", "transform", "message"),
    [
        ("", "mirror: true", "transform_param.mirror and crop_size would not do the same"),
        (
            "",
            "crop_size: 3",
            "needed: mirror, crop_height and crop_width of dense_image_data_param",
        ),
        ("crop_height: 3", "", "requires crop_height and crop_width to be set at the same time"),
        ("new_width: 3", "", "requires new_height and new_width to be set at the same time"),
        (
            "crop_height: 7 crop_width: 3",
            "",
            r"line 1 .*crop_height x crop_width, 7x3, is larger than the image, 6x8",
        ),
        *(
            (
                fields,
                "",
                f"label_divide_factor is {fields[-1]}; needed: 1, or new_height and new_width at least as large",
            )
            for fields in (
                "label_divide_factor: 2",
                "new_height: 4 new_width: 4 label_divide_factor: 0",
                "new_height: 4 new_width: 4 label_divide_factor: 5",
                "new_height: 4 new_width: 4 crop_height: 2 crop_width: 2 label_divide_factor: 2",
            )
        ),
        ("", "mean_value: 1 mean_value: 2", "line 1 .*1 mean_value or as many as channels: 3"),
    ],
)
def test_unusable_fields(tmp_path: Path, fields: str, transform: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        open_source(written(tmp_path, 2), 2, fields, transform)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "names no image"),
        ("0.png l0.png 1.png", "line 1: '1.png' is alone; needed: an image and its labels' file"),
        (
            "0.png\nl0.png\n1.png none.png",
            r"line 3 \('1.png'\): Could not load .*none.png: No such file",
        ),
        (
            "0.png l0.png 1.png small.png",
            r"its label image is 2x3; Input and label image heights and widths must match; needed: 6x8",
        ),
        (
            "0.png l0.png small.png small.png",
            r"is 3x2x3, its batch is 3x6x8; needed: new_height and new_width",
        ),
        ("0.png l0.png 1.png list.txt", "Could not load .*list.txt: it is no image"),
    ],
)
def test_unusable_lists(tmp_path: Path, text: str, message: str) -> None:
    listed = written(tmp_path, 2)
    cv2.imwrite(str(tmp_path / "small.png"), picture(0, 2, 3))
    listed.write_text(text)
    with pytest.raises(DataError, match=message):
        open_source(listed).next()


def test_no_list_no_batch(tmp_path: Path) -> None:
    listed = written(tmp_path, 1)
    with pytest.raises(DataError, match=r"image list '.*nowhere' cannot be read: No such file"):
        open_source(tmp_path / "nowhere")
    with pytest.raises(DataError, match="DenseImageDataParameter: batch_size is 0"):
        open_source(listed, 0)
