"""Source of the VideoData layer: video files, or folders of image files of frames or flow."""

# N batch, C channels of all frames, H W frame, h w output (crop_size, or the frame's own size)

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Sequence

import numpy as np
import torch

from caffepy import log
from caffepy.data import opencv, video_file
from caffepy.data.list_files import Video, read_videos
from caffepy.data.opencv import Pixels
from caffepy.data.random import Mt19937
from caffepy.data.shard import Shard
from caffepy.data.size_text import size_text
from caffepy.data.source import Batch, State
from caffepy.data.sources.list_source import MOST_VALUES, ListSource, check_size_in_batch
from caffepy.data.transformer import TRAIN, RandomStream, rows_of
from caffepy.data.video_transformer import VideoTransformer
from caffepy.errors import DataError
from caffepy.proto import caffe_pb2

FLOW = caffe_pb2.VideoDataParameter.Modality.Value("FLOW")
PATTERNS = {
    FLOW: "flow_%c_%04d.jpg",
    caffe_pb2.VideoDataParameter.Modality.Value("RGB"): "image_%04d.jpg",
}


class VideoDataSource(ListSource[Video]):
    """Batches (N, C, h, w) and labels (N, 1, 1, 1), in the list's order or shuffled for each pass.

    A video is divided into num_segments equal parts, of which new_length consecutive frames are
    read. They begin at random in TRAIN, else in the middle. Channels are blue, green and red of
    each frame (or one plane, with grayscale), or flow along x and y. If the parts are too short,
    the video's first frames are read, as at TSN's HEAD (before April 2016: those from the second
    on).
    """

    place = "video_data_layer.cpp"
    items = "videos"
    _param: caffe_pb2.VideoDataParameter

    def __init__(self, param: caffe_pb2.LayerParameter, phase: int, shard: Shard = Shard()) -> None:
        """``param``: a caffe.LayerParameter with video_data_param.

        DataError if the list or its first video cannot be used.
        """
        data = param.video_data_param
        if not data.HasField("modality"):
            raise DataError(
                "video_data_param.modality is not given; needed: RGB or FLOW, for a list"
                " of folders, numbers of frames and labels"
            )
        if not data.new_length or not data.num_segments:
            raise DataError(
                f"new_length is {data.new_length} and num_segments {data.num_segments}; needed:"
                " at least 1 each"
            )
        self._pattern = data.name_pattern or PATTERNS[data.modality]
        super().__init__(data, VideoTransformer(param.transform_param, phase), shard)
        self._random_start = phase == TRAIN
        self._frames = Mt19937(0)  # until `seed` is called
        first = self._entries[0]
        self._locate_errors(first, lambda: self._check_size(first))
        shape = self._locate_errors(
            first,
            lambda: self._transformer.output_shape(
                self._read_frames(first, self._middles(first)).shape
            ),
        )
        self.shapes = ((self._batch_size, *shape), (self._batch_size, 1, 1, 1))
        log.info(f"{self.place}:95", f"output data size: {','.join(map(str, self.shapes[0]))}")

    def _check_size(self, video: Video) -> None:
        """DataError for more values than a blob can have, before all frames are read."""
        frames = self._param.new_length * self._param.num_segments
        if os.path.isfile(video.name):
            one = self._read_file(video, [self._first(video) + 1])
        else:
            parts = self._read_frame(video, self._first(video) + 1)
            one = np.concatenate([channels for _, channels in parts])
        planes, height, width = one.shape
        shape = (
            self._batch_size,
            *self._transformer.output_shape((planes * frames, height, width)),
        )
        if math.prod(shape) > MOST_VALUES:
            raise DataError(
                f"{frames} frames of each video make data of {'x'.join(map(str, shape))}"
                f" values; needed: at most {MOST_VALUES}"
            )

    def _list(self) -> Sequence[Video]:
        return read_videos(self._param.source)

    def seed(self, stream: RandomStream) -> None:
        """Draw Caffe's seeds in their order.

        These are the transformer's, that of shuffle, that of where segments begin (of which the
        first video uses some numbers), and the transformer's again.
        """
        self._transformer.seed(stream, self.shard.rank)
        self._order = self._new_order(stream)
        self._frames = Mt19937(int(stream.raw(1)[0]) + self.shard.rank)
        if self._room(self._entries[0]) > 0:
            self._frames.raw(int(self._param.num_segments))
        self._transformer.seed(stream, self.shard.rank)

    def _room(self, video: Video) -> int:
        """The number of places at which the frames of a segment can begin."""
        return video.frames // int(self._param.num_segments) - int(self._param.new_length) + 1

    def _starts(self, video: Video) -> list[int]:
        """The frames, from 0, at which the segments of a video begin this time."""
        room = self._room(video)
        if not self._random_start or room < 1:
            return self._middles(video)
        return [self._frames.draw() % room + start for start in self._parts(video)]

    def _middles(self, video: Video) -> list[int]:
        return [
            self._first(video) + start if self._room(video) > 0 else 0
            for start in self._parts(video)
        ]

    def _first(self, video: Video) -> int:
        """The middle of the first segment."""
        room = self._room(video)
        return room // 2 if room > 0 else 0

    def _parts(self, video: Video) -> list[int]:
        """Where each of the equal parts begins."""
        number = int(self._param.num_segments)
        return [i * (video.frames // number) for i in range(number)]

    def _read_frames(self, video: Video, starts: Sequence[int]) -> Pixels:
        """All channels of all frames, (C, H, W)."""
        planes: list[Pixels] = []
        frames: list[int] = []
        for start in starts:
            frames += range(start + 1, start + 1 + int(self._param.new_length))
        if os.path.isfile(video.name):
            return self._read_file(video, frames)
        for frame in frames:
            for name, channels in self._read_frame(video, frame):
                planes.extend(channels)
                if planes[-1].shape != planes[0].shape:
                    own = size_text(planes[-1].shape)
                    needed = size_text(planes[0].shape)
                    raise DataError(
                        f"{name} is {own}, the first frame {needed}; needed: new_height and"
                        " new_width, or frames of one size"
                    )
        return np.stack(planes)

    def _read_file(self, video: Video, frames: Sequence[int]) -> Pixels:
        """Frames of a video file, (C, H, W)."""
        if self._param.modality == FLOW:
            raise DataError("is a video file; needed: modality: RGB, or a folder of images of flow")
        images = video_file.read(video.name, set(frames), not self._param.grayscale)
        sides = (int(self._param.new_height), int(self._param.new_width))
        planes = {
            frame: opencv.channels_first(opencv.resize(image, *sides))
            for frame, image in images.items()
        }
        return np.concatenate([planes[frame] for frame in frames])

    def _read_frame(self, video: Video, frame: int) -> Iterator[tuple[str, Pixels]]:
        """The files of a frame (from 1) by name.

        Their channels are blue, green and red, or flow along x, then along y.
        """
        for axis in ("x", "y") if self._param.modality == FLOW else ("",):
            name = os.path.join(os.fsdecode(video.name), self._name(axis, frame))
            yield (
                name,
                opencv.channels_first(
                    self._read(os.fsencode(name), not (axis or self._param.grayscale))
                ),
            )

    def _name(self, axis: str, frame: int) -> str:
        try:
            return self._pattern % ((axis, frame) if axis else (frame,))
        except (TypeError, ValueError) as error:
            needed = (
                "a place for x or y and one for a number, as flow_%c_%04d.jpg"
                if axis
                else "a place for a number, as image_%04d.jpg"
            )
            raise DataError(
                f"video_data_param.name_pattern is '{self._pattern}'; needed: {needed}"
            ) from error

    def _make(self) -> Batch:
        videos = self._take()
        rows = rows_of(self._transformer.draws(len(videos)), len(videos))
        starts = [self._starts(video) for video in videos]
        first = self._locate_errors(videos[0], lambda: self._read_frames(videos[0], starts[0]))
        shape = self._locate_errors(videos[0], lambda: self._transformer.output_shape(first.shape))
        out = self.pool.take((len(videos), *shape))

        def fill(i: int) -> None:
            frames = first if i == 0 else self._read_frames(videos[i], starts[i])
            check_size_in_batch(self._transformer.output_shape(frames.shape), shape)
            self._transformer.apply(frames, out[i], rows[i])

        self._workers.run(
            lambda i: self._locate_errors(videos[i], lambda: fill(i)), len(videos), parallel=True
        )
        labels = np.array([video.label for video in videos], np.float32).reshape(-1, 1, 1, 1)
        return torch.from_numpy(out), torch.from_numpy(labels)

    def skip(self, batches: int) -> None:
        for _ in range(batches):
            for video in self._take():
                self._starts(video)
            self._transformer.draws(self._batch_size)

    def state(self) -> State:
        return {**super().state(), "frames": self._frames.state()}

    def restore(self, state: State) -> None:
        super().restore(state)
        self._frames.restore(state["frames"])
