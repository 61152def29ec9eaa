"""The ImageData layer's source."""

from __future__ import annotations

import os
from pathlib import Path

import cv2
import numpy as np
import pytest

from caffepy.data.random import Mt19937
from caffepy.data.shard import Shard
from caffepy.data.sources.image_data import ImageDataSource
from caffepy.errors import DataError
from caffepy.layers.core.random import CaffeRandom
from tests.data.build import TRAIN, layer, picture, seeded, take, write_images

LAYER = 'type: "ImageData" top: "data" top: "label" image_data_param {{ source: "{}" root_folder: "{}/" batch_size: {} {} }} {}'


def open_source(
    listed: Path, batch: int = 2, fields: str = "", more: str = "", *, shard: Shard = Shard()
) -> ImageDataSource:
    return ImageDataSource(
        layer(LAYER.format(listed, listed.parent, batch, fields, more)), TRAIN, shard
    )


def test_order_and_pixels(tmp_path: Path) -> None:
    source = open_source(write_images(tmp_path, 5), 3)
    assert source.shapes == ((3, 3, 6, 8), (3,))
    data, label = take(source, 3)
    order = [0, 1, 2, 3, 4, 0, 1, 2, 3]
    assert label.tolist() == [10 + i for i in order]
    np.testing.assert_array_equal(data, [picture(i).transpose(2, 0, 1) for i in order])


def test_size_and_colour(tmp_path: Path) -> None:
    listed = write_images(tmp_path, 2)
    data = take(open_source(listed, 2, "new_height: 3 new_width: 4"), 1)[0]
    np.testing.assert_array_equal(data[1], cv2.resize(picture(1), (4, 3)).transpose(2, 0, 1))
    gray = take(open_source(listed, 2, "is_color: false"), 1)[0]
    np.testing.assert_array_equal(
        gray[1, 0], cv2.imread(str(tmp_path / "1.png"), cv2.IMREAD_GRAYSCALE)
    )
    with pytest.raises(
        DataError, match="requires new_height and new_width to be set at the same time"
    ):
        open_source(listed, 2, "new_height: 3")


def test_images_are_resized(tmp_path: Path) -> None:
    """By SSD's resize_param, after new_height and new_width."""
    listed = write_images(tmp_path, 2)
    fields = "transform_param { resize_param { height: 9 width: 7 interp_mode: NEAREST } }"
    data = take(open_source(listed, 2, "new_height: 3 new_width: 4", fields), 1)[0]
    wanted = cv2.resize(cv2.resize(picture(1), (4, 3)), (7, 9), interpolation=cv2.INTER_NEAREST)
    np.testing.assert_array_equal(data[1], wanted.transpose(2, 0, 1))


def test_crops_with_two_sides(tmp_path: Path) -> None:
    source = seeded(
        open_source(write_images(tmp_path, 2), 2, more="transform_param { crop_h: 6 crop_w: 3 }")
    )
    data = source.next()[0].numpy()
    places = [picture(1).transpose(2, 0, 1)[:, :, left : left + 3] for left in range(6)]
    assert any(np.array_equal(data[1], place) for place in places)


def test_root_folder_is_put_before_each_name_as_it_is(tmp_path: Path) -> None:
    listed = write_images(tmp_path / "in", 2)
    param = layer(LAYER.format(listed, listed.parent, 1, "", ""))
    param.image_data_param.root_folder = str(listed.parent)[:-1]  # ".../i" + "n/0.png"
    listed.write_text("n/0.png 1\n")
    assert take(ImageDataSource(param, TRAIN), 1)[1].tolist() == [1]
    param.image_data_param.root_folder = str(listed.parent)
    with pytest.raises(
        DataError, match=r"line 1 \('n/0.png'\): Could not load .*/inn/0.png: No such file"
    ):
        ImageDataSource(param, TRAIN)


def test_each_pass_is_shuffled_anew_by_one_seed(tmp_path: Path) -> None:
    source = seeded(open_source(write_images(tmp_path, 7), 7, "shuffle: true"), 1701)
    random = Mt19937(int(CaffeRandom(1701).raw(1)[0]))
    expected = np.arange(7)
    for _ in range(3):
        expected = random.shuffle(expected)
        assert take(source, 1)[1].tolist() == (expected + 10).tolist()


def test_rand_skip(tmp_path: Path) -> None:
    listed = write_images(tmp_path, 6)
    skip = int(CaffeRandom(3).raw(1)[0]) % 4
    label = take(seeded(open_source(listed, 3, "rand_skip: 4"), 3), 1)[1]
    assert label.tolist() == [10 + (skip + i) % 6 for i in range(3)]
    with pytest.raises(DataError, match="Not enough points to skip: rand_skip drew"):
        seeded(open_source(listed, 3, "rand_skip: 4000000000"), 3)


@pytest.mark.parametrize("shuffle", ["", "shuffle: true"])
def test_ranks_share_each_pass(tmp_path: Path, shuffle: str) -> None:
    listed = write_images(tmp_path, 6)
    whole = take(seeded(open_source(listed, 6, shuffle)), 2)[1].tolist()
    parts = [
        take(seeded(open_source(listed, 3, shuffle, shard=Shard(rank, 2))), 2)[1].tolist()
        for rank in (0, 1)
    ]
    assert parts == [whole[::2], whole[1::2]]


def test_threads_change_nothing(tmp_path: Path) -> None:
    listed = write_images(tmp_path, 13, height=30, width=30)
    found = []
    for threads in (1, 2, 5):
        source = seeded(
            open_source(
                listed, 8, "shuffle: true", "transform_param { crop_size: 20 mirror: true }"
            )
        )
        assert isinstance(source, ImageDataSource)
        source._workers.count = threads
        found.append(take(source, 4))
        source.close()
    for data, label in found[1:]:
        np.testing.assert_array_equal(data, found[0][0])
        np.testing.assert_array_equal(label, found[0][1])


def test_going_on_from_a_state(tmp_path: Path) -> None:
    listed = write_images(tmp_path, 7)
    more = "transform_param { crop_size: 4 mirror: true }"
    first = seeded(open_source(listed, 3, "shuffle: true", more))
    take(first, 3)
    second = seeded(open_source(listed, 3, "shuffle: true", more), 8)
    second.restore(first.state())
    for a, b in zip(take(first, 4), take(second, 4)):
        np.testing.assert_array_equal(a, b)
    in_order = open_source(listed, 3)
    in_order.restore(first.state())
    assert take(in_order, 1)[1].tolist() == take(open_source(listed, 3), 8)[1][21:].tolist(), (
        "the saved order is that of a shuffle"
    )
    listed.write_text("0.png 1\n")
    with pytest.raises(DataError, match="the saved order is of 7 items, there are 1 now"):
        open_source(listed, 3, "shuffle: true").restore(first.state())


@pytest.mark.parametrize(
    ("content", "why"),
    [(None, "No such file"), (b"", "it is empty"), (b"<html>", "it is no image that OpenCV knows")],
)
def test_an_image_that_cannot_be_read(tmp_path: Path, content: bytes | None, why: str) -> None:
    listed = write_images(tmp_path, 3)
    source = open_source(listed, 3)
    if content is None:
        os.remove(tmp_path / "1.png")
    else:
        (tmp_path / "1.png").write_bytes(content)
    with pytest.raises(
        DataError, match=rf"list.txt', line 2 \('1.png'\): Could not load .*1.png: {why}"
    ):
        source.next()


def test_images_of_several_sizes(tmp_path: Path) -> None:
    listed = write_images(tmp_path, 3)
    cv2.imwrite(str(tmp_path / "1.png"), picture(1, 7, 8))
    assert [
        open_source(listed, 1).shapes[0],
        open_source(listed, 1, "", "transform_param { crop_size: 5 }").shapes[0],
    ] == [
        (1, 3, 6, 8),
        (1, 3, 5, 5),
    ]
    with pytest.raises(
        DataError, match=r"line 2 .*is 3x7x8, its batch is 3x6x8; needed: new_height and new_width"
    ):
        open_source(listed, 3).next()
    source = open_source(listed, 1)
    assert [source.next()[0].shape[2] for _ in range(3)] == [6, 7, 6]


def test_a_cut_off_jpeg_is_used_and_told_of(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    whole = cv2.imencode(".jpg", np.full((64, 64, 3), 200, np.uint8))[1].tobytes()
    (tmp_path / "cut.jpg").write_bytes(whole[: len(whole) - 20])
    (tmp_path / "list.txt").write_text("cut.jpg 0\n")
    data = take(open_source(tmp_path / "list.txt", 1), 1)[0]
    assert data[0, 0, 0, 0] == 200
    assert "cut.jpg is truncated; the missing part is gray" in capfd.readouterr().err


def test_names_of_any_bytes(tmp_path: Path) -> None:
    names = [b"a b.png", "größe.png".encode(), "猫.png".encode(), b"latin\xe9.png"]
    for i, name in enumerate(names):
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name)).write_bytes(
            cv2.imencode(".png", picture(i))[1].tobytes()
        )
    (tmp_path / "list.txt").write_bytes(
        b"".join(name + b" %d\r\n" % i for i, name in enumerate(names))
    )
    data, label = take(open_source(tmp_path / "list.txt", 4), 1)
    assert label.tolist() == [0, 1, 2, 3]
    np.testing.assert_array_equal(data, [picture(i).transpose(2, 0, 1) for i in range(4)])


def test_batch_size_is_missing(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="batch_size is 0"):
        open_source(write_images(tmp_path, 1), 0)
