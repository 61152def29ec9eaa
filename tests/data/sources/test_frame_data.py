"""The source of SSD's VideoData: the frames of a video file in turn."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from caffepy.data.shard import Shard
from caffepy.data.sources.frame_data import FrameDataSource
from caffepy.errors import DataError
from tests.data.build import TEST, TRAIN, all_frames, layer, seeded, take, write_movie

HEIGHT, WIDTH, FRAMES = 16, 24, 9


@pytest.fixture(scope="module")
def movie(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Nine frames, each brighter than the one before."""
    frames = [np.full((HEIGHT, WIDTH, 3), 20 + 25 * number, np.uint8) for number in range(FRAMES)]
    return write_movie(tmp_path_factory.mktemp("movie") / "m.avi", frames)


def whole(movie: Path) -> npt.NDArray[np.float32]:
    """(9, 3, H, W)."""
    return np.stack(all_frames(movie)).transpose(0, 3, 1, 2).astype(np.float32)


def open_source(
    movie: Path,
    fields: str = "",
    *,
    batch: int = 2,
    transform: str = "",
    tops: str = 'top: "label"',
    shard: Shard = Shard(),
    phase: int = TEST,
) -> FrameDataSource:
    text = (
        f'type: "VideoData" top: "data" {tops} video_data_param {{ video_type: VIDEO video_file: "{movie}" {fields} }} '
        f"data_param {{ batch_size: {batch} }} transform_param {{ {transform} }}"
    )
    return FrameDataSource(layer(text), phase, shard)


def test_frames_in_turn(movie: Path) -> None:
    source = open_source(movie)
    assert source.shapes == ((2, 3, HEIGHT, WIDTH), (2,))
    data, label = take(source, 4)
    np.testing.assert_array_equal(data, whole(movie)[:8])
    assert not label.any()
    with pytest.raises(
        DataError, match="m.avi': Finished processing video: it has 9 frames, and no further batch"
    ):
        source.next()


def test_frames_are_skipped_before_each(movie: Path) -> None:
    source = open_source(movie, "skip_frames: 2", batch=1, tops="")
    assert source.records == 3
    np.testing.assert_array_equal(take(source, 3)[0], whole(movie)[[2, 5, 8]])


def test_sizes_and_crops(movie: Path) -> None:
    transform = "resize_param { height: 8 width: 12 interp_mode: NEAREST } crop_h: 4 crop_w: 6 mean_value: 20 scale: 0.5"
    data, _ = take(open_source(movie, transform=transform), 1)
    resized = [
        cv2.resize(frame.transpose(1, 2, 0), (12, 8), interpolation=cv2.INTER_NEAREST)
        for frame in whole(movie)[:2]
    ]
    wanted = np.stack(resized).transpose(0, 3, 1, 2)[:, :, 2:6, 3:9]
    np.testing.assert_array_equal(data, (wanted - 20) / 2)


def test_it_goes_on_where_it_was(movie: Path) -> None:
    source = seeded(open_source(movie, batch=1, transform="crop_size: 4 mirror: true", phase=TRAIN))
    take(source, 3)
    state = source.state()
    wanted = take(source, 4)[0]
    again = open_source(movie, batch=1, transform="crop_size: 4 mirror: true", phase=TRAIN)
    again.restore(state)
    np.testing.assert_array_equal(take(again, 4)[0], wanted)
    again.restore(state)  # back again
    again.skip(1)
    np.testing.assert_array_equal(take(again, 3)[0], wanted[1:])


def test_ranks_share_the_frames(movie: Path) -> None:
    found = [take(open_source(movie, shard=Shard(rank, 2)), 2)[0] for rank in range(2)]
    together = np.stack(found, 1).reshape(8, 3, HEIGHT, WIDTH)
    np.testing.assert_array_equal(together, whole(movie)[:8])


def test_what_cannot_be(movie: Path) -> None:
    with pytest.raises(DataError, match=r"Failed to open video '.*no.avi': no such file"):
        open_source(movie.with_name("no.avi"))
    broken = movie.with_name("broken.avi")
    broken.write_bytes(b"no video")
    with pytest.raises(DataError, match=r"Failed to open video '.*broken.avi'"):
        open_source(broken)
    with pytest.raises(DataError, match="m.avi': crop_size 17 is larger than the image"):
        open_source(movie, transform="crop_size: 17")
    with pytest.raises(DataError, match="Failed to open camera 99"):
        FrameDataSource(
            layer(
                'type: "VideoData" top: "x" video_data_param { device_id: 99 } data_param { batch_size: 1 }'
            ),
            TEST,
        )
    with pytest.raises(DataError, match="Must provide video file! needed: video_file"):
        FrameDataSource(
            layer(
                'type: "VideoData" top: "x" video_data_param { video_type: VIDEO } data_param { batch_size: 1 }'
            ),
            TEST,
        )
