"""Frames of video files, and VideoData that reads them."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from caffepy.data import video_file
from caffepy.data.sources.video_data import VideoDataSource
from caffepy.errors import DataError
from tests.data.build import TEST, all_frames, layer, write_movie

HEIGHT, WIDTH = 32, 48
Pixels = npt.NDArray[np.uint8]


@pytest.fixture(scope="module")
def movie(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Nine frames, each brighter than the one before, in the codec that OpenCV itself brings."""
    frames = [np.full((HEIGHT, WIDTH, 3), 20 + 25 * number, np.uint8) for number in range(9)]
    for frame in frames:
        frame[: HEIGHT // 2, :, 0] = 10
    return write_movie(tmp_path_factory.mktemp("movie") / "m.avi", frames)


def source(movie: Path, fields: str, *, frames: int = 9) -> VideoDataSource:
    listed = movie.with_name("list.txt")
    listed.write_text(f"{movie} {frames} 7\n")
    text = f'type: "VideoData" top: "data" top: "label" video_data_param {{ source: "{listed}" batch_size: 1 {fields} }}'
    return VideoDataSource(layer(text), TEST)


def test_frames_by_their_numbers(movie: Path) -> None:
    whole = all_frames(movie)
    frames = video_file.read(bytes(movie), {2, 9}, True)
    assert sorted(frames) == [2, 9]
    for number, image in frames.items():
        np.testing.assert_array_equal(image, whole[number - 1])
    assert abs(float(frames[9][-1].mean()) - 220) < 8  # it is the last one that was written
    assert video_file.read(bytes(movie), {1}, False)[1].shape == (HEIGHT, WIDTH)


def test_segments_of_a_video_file(movie: Path) -> None:
    """Segments of 4 frames, of which the 2 in the middle are read."""
    data, label = source(movie, "modality: RGB new_length: 2 num_segments: 2").next()
    whole = all_frames(movie)
    wanted = np.concatenate([whole[number].transpose(2, 0, 1) for number in (1, 2, 5, 6)])
    np.testing.assert_array_equal(data[0], wanted)
    assert label.flatten().tolist() == [7]


def test_another_size(movie: Path) -> None:
    data, _ = source(movie, "modality: RGB new_height: 16 new_width: 20 grayscale: true").next()
    grey = cv2.cvtColor(all_frames(movie)[4], cv2.COLOR_BGR2GRAY)
    np.testing.assert_array_equal(data[0, 0], cv2.resize(grey, (20, 16)))


def test_what_cannot_be(movie: Path) -> None:
    with pytest.raises(
        DataError, match=r"line 1 \('.*m\.avi'\): is a video file; needed: modality: RGB"
    ):
        source(movie, "modality: FLOW")
    with pytest.raises(DataError, match="has 9 frames, and frame 10 is asked for"):
        source(movie, "modality: RGB", frames=19)
    broken = movie.with_name("broken.avi")
    broken.write_bytes(b"no video")
    with pytest.raises(DataError, match="is no video that OpenCV can decode"):
        source(broken, "modality: RGB")
