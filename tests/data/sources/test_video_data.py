"""The VideoData layer's source."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from caffepy.data.random import Mt19937
from caffepy.data.shard import Shard
from caffepy.data.sources.video_data import VideoDataSource
from caffepy.data.video_transformer import VideoTransformer
from caffepy.errors import DataError
from caffepy.layers.core.random import CaffeRandom
from tests.data.build import TEST, TRAIN, layer, picture, seeded, take

FRAMES = (9, 7, 12)
HEIGHT, WIDTH = 12, 16
PNG = {"FLOW": 'name_pattern: "flow_%c_%04d.png"', "RGB": 'name_pattern: "image_%04d.png"'}
Pixels = npt.NDArray[np.uint8]


def flow(video: int, frame: int, axis: str) -> Pixels:
    return picture(1000 * video + 10 * frame + "xy".index(axis), HEIGHT, WIDTH)[:, :, 0]


def channels(modality: str, video: int, starts: list[int], length: int) -> Pixels:
    """What the frames behind each start, counted from 1, hold: (C, H, W)."""
    frames = [start + i for start in starts for i in range(1, length + 1)]
    if modality == "FLOW":
        return np.stack([flow(video, frame, axis) for frame in frames for axis in "xy"])
    return np.concatenate(
        [picture(1000 * video + frame, HEIGHT, WIDTH).transpose(2, 0, 1) for frame in frames]
    )


@pytest.fixture(scope="module")
def listed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three videos with labels 10, 11, 12, in PNGs; their list."""
    folder = tmp_path_factory.mktemp("videos")
    for video, frames in enumerate(FRAMES):
        (folder / f"v{video}").mkdir()
        for frame in range(1, frames + 1):
            cv2.imwrite(
                str(folder / f"v{video}/image_{frame:04d}.png"),
                picture(1000 * video + frame, HEIGHT, WIDTH),
            )
            for axis in "xy":
                cv2.imwrite(
                    str(folder / f"v{video}/flow_{axis}_{frame:04d}.png"), flow(video, frame, axis)
                )
    path = folder / "list.txt"
    path.write_text(
        "".join(f"{folder}/v{i} {frames} {10 + i}\n\n" for i, frames in enumerate(FRAMES))
    )
    return path


def open_source(
    listed: Path,
    batch: int = 1,
    fields: str = "",
    transform: str = "",
    *,
    modality: str = "FLOW",
    phase: int = TEST,
    shard: Shard = Shard(),
) -> VideoDataSource:
    text = (
        f'type: "VideoData" top: "data" top: "label" video_data_param {{ source: "{listed}" batch_size: {batch} modality: {modality} '
        f"{fields if 'name_pattern' in fields else f'{PNG[modality]} {fields}'} }} transform_param {{ {transform} }}"
    )
    return VideoDataSource(layer(text), phase, shard)


@pytest.mark.parametrize("modality", ["FLOW", "RGB"])
def test_frames_from_the_middle_of_each_segment(listed: Path, modality: str) -> None:
    """Segments of 4, 3 and 6 frames, of which 2 in a row."""
    source = open_source(
        listed, 3, "new_length: 2 num_segments: 2", "mean_value: 4 scale: 0.5", modality=modality
    )
    count = 8 if modality == "FLOW" else 12
    assert source.shapes == ((3, count, HEIGHT, WIDTH), (3, 1, 1, 1))
    data, label = source.next()
    for i, starts in enumerate(([1, 5], [1, 4], [2, 8])):
        np.testing.assert_array_equal(
            data[i], (channels(modality, i, starts, 2).astype(np.float32) - 4) / 2
        )
    assert label.flatten().tolist() == [10, 11, 12]


def test_a_segment_that_is_too_short_and_other_sizes(listed: Path) -> None:
    data = take(
        open_source(listed, 3, "new_length: 5 num_segments: 2 new_height: 6 new_width: 5"), 1
    )[0]
    for i, starts in enumerate(([0, 0], [0, 0], [1, 7])):
        wanted = [cv2.resize(plane, (5, 6)) for plane in channels("FLOW", i, starts, 5)]
        np.testing.assert_array_equal(data[i], wanted)


def test_a_video_that_is_shorter_than_asked_for(listed: Path) -> None:
    """Its first frames, from 1; that there are no more is an error of their files."""
    short = listed.with_name("short.txt")
    short.write_text(f"{listed.parent}/v0 3 0")
    for phase in (TRAIN, TEST):
        data = open_source(short, 1, "new_length: 4", modality="RGB", phase=phase).next()[0]
        np.testing.assert_array_equal(data[0], channels("RGB", 0, [0], 4))


def test_mean_values_are_repeated_for_all_frames(listed: Path) -> None:
    means = "mean_value: 1 mean_value: 2 mean_value: 4"
    data = take(
        open_source(
            listed, 2, "new_length: 2 num_segments: 2", f"{means} scale: 2", modality="RGB"
        ),
        1,
    )[0]
    for i, starts in enumerate(([1, 5], [1, 4])):
        whole = channels("RGB", i, starts, 2).astype(np.float32)
        np.testing.assert_array_equal(data[i], (whole - np.tile([1.0, 2, 4], 4)[:, None, None]) * 2)
    with pytest.raises(
        DataError, match=r"Specify either 1 mean_value or as many as channels: 2 \(3 given"
    ):
        open_source(listed, 1, "", means)


def test_grey_frames(listed: Path) -> None:
    data = take(open_source(listed, 1, "new_length: 2 grayscale: true", modality="RGB"), 1)[0]
    wanted = [
        cv2.imread(str(listed.parent / f"v0/image_{frame:04d}.png"), cv2.IMREAD_GRAYSCALE)
        for frame in (5, 6)
    ]
    np.testing.assert_array_equal(data[0], wanted)


def test_jpegs_have_the_names_of_the_fork(tmp_path: Path) -> None:
    for name in ("flow_x_0001.jpg", "flow_y_0001.jpg", "image_0001.jpg"):
        cv2.imwrite(str(tmp_path / name), picture(len(name)))
    (tmp_path / "list.txt").write_text(f"{tmp_path} 1 0")
    for modality, names in (
        ("FLOW", ["flow_x_0001.jpg", "flow_y_0001.jpg"]),
        ("RGB", ["image_0001.jpg"]),
    ):
        text = f'video_data_param {{ source: "{tmp_path}/list.txt" batch_size: 1 modality: {modality} }}'
        data = VideoDataSource(layer(text), TEST).next()[0]
        flag = cv2.IMREAD_GRAYSCALE if modality == "FLOW" else cv2.IMREAD_COLOR
        images = [cv2.imread(str(tmp_path / name), flag) for name in names]
        np.testing.assert_array_equal(
            data[0], images if modality == "FLOW" else images[0].transpose(2, 0, 1)
        )


def streams(seed: int, video_draws: int) -> tuple[Mt19937, Mt19937]:
    """Those of the frames and of the transformer: its second seed counts, and the first video's draws are used up."""
    seeds = CaffeRandom(seed).raw(3)
    frames, transformer = Mt19937(int(seeds[1])), Mt19937(int(seeds[2]))
    frames.raw(video_draws)
    return frames, transformer


def test_starts_mirror_and_crop_are_drawn(listed: Path) -> None:
    source = seeded(
        open_source(
            listed,
            3,
            "new_length: 2 num_segments: 2",
            "mirror: true crop_size: 8 is_flow: true",
            phase=TRAIN,
        ),
        7,
    )
    data, _ = take(source, 4)
    frames, random = streams(7, 2)
    mirrored = 0
    for i in range(12):
        part = FRAMES[i % 3] // 2
        whole = channels(
            "FLOW", i % 3, [frames.draw() % (part - 1), frames.draw() % (part - 1) + part], 2
        ).astype(np.float32)
        mirror, top, left = (
            random.draw() % 2,
            random.draw() % (HEIGHT - 7),
            random.draw() % (WIDTH - 7),
        )
        wanted = whole[:, top : top + 8, left : left + 8]
        if mirror:
            wanted = wanted[:, :, ::-1].copy()
            wanted[::2] = 255 - wanted[::2]
        mirrored += mirror
        np.testing.assert_array_equal(data[i], wanted)
    assert 0 < mirrored < 12


@pytest.mark.parametrize("more", [False, True])
def test_sizes_and_places_of_crops(listed: Path, more: bool) -> None:
    """Of a frame of 12 x 16 squares of 12, 9 and 6 and what is between neighbours; 9 is near 8."""
    transform = (
        "mirror: false crop_size: 8 multi_scale: true fix_crop: true scale_ratios: 1 scale_ratios: 0.75 scale_ratios: 0.5 max_distort: 1"
        f" more_fix_crop: {str(more).lower()}"
    )
    sizes = [(12, 12), (12, 8), (8, 12), (8, 8), (8, 8), (8, 8), (8, 8)]
    source = seeded(open_source(listed, 3, "", transform, modality="RGB", phase=TRAIN), 3)
    data, _ = take(source, 10)
    frames, random = streams(3, 1)
    resized = 0
    for i in range(30):
        whole = channels("RGB", i % 3, [frames.draw() % FRAMES[i % 3]], 1)
        height, width = sizes[random.draw() % 7]
        down, right = (HEIGHT - height) // 4, (WIDTH - width) // 4
        places = [
            (0, 0),
            (0, 4 * right),
            (4 * down, 0),
            (4 * down, 4 * right),
            (2 * down, 2 * right),
        ]
        if more:
            places += [(0, 2 * right), (4 * down, 2 * right), (2 * down, 0), (2 * down, 4 * right)]
            places += [(down, right), (down, 3 * right), (3 * down, right), (3 * down, 3 * right)]
        top, left = places[random.draw() % len(places)]
        part = whole[:, top : top + height, left : left + width].transpose(1, 2, 0)
        resized += part.shape[:2] != (8, 8)
        np.testing.assert_array_equal(data[i], cv2.resize(part, (8, 8)).transpose(2, 0, 1))
    assert resized > 3


def test_sizes_far_from_a_square_are_left_out() -> None:
    ratios = "scale_ratios: 1 scale_ratios: 0.75 scale_ratios: 0.5"
    param = layer(
        f"transform_param {{ crop_size: 224 multi_scale: true {ratios} max_distort: 0 }}"
    ).transform_param
    assert VideoTransformer(param, TRAIN).sizes(256, 340) == [(256, 256), (192, 192), (128, 128)]
    param.max_distort = 2
    assert len(VideoTransformer(param, TRAIN).sizes(256, 340)) == 9
    del param.scale_ratios[:]
    param.max_distort = 1
    assert VideoTransformer(param, TRAIN).sizes(256, 340)[:4] == [
        (256, 256),
        (256, 224),
        (224, 256),
        (224, 224),
    ]


def test_state_skip_and_ranks(listed: Path) -> None:
    fields, transform = "shuffle: true new_length: 2", "mirror: true crop_size: 8 multi_scale: true"
    source = seeded(open_source(listed, 2, fields, transform, phase=TRAIN))
    source.next()
    state = source.state()
    wanted = take(source, 3)
    again = open_source(listed, 2, fields, transform, phase=TRAIN)
    again.restore(state)
    again.skip(1)
    for found, whole in zip(take(again, 2), wanted):
        np.testing.assert_array_equal(found, whole[2:])
    one = take(open_source(listed, 2), 1)[1]
    for rank in range(2):
        np.testing.assert_array_equal(
            take(open_source(listed, 1, shard=Shard(rank, 2)), 1)[1], one[rank::2]
        )


@pytest.mark.parametrize(
    ("text", "fields", "transform", "message"),
    [
        ("", "", "", "names no image"),
        (
            "{} 9 10\n{} 9",
            "",
            "",
            r"line 2: '.*v0 9'; needed: a folder, its number of frames and a label",
        ),
        ("{} 0 10", "", "", "line 1: '.*v0 0 10'; needed: a folder"),
        ("{} 9 a", "", "", "line 1: '.*v0 9 a'; needed: a folder"),
        (
            "{} 99 10",
            "",
            "",
            r"line 1 \('.*v0'\): Could not load .*v0/flow_x_0050.png: No such file",
        ),
        ("{} 9 10", "new_length: 0", "", "new_length is 0 and num_segments 1"),
        (
            "{} 9 10",
            "num_segments: 4294967295",
            "",
            r"'\): 4294967295 frames of each video make data of 1x8589934590x12x16 values",
        ),
        ("{} 9 10", "num_segments: 9999999", "crop_size: 11", "values; needed: at most 2147483647"),
        (
            "{} 9 10",
            'name_pattern: "a.png"',
            "",
            "name_pattern is 'a.png'; needed: a place for x or y and one for a number",
        ),
        ("{} 9 10", "", "crop_size: 13", "crop_size 13 is larger than the image, 2x12x16"),
        (
            "{} 9 10",
            "",
            'mean_file: "m"',
            "VideoData does not take a mean_file; needed: mean_value",
        ),
        (
            "{} 9 10",
            "",
            "multi_scale: true",
            "Multi scale augmentation is only activated with crop_size set",
        ),
        ("{} 9 10", "", "scale_ratios: 1.5", "scale_ratios is 1.5; needed: above 0, at most 1"),
        ("{} 9 10", "", "scale_ratios: nan", "scale_ratios is nan; needed: above 0, at most 1"),
        (
            "{} 9 10",
            "new_width: 3",
            "",
            "requires new_height and new_width to be set at the same time",
        ),
    ],
)
def test_what_cannot_be_used(
    tmp_path: Path, listed: Path, text: str, fields: str, transform: str, message: str
) -> None:
    path = tmp_path / "list.txt"
    path.write_text(text.replace("{}", str(listed.parent / "v0")))
    with pytest.raises(DataError, match=message):
        open_source(path, 1, fields, transform, phase=TEST)


def test_no_modality(listed: Path) -> None:
    with pytest.raises(DataError, match="modality is not given; needed: RGB or FLOW"):
        VideoDataSource(layer(f'video_data_param {{ source: "{listed}" batch_size: 1 }}'), TEST)


def test_no_crop_is_left(listed: Path) -> None:
    transform = "crop_size: 8 multi_scale: true scale_ratios: 0.05"
    with pytest.raises(DataError, match="no crop is left of a frame of 12x16"):
        open_source(listed, 1, "", transform, phase=TRAIN).next()
