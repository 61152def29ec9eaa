"""Source of C3D's VideoData layer: clips out of video files, or out of folders of frames."""

# N batch, L frames of a clip, H W frame, h w output (crop_size, or the frame's own size)

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from functools import partial

import numpy as np

from caffepy import log
from caffepy.data import opencv, video_file
from caffepy.data.clip_transformer import ClipTransformer
from caffepy.data.list_files import Video, read_clips
from caffepy.data.opencv import Pixels
from caffepy.data.random import Mt19937
from caffepy.data.shard import Shard
from caffepy.data.size_text import size_text
from caffepy.data.source import Batch, State
from caffepy.data.sources.list_source import MOST_VALUES, ListSource, check_size_in_batch
from caffepy.data.transformer import TRAIN, rows_of
from caffepy.errors import DataError
from caffepy.proto import caffe_pb2

COLORS = 3
PATTERN = "%06d.jpg"
"""Names of the frames in a folder."""


class ClipDataSource(ListSource[Video]):
    """Batches (N, 3, L, h, w) and labels (N, 1, 1, 1, 1), in the list's order or shuffled.

    A line names a video file (from frame 0) or, with use_image, a folder of files as 000001.jpg,
    the first frame of the clip, and the label. With use_temporal_jitter the clip begins at random:
    a line has a video and a label, or a folder, its number of frames and a label. Every
    sampling_rate-th frame is read.

    In TRAIN a clip that cannot be read is replaced by the next one of the list, with a warning;
    C3D leaves it out.
    """

    place = "video_data_layer.cpp"
    items = "video chunks"
    _param: caffe_pb2.ImageDataParameter

    def __init__(self, param: caffe_pb2.LayerParameter, phase: int, shard: Shard = Shard()) -> None:
        """``param``: a caffe.LayerParameter with image_data_param.

        DataError if the list or its first clip cannot be used.
        """
        data = param.image_data_param
        if not data.new_length or data.sampling_rate < 1:
            raise DataError(
                f"new_length is {data.new_length} and sampling_rate {data.sampling_rate}; needed:"
                " at least 1 each"
            )
        self._train = phase == TRAIN
        self._starts = Mt19937(0)  # until `seed` is called
        self._told: set[int] = set()
        super().__init__(data, ClipTransformer(param, phase), shard)
        first = self._entries[0]
        shape = self._locate_errors(first, lambda: self._shape_of(first))
        top = (self._batch_size, *shape)
        labels = (self._batch_size, 1, 1, 1, 1)
        self.shapes = (top, labels)[: len(param.top)]
        log.info(f"{self.place}:347", f"output data size: {','.join(map(str, top))}")

    def _list(self) -> Sequence[Video]:
        data = self._param
        return read_clips(data.source, starts=data.use_image or not data.use_temporal_jitter)

    def _shape_of(self, clip: Video) -> tuple[int, ...]:
        """(3, L, h, w).  DataError for a clip that cannot be, before all its frames are read."""
        length = int(self._param.new_length)
        start = self._start(clip, 0)
        frame = self._frames(clip, start, 1)
        height, width = frame.shape[2:]
        planes = self._transformer.output_shape((COLORS * length, height, width))
        shape = (COLORS, length, *planes[1:])
        if math.prod(shape) * self._batch_size > MOST_VALUES:
            raise DataError(
                f"clips of {length} frames make data of {self._batch_size} x {size_text(shape)}"
                f" values; needed: at most {MOST_VALUES}"
            )
        self._frames(clip, start, length)
        return shape

    def _seed_thread(self, seed: int) -> None:
        """Where clips begin with use_temporal_jitter; not C3D's own draws, which the time seeds."""
        self._starts = Mt19937(seed + self.shard.rank)

    def _start(self, clip: Video, draw: int) -> int:
        """The number of the first frame.  DataError where a clip has no room for it."""
        data = self._param
        if not data.use_temporal_jitter:
            return clip.frames
        span = int(data.new_length * data.sampling_rate)
        there = clip.frames if data.use_image else video_file.count(self._path(clip))
        if there < span:
            hint = " (with use_temporal_jitter the second column is the folder's number of frames)"
            raise DataError(
                f"not enough frames; having {there}; needed: {span}{hint if data.use_image else ''}"
            )
        if not data.use_image:
            return draw % (there - span + 1)
        if self._train:
            return draw % (there - span + 1) + 1
        return 0 if os.path.exists(self._root + self._image(clip, 0)) else 1

    def _path(self, clip: Video) -> bytes:
        return self._root + clip.name

    def _image(self, clip: Video, number: int) -> bytes:
        return os.path.join(clip.name, os.fsencode(PATTERN % number))

    def _frames(self, clip: Video, start: int, count: int) -> Pixels:
        """``count`` frames from this one on, (3, count, H, W)."""
        numbers = [start + i * int(self._param.sampling_rate) for i in range(count)]
        path = self._path(clip)
        if self._param.use_image:
            if os.path.isfile(path):
                raise DataError("is a file; needed: use_image: false, or a folder of frames")
            images = [self._read(self._image(clip, number), color=True) for number in numbers]
        else:
            if os.path.isdir(path):
                raise DataError("is a folder; needed: use_image: true, or a video file")
            found = video_file.read(path, {number + 1 for number in numbers}, color=True)
            sides = (int(self._param.new_height), int(self._param.new_width))
            images = [opencv.resize(found[number + 1], *sides) for number in numbers]
        for number, image in zip(numbers, images):
            if image.shape != images[0].shape:
                own, needed = (size_text(each.shape[:2]) for each in (image, images[0]))
                raise DataError(
                    f"frame {number} is {own}, the first frame {needed}; needed: new_height and"
                    " new_width, or frames of one size"
                )
        return np.stack(images).transpose(3, 0, 1, 2)

    def _clip(self, index: int, draw: int) -> tuple[Video, Pixels]:
        """The clip of this place in the list and its frames, or the next that can be read."""
        for further in range(len(self._entries)):
            clip = self._entries[(index + further) % len(self._entries)]
            try:
                return clip, self._locate_errors(clip, partial(self._all_frames, clip, draw))
            except DataError as error:
                if not self._train:
                    raise
                if not further:
                    self._tell(clip, error)
        raise DataError(f"no clip of '{self._param.source}' can be read")

    def _tell(self, clip: Video, error: DataError) -> None:
        if clip.line not in self._told:
            self._told.add(clip.line)
            log.warning(f"{self.place}:125", f"{error}; the next clip that can be read is taken")

    def _all_frames(self, clip: Video, draw: int) -> Pixels:
        return self._frames(clip, self._start(clip, draw), int(self._param.new_length))

    def _draws(self) -> list[int]:
        if not self._param.use_temporal_jitter:
            return [0] * self._batch_size
        return [int(draw) for draw in self._starts.raw(self._batch_size)]

    def _make(self) -> Batch:
        places = self._order.take(self._batch_size).tolist()
        rows = rows_of(self._transformer.draws(self._batch_size), self._batch_size)
        draws = self._draws()
        out = self.pool.take(self.shapes[0])
        planes = (COLORS * out.shape[2], *out.shape[3:])
        labels = np.empty((self._batch_size, 1, 1, 1, 1), np.float32)

        def fill(i: int) -> None:
            clip, frames = self._clip(places[i], draws[i])
            image = frames.reshape(-1, *frames.shape[2:])

            def transform() -> None:
                check_size_in_batch(self._transformer.output_shape(image.shape), planes)
                self._transformer.apply(image, out[i].reshape(planes), rows[i])

            self._locate_errors(clip, transform)
            labels[i] = clip.label

        self._workers.run(fill, self._batch_size, parallel=True)
        return self._as_batch(out, labels)

    def skip(self, batches: int) -> None:
        for _ in range(batches):
            self._order.take(self._batch_size)
            self._transformer.draws(self._batch_size)
            self._draws()

    def state(self) -> State:
        return {**super().state(), "starts": self._starts.state()}

    def restore(self, state: State) -> None:
        super().restore(state)
        self._starts.restore(state["starts"])
