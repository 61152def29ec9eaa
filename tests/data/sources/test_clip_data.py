"""The source of C3D's VideoData: clips of video files and of folders of frames."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from caffepy.data.sources.clip_data import ClipDataSource
from caffepy.errors import DataError
from caffepy.proto import blobs
from caffepy.proto.weights import write_chunks
from tests.data.build import TEST, TRAIN, all_frames, layer, seeded, take, write_movie

HEIGHT, WIDTH, FRAMES = 12, 16, 9
Pixels = npt.NDArray[np.uint8]


def frame(number: int) -> Pixels:
    """Every frame is brighter, and has another gradient from left to right."""
    image = np.full((HEIGHT, WIDTH, 3), 20 * number, np.uint8)
    image[:, :, 1] += np.arange(WIDTH, dtype=np.uint8)
    image[:, :, 2] += np.arange(HEIGHT, dtype=np.uint8)[:, None]
    return image


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """``clips/000001.jpg``, ... and ``m.avi`` of the same frames."""
    top = tmp_path_factory.mktemp("clips")
    (top / "clips").mkdir()
    for number in range(1, FRAMES + 1):
        cv2.imwrite(str(top / f"clips/{number:06d}.jpg"), frame(number))
    write_movie(top / "m.avi", [frame(number) for number in range(1, FRAMES + 1)])
    return top


def open_source(
    folder: Path, lines: str, fields: str, *, phase: int = TEST, tops: str = 'top: "label"'
) -> ClipDataSource:
    listed = folder / "list.txt"
    listed.write_text(lines.format(clips=folder / "clips", movie=folder / "m.avi"))
    text = (
        f'type: "VideoData" top: "data" {tops} image_data_param {{ source: "{listed}" {fields} }}'
    )
    return ClipDataSource(layer(text), phase)


def images(folder: Path, numbers: range) -> npt.NDArray[np.float32]:
    """(3, L, H, W) of files."""
    read = [cv2.imread(str(folder / f"clips/{number:06d}.jpg")) for number in numbers]
    return np.stack(read).transpose(3, 0, 1, 2).astype(np.float32)


def test_a_folder_of_frames(folder: Path) -> None:
    lines = "{clips} 2 7\n\n{clips} 1 5\n"
    source = open_source(folder, lines, "use_image: true batch_size: 2 new_length: 3")
    assert source.shapes == ((2, 3, 3, HEIGHT, WIDTH), (2, 1, 1, 1, 1))
    data, label = take(source, 1)
    np.testing.assert_array_equal(data[0], images(folder, range(2, 5)))
    np.testing.assert_array_equal(data[1], images(folder, range(1, 4)))
    assert label.shape == (2, 1, 1, 1, 1)
    assert label.flatten().tolist() == [7, 5]
    every = open_source(
        folder,
        lines,
        "use_image: true batch_size: 1 new_length: 3 sampling_rate: 2 new_height: 6 new_width: 8 scale: 0.5",
        tops="",
    )
    assert len(every.shapes) == 1
    (data,) = take(every, 1)
    wanted = [
        cv2.resize(plane, (8, 6))
        for number in (2, 4, 6)
        for plane in [cv2.imread(str(folder / f"clips/{number:06d}.jpg"))]
    ]
    np.testing.assert_array_equal(data[0], np.stack(wanted).transpose(3, 0, 1, 2) * np.float32(0.5))


def test_a_video_file(folder: Path) -> None:
    """Its frames count from 0."""
    whole = all_frames(folder / "m.avi")
    source = open_source(folder, "{movie} 4 3\n", "batch_size: 1 new_length: 2 sampling_rate: 3")
    data, label = take(source, 1)
    np.testing.assert_array_equal(data[0], np.stack([whole[4], whole[7]]).transpose(3, 0, 1, 2))
    assert label.flatten().tolist() == [3]


def test_crops_mirrors_and_a_mean(folder: Path) -> None:
    """All frames of a clip get the same window of the mean clip's and theirs."""
    mean = np.random.default_rng(0).random((1, 3, 2, HEIGHT, WIDTH), np.float32)
    write_chunks(folder / "mean.binaryproto", blobs.message(mean))
    fields = f'use_image: true batch_size: 1 new_length: 2 crop_size: 8 mirror: true mean_file: "{folder}/mean.binaryproto"'
    source = seeded(open_source(folder, "{clips} 3 1\n", fields, phase=TRAIN), 3)
    whole = images(folder, range(3, 5)) - mean[0]
    found = set()
    for _ in range(60):
        data, _ = take(source, 1)
        for top in range(HEIGHT - 8):
            for left in range(WIDTH - 8):
                window = whole[:, :, top : top + 8, left : left + 8]
                for turned in (False, True):
                    if np.array_equal(data[0], window[..., ::-1] if turned else window):
                        found.add((top, left, turned))
    assert len(found) > 20
    assert {turned for *_, turned in found} == {False, True}
    tested = open_source(
        folder,
        "{clips} 3 1\n",
        "use_image: true batch_size: 1 new_length: 2 crop_size: 8 mean_value: 10",
    )
    middle, _ = take(tested, 1)
    np.testing.assert_array_equal(middle[0], images(folder, range(3, 5))[:, :, 2:10, 4:12] - 10)


@pytest.mark.parametrize(
    ("lines", "fields"),
    [("{movie} 1\n", ""), ("{clips} 9 1\n", "use_image: true")],
)
def test_temporal_jitter(folder: Path, lines: str, fields: str) -> None:
    fields += " use_temporal_jitter: true batch_size: 1 new_length: 2 sampling_rate: 3"
    source = seeded(open_source(folder, lines, fields, phase=TRAIN))
    starts = [round(float(source.next()[0][0, 0, 0].mean()) / 20) for _ in range(40)]
    assert set(starts) == {1, 2, 3, 4}  # 9 frames, of which a clip spans 6
    state = source.state()
    wanted = take(source, 5)[0]
    again = open_source(folder, lines, fields, phase=TRAIN)
    again.restore(state)
    np.testing.assert_array_equal(take(again, 5)[0], wanted)


def test_folders_are_tested_from_their_first_frame(folder: Path) -> None:
    fields = "use_image: true use_temporal_jitter: true batch_size: 1 new_length: 2"
    data, _ = take(open_source(folder, "{clips} 9 1\n", fields), 2)
    np.testing.assert_array_equal(data[0], images(folder, range(1, 3)))
    np.testing.assert_array_equal(data[0], data[1])


def test_clips_that_cannot_be_read(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Training goes on with the next one, testing does not."""
    lines = "{clips} 1 1\n{clips} 8 2\n/none 1 3\n{clips} 2 4\n"
    fields = "use_image: true batch_size: 4 new_length: 3"
    with pytest.raises(DataError, match=r"line 2 \('.*clips'\): Could not load .*000010.jpg"):
        take(open_source(folder, lines, fields), 1)
    source = seeded(open_source(folder, lines, fields, phase=TRAIN))
    assert take(source, 2)[1].flatten().tolist() == [1, 4, 4, 4] * 2
    assert capsys.readouterr().err.count("the next clip that can be read is taken") == 2


@pytest.mark.parametrize(
    ("lines", "fields", "message"),
    [
        ("{clips} 1\n", "", "line 1: '.*clips 1'; needed: a video or a folder, the number of its"),
        ("{movie} 1 2\n", "use_temporal_jitter: true", "needed: a video or a folder and a label"),
        ("{clips} -1 1\n", "use_image: true", "line 1: starts at frame -1; needed: 0 on"),
        ("", "", "names no image"),
        ("{clips} 1 1\n", "", "is a folder; needed: use_image: true, or a video file"),
        ("{movie} 1 1\n", "use_image: true", "is a file; needed: use_image: false"),
        ("{movie} 8 1\n", "new_length: 5", "has 9 frames, and frame 13 is asked for"),
        ("{movie} 8\n", "use_temporal_jitter: true new_length: 10", "having 9; needed: 10"),
        ("{movie} 1 1\n", "mirror: true", "mirror and crop_size to be set at the same time"),
        ("{movie} 1 1\n", "crop_size: 13", "crop_size 13 is larger than the image"),
        ("{movie} 1 1\n", "new_length: 0", "new_length is 0 and sampling_rate 1; needed"),
        ("{movie} 1 1\n", "new_height: 3", "new_height and new_width to be set at the same time"),
    ],
)
def test_what_cannot_be(folder: Path, lines: str, fields: str, message: str) -> None:
    own = fields if "new_length" in fields else f"new_length: 2 {fields}"
    with pytest.raises(DataError, match=message):
        open_source(folder, lines, f"batch_size: 1 {own}")
