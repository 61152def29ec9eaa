"""The AnnotatedData layer's source: boxes through every change of an image, draws that can go on, records that cannot be used."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
import pytest

from caffepy.data.batch_sampler import JitterSampler
from caffepy.data.prefetch import Prefetcher
from caffepy.data.random import Mt19937
from caffepy.data.shard import Shard
from caffepy.data.sources.annotated_data import AnnotatedDataSource
from caffepy.errors import DataError
from caffepy.layers.core.random import CaffeRandom
from caffepy.proto import caffe_pb2
from tests.data.build import TEST, TRAIN, layer, picture, png, raw, seeded, take, write_database

BOX = (0.25, 0.25, 0.75, 0.5)
RESIZE = "resize_param { height: 8 width: 8 }"
ALL = (
    RESIZE
    + " mirror: true crop_size: 6 expand_param { prob: 0.5 max_expand_ratio: 2 } distort_param { brightness_prob: 0.5 "
    "brightness_delta: 32 contrast_prob: 0.5 contrast_lower: 0.5 contrast_upper: 1.5 hue_prob: 0.5 hue_delta: 18 saturation_prob: 0.5 "
    "saturation_lower: 0.5 saturation_upper: 1.5 random_order_prob: 0.5 } noise_param { saltpepper: true saltpepper_param "
    "{ fraction: 0.1 value: 7 } }"
)
SAMPLER = "batch_sampler { sampler { min_scale: 0.3 max_scale: 0.9 } sample_constraint { min_object_coverage: 0.2 } max_sample: 2 }"


def annotated(
    datum: bytes, boxes: Sequence[tuple[float, ...]] = (BOX,), *, label: int = 3, typed: bool = True
) -> bytes:
    """An AnnotatedDatum's bytes."""
    found = caffe_pb2.AnnotatedDatum(datum=caffe_pb2.Datum.FromString(datum))
    if typed:
        found.type = caffe_pb2.AnnotatedDatum.BBOX
    group = found.annotation_group.add(group_label=label)
    for i, box in enumerate(boxes):
        bbox = group.annotation.add(instance_id=i).bbox
        bbox.xmin, bbox.ymin, bbox.xmax, bbox.ymax = box
    return bytes(found.SerializeToString())


def written(folder: Path, records: Sequence[bytes] | None = None) -> str:
    """A database; by default of five images of different sizes."""
    made = (
        [annotated(png(picture(i, 20 + i, 30), 0), [BOX] * (i + 1)) for i in range(5)]
        if records is None
        else records
    )
    return write_database(folder / "db", made)


def open_source(
    path: str,
    batch: int = 2,
    transform: str = RESIZE,
    own: str = "",
    *,
    phase: int = TEST,
    tops: str = 'top: "label"',
    shard: Shard = Shard(),
) -> AnnotatedDataSource:
    text = (
        f'type: "AnnotatedData" top: "data" {tops} data_param {{ source: "{path}" batch_size: {batch} backend: LMDB }} '
        f"transform_param {{ {transform} }} annotated_data_param {{ {own} }}"
    )
    return AnnotatedDataSource(layer(text), phase, shard)


def test_images_and_boxes(tmp_path: Path) -> None:
    source = open_source(written(tmp_path))
    assert source.shapes == ((2, 3, 8, 8), (1, 1, 1, 8))
    data, label = (top.numpy() for top in source.next())
    np.testing.assert_array_equal(
        data[1], cv2.resize(picture(1, 21, 30), (8, 8)).transpose(2, 0, 1)
    )
    np.testing.assert_allclose(
        label, [[[[0, 3, 0, *BOX, 0], [1, 3, 0, *BOX, 0], [1, 3, 1, *BOX, 0]]]], rtol=1e-6
    )


def test_images_without_boxes_give_one_row_of_minus_one(tmp_path: Path) -> None:
    path = written(tmp_path, [annotated(png(picture(0), 0), [])])
    assert take(open_source(path, 1), 1)[1].tolist() == [[[[-1.0] * 8]]]


def test_records_without_a_type_give_labels(tmp_path: Path) -> None:
    path = written(tmp_path, [annotated(png(picture(i), 5 + i), typed=False) for i in range(2)])
    source = open_source(path)
    assert source.shapes[1] == (2, 1, 1, 1)
    assert take(source, 1)[1].ravel().tolist() == [5, 6]
    assert len(open_source(path, tops="").next()) == 1


def test_rows_of_yolo(tmp_path: Path) -> None:
    """Middles and sizes with labels from 0 on, difficult objects unless train_diffcult is false.

    300 rows, also without boxes.
    """
    hard = caffe_pb2.AnnotatedDatum.FromString(annotated(png(picture(0), 0), [BOX, (0, 0, 0.5, 1)]))
    hard.annotation_group[0].annotation[0].bbox.difficult = True
    path = written(
        tmp_path,
        [annotated(png(picture(1), 0), [BOX, (0.5, 0, 1, 1)], label=1), hard.SerializeToString()],
    )
    assert take(open_source(path, 2, own="yolo_data_type: 1 yolo_data_jitter: 0"), 1)[1][
        1, 0, :3, 0
    ].tolist() == [2, 2, 0]
    source = open_source(path, 2, own="yolo_data_type: 1 yolo_data_jitter: 0 train_diffcult: false")
    assert source.shapes[1] == (2, 1, 300, 5)
    label = take(source, 1)[1]
    np.testing.assert_allclose(
        label[0, 0, :3], [(0, 0.5, 0.375, 0.5, 0.25), (0, 0.75, 0.5, 0.5, 1), (0,) * 5], atol=1e-6
    )
    np.testing.assert_allclose(label[1, 0, :2], [(2, 0.25, 0.5, 0.5, 1), (0,) * 5], atol=1e-6)
    (tmp_path / "empty").mkdir()
    assert not take(
        open_source(
            written(tmp_path / "empty", [annotated(png(picture(0), 0), [])]),
            1,
            own="yolo_data_type: 1",
        ),
        1,
    )[1].any()


def test_too_many_objects_for_yolo(tmp_path: Path) -> None:
    path = written(tmp_path, [annotated(png(picture(0), 0), [BOX] * 301)])
    with pytest.raises(DataError, match="has 301 objects; needed: at most 300"):
        open_source(path, 1, own="yolo_data_type: 1 yolo_data_jitter: 0").next()


def test_crops_of_yolo(tmp_path: Path) -> None:
    """How much jitter there is, width, height, left and top are drawn, and then which of one crop it is; the objects go with it."""
    image = np.zeros((64, 64, 3), np.uint8)
    image[16:48, 16:48] = 255
    path = written(tmp_path, [annotated(raw(image, 0), [(0.25, 0.25, 0.75, 0.75)])])
    source = seeded(
        open_source(path, 1, "", "yolo_data_type: 1 yolo_data_jitter: 0.3", phase=TRAIN), 5
    )
    random, cases = Mt19937(int(CaffeRandom(5).raw(2)[1])), set()
    for _ in range(12):
        data, label = (top.numpy() for top in source.next())
        case = random.between(0, 1)
        left, top, width, height = 0.0, 0.0, 1.0, 1.0
        cases.add((case > 0.2) + (case > 0.4))
        if case > 0.2:
            least = float(np.float32(0.85 if case <= 0.4 else 0.7))
            width, height = random.between(least, 1), random.between(least, 1)
            left, top = (
                random.between(0, float(np.float32(1 - width))),
                random.between(0, float(np.float32(1 - height))),
            )
        random.draw()
        part = image[int(64 * top) :, int(64 * left) :][: data.shape[2], : data.shape[3]]
        assert abs(data.shape[2] - 64 * height) <= 1
        assert abs(data.shape[3] - 64 * width) <= 1
        np.testing.assert_array_equal(data[0, 0], part[:, :, 0])
        edges = np.array([0.25 - left, 0.25 - top, 0.75 - left, 0.75 - top]) / [
            width,
            height,
            width,
            height,
        ]
        edges = edges.clip(0, 1)
        box = [
            (edges[0] + edges[2]) / 2,
            (edges[1] + edges[3]) / 2,
            edges[2] - edges[0],
            edges[3] - edges[1],
        ]
        np.testing.assert_allclose(label[0, 0, 0], [2, *box], atol=1e-5)
    assert cases == {0, 1, 2}


def test_crops_of_yolo_keep_the_shape_of_what_is_padded() -> None:
    boxes = [JitterSampler(0.3, in_shape=lambda: True).pick(Mt19937(seed), []) for seed in range(9)]
    sides = np.array([(right - left, bottom - top) for left, top, right, bottom in boxes])
    np.testing.assert_allclose(sides[:, 0], sides[:, 1], atol=1e-6)
    assert len(set(sides[:, 0].round(4))) > 3


def test_samplers_go_before_the_jitter_of_yolo(tmp_path: Path) -> None:
    path = written(tmp_path, [annotated(raw(np.zeros((64, 64, 3), np.uint8), 0), [BOX])])
    half = "batch_sampler { sampler { min_scale: 0.5 max_scale: 0.5 } max_sample: 1 max_trials: 1 }"
    source = open_source(
        path, 1, "", f"yolo_data_type: 1 yolo_data_jitter: 0.3 {half}", phase=TRAIN
    )
    assert source.next()[0].shape == (1, 3, 32, 32)


def test_a_mirrored_image_has_mirrored_boxes(tmp_path: Path) -> None:
    box = (0.0, 0.25, 0.25, 0.5)
    image = np.zeros((8, 8, 3), np.uint8)
    image[2:4, :2] = 255
    source = seeded(
        open_source(written(tmp_path, [annotated(png(image, 0), [box])]), 1, "mirror: true")
    )
    places = set()
    for _ in range(8):
        data, label = (top.numpy() for top in source.next())
        left, top, right, bottom = (int(8 * edge) for edge in label[0, 0, 0, 3:7])
        assert (data[0, :, top:bottom, left:right] == 255).all()
        assert data.sum() == 255 * 3 * 4
        places.add(left)
    assert places == {0, 6}


def several(chances: Sequence[float], *, more: str = "") -> str:
    """A ``resize_param`` for each chance, of 8, 9, ... pixels."""
    return " ".join(
        f"resize_param {{ prob: {chance} height: {8 + i} width: {8 + i} {more} }}"
        for i, chance in enumerate(chances)
    )


def test_one_of_several_sizes_is_drawn_for_ten_batches(tmp_path: Path) -> None:
    """The first tells the shape; the draws are those before anything of the batch is drawn."""
    source = seeded(open_source(written(tmp_path), 2, several([0.25, 0, 0.75])), 4)
    assert source.shapes[0] == (2, 3, 8, 8)
    batches = [source.next() for _ in range(100)]
    assert all(len(batch[0]) == 2 for batch in batches)
    sizes = [batch[0].shape[3] for batch in batches]
    random = Mt19937(int(CaffeRandom(4).raw(2)[1]))
    wanted = []
    for _ in range(10):
        wanted += 10 * [8 if random.between(0, 1) <= 0.25 else 10]
    assert sizes == wanted
    assert set(wanted) == {8, 10}


def test_several_sizes_go_on_where_they_were(tmp_path: Path) -> None:
    path, fields = written(tmp_path), several([0.5, 0.5], more="interp_mode: [LINEAR, AREA]")
    source = seeded(open_source(path, 2, fields))
    for _ in range(13):
        source.next()
    state = source.state()
    wanted = [source.next()[0].numpy().copy() for _ in range(30)]
    assert {batch.shape[3] for batch in wanted} == {8, 9}
    again = open_source(path, 2, fields)
    again.restore(state)
    for batch in wanted:
        np.testing.assert_array_equal(again.next()[0].numpy(), batch)


def test_jitter_keeps_the_shape_where_the_drawn_size_pads(tmp_path: Path) -> None:
    fields = several([0.5]) + several([0.5], more="resize_mode: FIT_LARGE_SIZE_AND_PAD")
    path = written(tmp_path, [annotated(png(picture(0, 60, 60), 0), [(0, 0, 1, 1)])])
    source = seeded(
        open_source(path, 1, fields, "yolo_data_type: 1 yolo_data_jitter: 0.5", phase=TRAIN)
    )
    augmentation, item = source._augmentation, source._read_first(source._store.first())
    even: dict[bool, list[bool]] = {True: [], False: []}
    for _ in range(60):
        augmentation.policies.begin_batch(source._random)
        height, width = augmentation.draw(source._random, item).size
        assert augmentation.resize is not None
        even[augmentation.resize.pads].append(abs(height - width) <= 1)
    assert all(even[True])
    assert len(even[True]) > 5
    assert not all(even[False])


@pytest.mark.parametrize(
    ("transform", "boxes"),
    [
        ("resize_param { height: 10 width: 20 }", [BOX]),
        ("resize_param { resize_mode: FIT_SMALL_SIZE height: 10 width: 10 }", [BOX]),
        (
            "resize_param { resize_mode: FIT_SMALL_SIZE height: 10 width: 10 height_scale: 10 width_scale: 10 }",
            [(0.5, 0.25, 1.5, 0.5)],
        ),
        (
            "resize_param { resize_mode: FIT_LARGE_SIZE_AND_PAD height: 20 width: 20 }",
            [(0.25, 0.375, 0.75, 0.5)],
        ),
        (
            "resize_param { resize_mode: FIT_LARGE_SIZE_AND_PAD height: 10 width: 40 }",
            [(0.375, 0.25, 0.625, 0.5)],
        ),
        ("crop_h: 10 crop_w: 20", [(0, 0, 1, 0.5)]),
        ("crop_h: 10 crop_w: 10 emit_constraint { emit_type: MIN_OVERLAP emit_overlap: 0.7 }", []),
        ("crop_h: 10 crop_w: 20 emit_constraint { emit_type: CENTER }", [(0, 0, 1, 0.5)]),
    ],
)
def test_where_boxes_come_to_lie(
    tmp_path: Path, transform: str, boxes: list[tuple[float, ...]]
) -> None:
    path = written(tmp_path, [annotated(png(picture(0, 20, 40), 0))])
    label = take(open_source(path, 1, transform), 1)[1]
    np.testing.assert_allclose(label[0, 0, :, 3:7], boxes or [(-1.0,) * 4], atol=1e-6)


def test_a_crop_shows_the_boxes_where_the_objects_are(tmp_path: Path) -> None:
    image = np.zeros((32, 32, 3), np.uint8)
    image[8:24, 8:24] = 255
    path = written(tmp_path, [annotated(raw(image, 0), [(0.25, 0.25, 0.75, 0.75)])])
    source = seeded(
        open_source(
            path,
            1,
            "",
            "batch_sampler { sampler { min_scale: 0.6 max_scale: 0.9 } max_sample: 1 }",
            phase=TRAIN,
        )
    )
    found = set()
    for _ in range(10):
        data, label = (top.numpy() for top in source.next())
        _, _, height, width = data.shape
        rows, columns = (np.flatnonzero(data[0, 0].any(axis)) for axis in (1, 0))
        edges = np.array(
            [
                columns[0] / width,
                rows[0] / height,
                (columns[-1] + 1) / width,
                (rows[-1] + 1) / height,
            ]
        )
        np.testing.assert_allclose(label[0, 0, 0, 3:7], edges, atol=2.1 / width)
        found.add((height, width, int(columns[0])))
    assert len(found) > 5


def test_ranks_together_read_what_one_reads(tmp_path: Path) -> None:
    path = written(tmp_path)
    data, label = (top.numpy() for top in open_source(path, 4).next())
    for rank in range(2):
        own, _ = (top.numpy() for top in open_source(path, 2, shard=Shard(rank, 2)).next())
        np.testing.assert_array_equal(own, data[rank::2])
    assert label.shape[2] == 1 + 2 + 3 + 4


def test_a_state_goes_on_as_if_nothing_had_been_between(tmp_path: Path) -> None:
    path = written(tmp_path)
    source = Prefetcher(open_source(path, 3, ALL, SAMPLER, phase=TRAIN), 2)
    seeded(source)
    source.next()
    state = source.state()
    wanted = [[top.numpy().copy() for top in source.next()] for _ in range(4)]
    source.close()
    again = open_source(path, 3, ALL, SAMPLER, phase=TRAIN)
    again.restore(state)
    for batch in wanted:
        for found, top in zip(again.next(), batch):
            np.testing.assert_array_equal(found.numpy(), top)
    skipping = open_source(path, 3, ALL, SAMPLER, phase=TRAIN)
    skipping.restore(state)
    skipping.skip(3)
    np.testing.assert_array_equal(skipping.next()[0].numpy(), wanted[3][0])


def test_ranks_draw_other_changes(tmp_path: Path) -> None:
    path = written(tmp_path, [annotated(png(picture(0, 20, 20), 0))] * 4)
    found = [
        seeded(open_source(path, 2, ALL, SAMPLER, phase=TRAIN, shard=Shard(rank, 2)))
        .next()[0]
        .numpy()
        for rank in range(2)
    ]
    assert not np.array_equal(found[0], found[1])


def test_a_label_map_is_held_against_the_records(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path)

    def said(text: str) -> str:
        (tmp_path / "map").write_text(text)
        take(open_source(path, 2, own=f'label_map_file: "{tmp_path / "map"}"'), 1)
        return capfd.readouterr().err

    assert "label_map_file" not in said('item { name: "cat" label: 3 }')
    assert (
        said('item { name: "cat" label: 2 }').count(
            "an object of class 3 is there, which label_map_file does not know"
        )
        == 1
    )
    assert "map:1:8" in said("item { nmae: 2 }")
    open_source(path, 2, own='label_map_file: "nowhere"')
    assert "label_map_file: File not found: nowhere" in capfd.readouterr().err


GOOD = annotated(png(picture(0), 0))


@pytest.mark.parametrize(
    ("records", "transform", "message"),
    [
        ([b"\xff\xff damaged", GOOD], RESIZE, "record 0 .*is no AnnotatedDatum: it is damaged"),
        ([GOOD, GOOD[:40]], RESIZE, "record 1 .*is no AnnotatedDatum: it is damaged"),
        (
            [png(picture(0), 0)],
            RESIZE,
            "record 0 .*is no AnnotatedDatum.*plain Datums are for a Data layer",
        ),
        ([b""], RESIZE, "it has no datum"),
        (
            [GOOD, annotated(png(picture(0), 0), typed=False)],
            RESIZE,
            "record 1 .*Some datum misses AnnotationType",
        ),
        (
            [annotated(caffe_pb2.Datum(data=b"x", encoded=True).SerializeToString())],
            RESIZE,
            "Could not decode datum",
        ),
        (
            [annotated(caffe_pb2.Datum(data=b"x").SerializeToString(), typed=False)],
            RESIZE,
            "Cannot find any label",
        ),
        (
            [
                annotated(
                    caffe_pb2.Datum(data=b"xy", channels=1, height=2, width=2).SerializeToString()
                )
            ],
            "",
            "has 2 values.*1x2x2 = 4",
        ),
        (
            [GOOD, annotated(png(picture(0, 7, 8), 0))],
            "",
            "record 1 .*is 3x7x8, its batch is 3x6x8; needed: a resize_param",
        ),
        (
            [annotated(raw(picture(0), 0))] * 2,
            RESIZE,
            "record 0 .*is raw and 6x8 here, resize_param asks for 8x8",
        ),
        (
            [annotated(png(picture(0)[:, :, 0], 0))] * 2,
            RESIZE + " noise_param { decolorize: true }",
            "decolorize of a gray image",
        ),
        (
            [GOOD] * 2,
            RESIZE
            + " noise_param { saltpepper: true saltpepper_param { fraction: 0.5 value: 1 value: 2 } }",
            "has 2 values",
        ),
        (
            [GOOD] * 2,
            RESIZE.replace("}", "pad_value: 1 pad_value: 2 resize_mode: FIT_LARGE_SIZE_AND_PAD }"),
            "1 pad_value or as many",
        ),
        (
            [GOOD] * 2,
            RESIZE + " mean_value: 1 mean_value: 2",
            "1 mean_value or as many as channels: 3",
        ),
        ([GOOD] * 2, "crop_h: 9 crop_w: 3", "crop_size 9x3 is larger than the image, 3x6x8"),
    ],
)
def test_unusable_records(
    tmp_path: Path, records: list[bytes], transform: str, message: str
) -> None:
    with pytest.raises(DataError, match=message):
        seeded(open_source(written(tmp_path, records), 2, transform)).next()


@pytest.mark.parametrize(
    ("transform", "own", "message"),
    [
        ("resize_param { height: 3 }", "", "height is 3, width 0; needed: both"),
        (
            "resize_param { height: 3 width: 3 prob: 0.5 } resize_param { height: 4 width: 4 prob: 0.3 }",
            "",
            "resize_param is given 2 times, and the sum of prob is 0.8; needed: 1",
        ),
        (
            "resize_param { height: 3 width: 3 prob: 2 } resize_param { height: 4 width: 4 prob: -1 }",
            "",
            "prob is 2, -1; needed: from 0 to 1",
        ),
        ("expand_param { max_expand_ratio: 1 }", "", "max_expand_ratio is 1; needed: above 1"),
        (
            "resize_param { height: 3 width: 3 resize_mode: FIT_SMALL_SIZE }",
            "",
            "Only support batch size of 1 .*; found: 2",
        ),
        ("distort_param { hue_delta: -1 }", "", "hue_delta must be non-negative; found: -1"),
        (
            "distort_param { contrast_lower: 2 contrast_upper: 1 }",
            "",
            "contrast_lower is 2, contrast_upper 1",
        ),
        (
            "noise_param { saltpepper: true saltpepper_param { fraction: 0.5 } }",
            "",
            "saltpepper_param has no value",
        ),
        (
            "",
            "batch_sampler { sampler { min_scale: 0 } }",
            "batch_sampler 0: scale is 0 to 1; needed: above 0",
        ),
        (
            "",
            "batch_sampler { } batch_sampler { sampler { max_scale: 2 } }",
            "batch_sampler 1: scale is 1 to 2",
        ),
        ("", "batch_sampler { sampler { min_aspect_ratio: 3 } }", "aspect_ratio is 3 to 1"),
        ("", "yolo_data_type: 2", "yolo_data_type is 2; needed: 0 or 1"),
        (
            "",
            "yolo_data_type: 1 yolo_data_jitter: 1",
            "yolo_data_jitter is 1; needed: 0 or more, below 1",
        ),
        ("", "anno_type: LANE", "Unknown annotation type: 2; needed: BBOX"),
    ],
)
def test_unusable_fields(tmp_path: Path, transform: str, own: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        open_source(written(tmp_path), 2, transform, own)


def test_no_database_and_an_empty_one(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="LMDB '.*nowhere' does not exist"):
        open_source(str(tmp_path / "nowhere"))
    with pytest.raises(DataError, match="db' .*(no record|empty)"):
        open_source(written(tmp_path, []))


def test_rows_are_in_the_order_of_the_groups(tmp_path: Path) -> None:
    record = caffe_pb2.AnnotatedDatum.FromString(annotated(png(picture(0), 0), [BOX, BOX]))
    group = record.annotation_group.add(group_label=1)
    group.annotation.add().bbox.CopyFrom(record.annotation_group[0].annotation[0].bbox)
    label = take(open_source(written(tmp_path, [record.SerializeToString()]), 1), 1)[1]
    assert label[0, 0, :, 1:3].tolist() == [[3, 0], [3, 1], [1, 0]]
