"""The Data layer's source: records of every kind, in order, over and over, and what it says of those it cannot use."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest

from caffepy.data.datum import encode
from caffepy.data.shard import Shard
from caffepy.data.sources.data import SHARED_BYTES, STACK_BYTES, DataSource
from caffepy.errors import DataError
from caffepy.layers.core.random import CaffeRandom
from tests.data.build import TEST, TRAIN, layer, picture, png, raw, seeded, take, write_database

LAYER = 'name: "data" type: "Data" top: "data" top: "label" data_param {{ source: "{}" backend: LMDB batch_size: {} }} {}'
BIG = (80, 90)  # more than STACK_BYTES


def open_source(
    path: str, batch: int = 3, more: str = "", *, phase: int = TRAIN, shard: Shard = Shard()
) -> DataSource:
    return DataSource(layer(LAYER.format(path, batch, more)), phase, shard)


def pixels(image: np.ndarray) -> np.ndarray:
    return image.transpose(2, 0, 1).astype(np.float32)


@pytest.mark.parametrize("size", [(6, 8), BIG])
def test_records_come_in_order_and_go_round(tmp_path: Path, size: tuple[int, int]) -> None:
    pictures = [picture(i, *size) for i in range(5)]
    assert (len(raw(pictures[0], 0)) > STACK_BYTES) == (size == BIG)
    source = open_source(
        write_database(tmp_path / "db", [raw(p, i) for i, p in enumerate(pictures)])
    )
    assert source.shapes == ((3, 3, *size), (3,))
    data, label = take(source, 4)
    order = [0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1]
    assert label.tolist() == order
    np.testing.assert_array_equal(data, [pixels(pictures[i]) for i in order])
    source.close()


def test_kinds_of_records_in_one_batch(tmp_path: Path) -> None:
    image = picture(1)
    values = np.linspace(-1, 1, image.size, dtype=np.float32)
    records = [
        raw(image, 1),
        raw(image, 200, encoded=False),
        raw(image, 1 << 20),
        raw(image, -5),
        png(image, 3),
        encode(None, shape=(3, *image.shape[:2]), label=2, floats=values),
        encode(image.transpose(2, 0, 1).tobytes(), shape=(3, *image.shape[:2])),  # no label: 0
    ]
    source = open_source(write_database(tmp_path / "db", records), len(records))
    data, label = take(source, 1)
    assert label.tolist() == [1, 200, 1 << 20, -5, 3, 2, 0]
    for i, got in enumerate(data):
        np.testing.assert_array_equal(
            got, values.reshape(got.shape) if i == 5 else pixels(image), err_msg=str(i)
        )


def test_no_label_top(tmp_path: Path) -> None:
    path = write_database(tmp_path / "db", [raw(picture(0), 1)])
    source = DataSource(
        layer(
            f'type: "Data" top: "data" data_param {{ source: "{path}" backend: LMDB batch_size: 2 }}'
        ),
        TRAIN,
    )
    assert source.shapes == ((2, 3, 6, 8),)
    assert len(source.next()) == 1


def test_gray_and_colour_encoded(tmp_path: Path) -> None:
    path = write_database(tmp_path / "db", [png(picture(0), 0), png(picture(1)[:, :, 0], 1)])
    gray = take(open_source(path, 2, "transform_param { force_gray: true }"), 1)[0]
    assert gray.shape == (2, 1, 6, 8)
    colour = take(open_source(path, 2, "transform_param { force_color: true }"), 1)[0]
    np.testing.assert_array_equal(colour[1], np.repeat(picture(1)[None, :, :, 0], 3, 0))
    with pytest.raises(
        DataError,
        match=r"record 1 \(key '00000001'\): is 1x6x8, its batch is 3x6x8; needed: as many channels",
    ):
        open_source(path, 2).next()


@pytest.mark.parametrize("backend", ["lmdb", "leveldb"])
def test_each_rank_takes_every_second_record(tmp_path: Path, backend: str) -> None:
    path = write_database(tmp_path / "db", [raw(picture(i), i) for i in range(5)], backend=backend)
    text = LAYER.format(path, 2, "").replace("LMDB", backend.upper())
    labels = [
        take(DataSource(layer(text), TRAIN, Shard(rank, 2)), 5)[1].tolist() for rank in (0, 1)
    ]
    everything = [i % 5 for i in range(20)]
    assert labels == [everything[::2], everything[1::2]]


def test_ranks_crop_and_mirror_differently(tmp_path: Path) -> None:
    path = write_database(tmp_path / "db", [raw(picture(0, 20, 20), 0)] * 2)
    more = "transform_param { crop_size: 8 mirror: true }"
    data = [
        take(seeded(open_source(path, 4, more, shard=Shard(rank, 2))), 2)[0] for rank in (0, 1, 0)
    ]
    assert not np.array_equal(data[0], data[1])
    np.testing.assert_array_equal(data[0], data[2])


@pytest.mark.parametrize("encoded", [False, True])
def test_threads_change_nothing(tmp_path: Path, encoded: bool) -> None:
    kind = png if encoded else raw
    records = [kind(picture(i, 150, 160), i) for i in range(11)]
    assert encoded or len(records[0]) > SHARED_BYTES
    path = write_database(tmp_path / "db", records)
    found = []
    for threads in (1, 2, 7):
        source = seeded(open_source(path, 8, "transform_param { crop_size: 50 mirror: true }"))
        assert isinstance(source, DataSource)
        source._workers.count = threads
        found.append(take(source, 3))
        source.close()
    for data, label in found[1:]:
        np.testing.assert_array_equal(data, found[0][0])
        np.testing.assert_array_equal(label, found[0][1])


def test_seeding_takes_three_draws_if_anything_is_random_else_one(tmp_path: Path) -> None:
    path = write_database(tmp_path / "db", [raw(picture(0), 0)])
    for more, draws in (("", 1), ("transform_param { mirror: true }", 3)):
        stream, other = CaffeRandom(5), CaffeRandom(5)
        open_source(path, 1, more).seed(stream)
        other.raw(draws)
        assert stream.raw(1)[0] == other.raw(1)[0]


def test_going_on_from_a_state(tmp_path: Path) -> None:
    path = write_database(tmp_path / "db", [raw(picture(i, 9, 9), i) for i in range(7)])
    more = "transform_param { crop_size: 4 mirror: true }"
    first = seeded(open_source(path, 4, more, shard=Shard(1, 2)))
    take(first, 3)
    second = seeded(open_source(path, 4, more, shard=Shard(1, 2)), 99)
    second.restore(first.state())
    for a, b in zip(take(first, 3), take(second, 3)):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize(
    ("records", "more", "says"),
    [
        ([], "", "holds no record"),
        ([b"\x0a\x02ab"], "", r"record 0 \(key '00000000'\): .*AnnotatedDatum"),
        ([b"garbage!"], "", r"record 0 \(key '00000000'\): is no Datum"),
        (
            [raw(picture(0), 0), raw(picture(0), 0)[:-40]],
            "",
            r"record 1 \(key '00000001'\): is no Datum",
        ),
        (
            [raw(picture(0), 0), encode(b"no picture", label=1, encoded=True)],
            "",
            r"record 1 .*Could not decode datum",
        ),
        (
            [raw(picture(0), 0), encode(b"", label=1, encoded=True)],
            "",
            r"record 1 .*Could not decode datum",
        ),
        (
            [raw(picture(0), 0), raw(picture(0, 5, 8), 0)],
            "",
            r"record 1 .*is 3x5x8, its batch is 3x6x8",
        ),
        (
            [raw(picture(0, 5, 8), 0)],
            "transform_param { crop_size: 6 }",
            r"record 0 .*crop_size 6 is larger than the image, 3x5x8",
        ),
        (
            [raw(picture(0), 0)],
            "transform_param { mean_value: [1, 2] }",
            r"record 0 .*Specify either 1 mean_value or as many as channels: 3",
        ),
    ],
)
def test_records_that_cannot_be_used(
    tmp_path: Path, records: list[bytes], more: str, says: str
) -> None:
    path = write_database(tmp_path / "db", records)
    with pytest.raises(DataError, match=says):
        open_source(path, 2, more).next()


@pytest.mark.parametrize("kind", [raw, png])
def test_the_batch_has_the_size_of_its_first_record(
    tmp_path: Path, kind: Callable[..., bytes]
) -> None:
    pictures = [picture(i, 4 + i // 2, 8) for i in range(6)]
    path = write_database(tmp_path / "db", [kind(p, i) for i, p in enumerate(pictures)])
    source = open_source(path, 2)
    for i in (0, 2, 4, 0):
        data, label = source.next()
        np.testing.assert_array_equal(data, [pixels(p) for p in pictures[i : i + 2]])
        assert label.tolist() == [i, i + 1]
    other = open_source(path, 3)
    with pytest.raises(DataError, match="record 2 .*is 3x5x8, its batch is 3x4x8"):
        other.next()
    with pytest.raises(DataError, match="record 4 .*is 3x6x8, its batch is 3x5x8"):
        other.next()
    cropped = open_source(path, 3, "transform_param { crop_size: 4 }")
    assert cropped.next()[0].shape == (3, 3, 4, 4)


@pytest.mark.parametrize("size", [(6, 8), BIG])
def test_crops_with_two_sides(tmp_path: Path, size: tuple[int, int]) -> None:
    """SSD's: the middle in TEST, any place in TRAIN; crop_size goes before them."""
    path = write_database(tmp_path / "db", [raw(picture(i, *size), i) for i in range(2)])
    sides, top, left = (
        "transform_param { crop_h: 4 crop_w: 6 }",
        (size[0] - 4) // 2,
        (size[1] - 6) // 2,
    )
    middle = take(open_source(path, 2, sides, phase=TEST), 1)[0]
    np.testing.assert_array_equal(
        middle[1], pixels(picture(1, *size))[:, top : top + 4, left : left + 6]
    )
    source = seeded(open_source(path, 2, sides))
    assert len({tuple(source.next()[0][0, :, 0, 0].tolist()) for _ in range(20)}) > 3
    assert source.shapes[0] == (2, 3, 4, 6)
    assert open_source(path, 2, "transform_param { crop_size: 5 crop_h: 4 crop_w: 6 }").shapes[
        0
    ] == (2, 3, 5, 5)
    with pytest.raises(DataError, match="crop_h is 4, crop_w 0; needed: both, or neither"):
        open_source(path, 2, "transform_param { crop_h: 4 }")


@pytest.mark.parametrize(
    "mode",
    [
        "",
        "resize_mode: FIT_LARGE_SIZE_AND_PAD pad_value: 7",
        "resize_mode: FIT_SMALL_SIZE interp_mode: CUBIC",
    ],
)
def test_encoded_records_are_resized(tmp_path: Path, mode: str) -> None:
    """By SSD's resize_param, then cropped."""
    image = picture(1, 10, 20)
    path = write_database(tmp_path / "db", [png(picture(0, 12, 14), 0), png(image, 1)])
    resize = f"resize_param {{ height: 8 width: 8 {mode} }}"
    data = take(
        open_source(path, 2, f"transform_param {{ {resize} crop_size: 8 }}", phase=TEST), 1
    )[0]
    small = cv2.resize(
        image,
        (8, 4) if "LARGE" in mode else (16, 8) if mode else (8, 8),
        interpolation=2 if "CUBIC" in mode else 1,
    )
    wanted = (
        cv2.copyMakeBorder(small, 2, 2, 0, 0, 0, value=(7, 7, 7))
        if "LARGE" in mode
        else small[:, 4:12]
        if mode
        else small
    )
    assert np.abs(data[1] - pixels(wanted)).max() <= ("CUBIC" in mode)
    gray = write_database(tmp_path / "gray", [png(image[:, :, 0], 1)])
    assert open_source(gray, 1, f"transform_param {{ {resize} crop_size: 8 }}").shapes[0] == (
        1,
        1,
        8,
        8,
    )


def test_what_resize_param_cannot_do_without_boxes(tmp_path: Path) -> None:
    path = write_database(tmp_path / "db", [raw(picture(0, 6, 8), 0)])
    np.testing.assert_array_equal(
        take(open_source(path, 1, "transform_param { resize_param { height: 6 width: 8 } }"), 1)[0][
            0
        ],
        pixels(picture(0, 6, 8)),
    )
    with pytest.raises(
        DataError,
        match="record 0 .*is raw and 6x8, resize_param asks for 8x8; needed: encoded records",
    ):
        open_source(path, 1, "transform_param { resize_param { height: 8 width: 8 } }")
    with pytest.raises(
        DataError, match="interp_mode is given 2 times; needed: one, for images without boxes"
    ):
        open_source(
            path,
            1,
            "transform_param { resize_param { height: 6 width: 8 interp_mode: [AREA, CUBIC] } }",
        )


def test_batch_size_is_missing(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="batch_size is 0"):
        open_source(write_database(tmp_path / "db", [raw(picture(0), 0)]), 0)


def test_a_sixteen_bit_png_needs_force(tmp_path: Path) -> None:
    deep = png(picture(0)[:, :, 0].astype(np.uint16) * 256, 0)
    path = write_database(tmp_path / "db", [deep])
    with pytest.raises(DataError, match="16-bit samples; needed: 8, or force_color"):
        open_source(path)
    data = take(open_source(path, 1, "transform_param { force_gray: true }"), 1)[0]
    np.testing.assert_array_equal(data[0, 0], picture(0)[:, :, 0])


def test_fields_that_do_nothing_are_told_of(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_database(tmp_path / "db", [raw(picture(0), 0)])
    param = layer(LAYER.format(path, 1, ""))
    param.data_param.mirror, param.data_param.rand_skip = True, 3
    source = DataSource(param, TRAIN)
    np.testing.assert_array_equal(take(source, 1)[0][0], pixels(picture(0)))
    errors = capsys.readouterr().err
    assert "DataParameter.mirror has no effect; transform_param has one that works" in errors
    assert "DataParameter.rand_skip has no effect\n" in errors
