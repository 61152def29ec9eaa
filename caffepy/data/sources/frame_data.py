"""Source of SSD's VideoData layer: the frames of a video file or of a camera in turn."""

# N batch, C channels, H W frame, h w output

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np

from caffepy import log
from caffepy.data import opencv
from caffepy.data.opencv import Pixels
from caffepy.data.resize_policy import fixed_resize
from caffepy.data.shard import CONTIGUOUS, Shard, Walk
from caffepy.data.source import Batch, Source, State
from caffepy.data.sources.list_source import check_size_in_batch
from caffepy.data.transformer import (
    IMAGE_FIELDS,
    RandomStream,
    Transformer,
    TransformSpec,
    Values,
    rows_of,
)
from caffepy.errors import DataError
from caffepy.proto import caffe_pb2

if TYPE_CHECKING:
    import cv2

PLACE = "video_data_layer.cpp"
WEBCAM = caffe_pb2.VideoDataParameter.VideoType.Value("WEBCAM")


class FrameDataSource(Source):
    """Batches (N, C, h, w), and labels (N,) of 0.

    skip_frames are passed over before each frame. Behind the last frame of a file there is no
    batch: DataError, where SSD interrupts the program. Ranks share the frames of a file; each reads
    a camera of its own.
    """

    def __init__(self, param: caffe_pb2.LayerParameter, phase: int, shard: Shard = Shard()) -> None:
        """``param``: a caffe.LayerParameter with video_data_param.

        DataError if the video or the camera cannot be opened.
        """
        super().__init__(shard)
        self._param = own = param.video_data_param
        self._camera = own.video_type == WEBCAM
        if not self._camera and not own.video_file:
            raise DataError("video_data_param: Must provide video file! needed: video_file")
        self._batch_size = int(param.data_param.batch_size)
        if self._batch_size == 0:
            raise DataError("data_param.batch_size is 0; needed: at least 1")
        spec = TransformSpec.from_proto(param.transform_param, more=IMAGE_FIELDS)
        self._transformer = Transformer(spec, phase)
        self._resize = fixed_resize(param.transform_param)
        self._each = 1 + int(own.skip_frames)
        self._video = self._opened()
        self._next = 0
        self._frames = 0 if self._camera else self._counted()
        whole = shard.mode == CONTIGUOUS and not self._camera
        self._walk = Walk(shard, self.records if whole else 0)
        shape = self._shape(self._image(self._read(0)))
        top = (self._batch_size, *shape)
        self.shapes = (top, (self._batch_size,))[: len(param.top)]
        log.info(f"{PLACE}:62", f"output data size: {','.join(map(str, top))}")

    def seed(self, stream: RandomStream) -> None:
        """Draw Caffe's seeds: the transformer's, twice, and that of the reading thread."""
        for _ in range(2):
            self._transformer.seed(stream, self.shard.rank)
        stream.raw(1)

    @property
    def records(self) -> int:
        return self._frames // self._each

    @property
    def _name(self) -> str:
        own = self._param
        return f"camera {own.device_id}" if self._camera else f"video '{own.video_file}'"

    def _opened(self) -> cv2.VideoCapture:
        import cv2

        own = self._param
        if not self._camera and not os.path.isfile(own.video_file):
            raise DataError(f"Failed to open {self._name}: no such file (looked in {os.getcwd()})")
        video = cv2.VideoCapture(own.device_id if self._camera else own.video_file)
        if not video.isOpened():
            raise DataError(f"Failed to open {self._name}")
        return video

    def _counted(self) -> int:
        import cv2

        frames = int(self._video.get(cv2.CAP_PROP_FRAME_COUNT))
        self.shard.check(frames // self._each, self._param.video_file)
        return frames

    def _rewind(self) -> None:
        self._video.release()
        self._video, self._next = self._opened(), 0

    def _read(self, number: int) -> Pixels:
        """The frame of this number, from 0; of a camera since it was opened."""
        if number < self._next:
            self._rewind()
        while self._next <= number:
            if not self._video.grab():
                raise DataError(f"{self._name}: Could not load frame {self._next}")
            self._next += 1
        _, image = self._video.retrieve()
        return np.asarray(image, np.uint8)

    def _image(self, frame: Pixels) -> Values:
        image = opencv.channels_first(frame)
        return image if self._resize is None else self._resize.apply(image)

    def _taken(self) -> list[Pixels]:
        """This rank's next frames."""
        places = self._walk.take(self._batch_size)
        if self._camera:
            return [self._read(self._next + self._each - 1) for _ in places]
        if int(places[-1]) >= self.records:
            raise DataError(
                f"{self._name}: Finished processing video: it has {self._frames} frames, and no"
                " further batch is left in it"
            )
        return [self._read(int(place) * self._each + self._each - 1) for place in places]

    def _make(self) -> Batch:
        frames = self._taken()
        rows = rows_of(self._transformer.draws(len(frames)), len(frames))
        images = [self._image(frame) for frame in frames]
        shape = self._shape(images[0])
        out = self.pool.take((len(images), *shape))
        for image, to, row in zip(images, out, rows):
            check_size_in_batch(self._shape(image), shape)
            self._transformer.apply(image, to, row)
        return self._as_batch(out, np.zeros(len(images), np.float32))

    def _shape(self, image: Values) -> tuple[int, int, int]:
        """(C, h, w).  A DataError names the video."""
        try:
            return self._transformer.output_shape(image.shape)
        except DataError as error:
            raise DataError(f"{self._name}: {error}") from error

    def skip(self, batches: int) -> None:
        for _ in range(batches):
            self._walk.take(self._batch_size)
            self._transformer.draws(self._batch_size)

    def state(self) -> State:
        return {"passed": self._walk.passed, "random": self._transformer.state()}

    def restore(self, state: State) -> None:
        self._walk.passed = int(state["passed"])
        self._transformer.restore(state["random"])

    def close(self) -> None:
        self._video.release()
