"""Source of the WindowData layer: windows of images, as R-CNN trains on them."""

# N batch, C channels, S crop_size

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch

from caffepy import log
from caffepy.data import opencv
from caffepy.data.image_file import decode
from caffepy.data.mean_file import read_mean
from caffepy.data.random import Mt19937
from caffepy.data.shard import Shard
from caffepy.data.source import MOVED, Batch, Source, State, warn_ignored
from caffepy.data.transformer import Floats, RandomStream, Transformer, TransformSpec
from caffepy.data.window_crop import CropSpec, bottom, crop
from caffepy.data.window_file import Window, WindowFile, read_windows
from caffepy.data.workers import Workers
from caffepy.errors import DataError
from caffepy.proto import caffe_pb2
from caffepy.proto.atomic import open_no_pipe


@dataclass(frozen=True)
class WindowSpec:
    """``window_data_param`` as plain values."""

    batch_size: int
    foreground: int
    cache_images: bool
    crop: CropSpec

    @classmethod
    def from_proto(cls, param: caffe_pb2.WindowDataParameter, crop_size: int) -> WindowSpec:
        """Read a caffe.WindowDataParameter; ``crop_size``: that of transform_param.

        DataError if they make no windows.
        """
        if crop_size == 0:
            raise DataError(
                "transform_param.crop_size is 0; WindowData needs the size to which windows"
                " are warped"
            )
        if param.batch_size == 0:
            raise DataError("window_data_param.batch_size is 0; needed: at least 1")
        if not 0 <= param.fg_fraction <= 1:
            raise DataError(
                f"window_data_param.fg_fraction is {param.fg_fraction:g}; needed: 0 to 1, the"
                " share of foreground windows"
            )
        if 2 * param.context_pad >= crop_size:
            raise DataError(
                f"context_pad {param.context_pad} leaves nothing of crop_size {crop_size};"
                " needed: less than half of it"
            )
        return cls(
            batch_size=int(param.batch_size),
            foreground=int(np.float32(param.batch_size) * np.float32(param.fg_fraction)),
            cache_images=param.cache_images,
            crop=CropSpec(crop_size, int(param.context_pad), param.crop_mode == "square"),
        )


class WindowDataSource(Source):
    """Batches (N, C, S, S) and labels (N,).

    Random background windows (label 0) come first, then random foreground windows.
    """

    def __init__(self, param: caffe_pb2.LayerParameter, phase: int, shard: Shard = Shard()) -> None:
        """``param``: a caffe.LayerParameter with window_data_param.

        DataError if the window file cannot be used.
        """
        super().__init__(shard)
        window = param.window_data_param
        transform = TransformSpec.from_proto(param.transform_param)
        warn_ignored(window, MOVED[1:], "window_data_layer.cpp:0")
        self.spec = WindowSpec.from_proto(window, transform.crop_size)
        self._mirror = transform.mirror
        # Caffe takes this one even where transform_param has a scale
        self._scale = np.float32(window.scale)
        if transform.scale != 1:
            log.warning(
                "window_data_layer.cpp:0",
                "transform_param.scale has no effect; window_data_param has one that works",
            )
        self._transformer = Transformer(
            TransformSpec(mirror=transform.mirror, crop_size=transform.crop_size), phase
        )
        self._file: WindowFile = read_windows(
            window.source,
            window.root_folder,
            foreground=window.fg_threshold,
            background=window.bg_threshold,
        )
        self._mean = self._mean_under_crop(transform)
        self._random = Mt19937(0)
        self._workers = Workers()
        self._cached: dict[str, bytes] = {}
        size = self.spec.crop.size
        self.shapes = (
            (self.spec.batch_size, self._file.channels, size, size),
            (self.spec.batch_size,),
        )
        if self.spec.cache_images:
            for path in self._file.images:
                self._bytes(path)
        log.info(
            "window_data_layer.cpp:192", f"output data size: {','.join(map(str, self.shapes[0]))}"
        )

    def _mean_under_crop(self, transform: TransformSpec) -> Floats | None:
        """What is subtracted from each pixel of the crop, (C, S, S) or (C or 1, 1, 1)."""
        if transform.mean_values:
            if len(transform.mean_values) not in (1, self._file.channels):
                raise DataError(
                    f"Specify either 1 mean_value or as many as channels: {self._file.channels}"
                )
            return np.array(transform.mean_values, np.float32)[:, None, None]
        if not transform.mean_file:
            return None
        mean = read_mean(transform.mean_file)
        size = self.spec.crop.size
        channels, height, width = mean.shape
        if channels != self._file.channels or height != width or height < size:
            raise DataError(
                f"mean_file '{transform.mean_file}' is {channels}x{height}x{width}; "
                f"needed: {self._file.channels} channels, square, at least crop_size {size}"
            )
        start = (width - size) // 2
        return mean[:, start : start + size, start : start + size]

    def seed(self, stream: RandomStream) -> None:
        """Draw Caffe's seeds in their order.

        These are the transformer's, the one that chooses windows, the transformer's again, and one
        for the reading thread.
        """
        self._transformer.seed(stream)
        self._random = Mt19937(int(stream.raw(1)[0]) + self.shard.rank)
        self._transformer.seed(stream)
        stream.raw(1)

    def _make(self) -> Batch:
        chosen = self._choose()
        out = self.pool.take(self.shapes[0])
        out[...] = 0
        labels = np.array([window.label for window, _ in chosen], np.float32)

        def work(i: int) -> None:
            self._fill(out[i], *chosen[i])

        self._workers.run(work, len(chosen), parallel=True)
        return torch.from_numpy(out), torch.from_numpy(labels)

    def _choose(self) -> list[tuple[Window, bool]]:
        """This batch's windows and whether each is mirrored, in Caffe's order of draws."""
        draws = iter(self._random.raw(self.spec.batch_size * (1 + self._mirror)).tolist())
        chosen = []
        for windows, count in (
            (self._file.background, self.spec.batch_size - self.spec.foreground),
            (self._file.foreground, self.spec.foreground),
        ):
            for _ in range(count):
                window = windows[next(draws) % len(windows)]
                chosen.append((window, self._mirror and bool(next(draws) % 2)))
        return chosen

    def _fill(self, out: Floats, window: Window, mirror: bool) -> None:
        """Warp one window into ``out`` (C, S, S), which is zero before."""
        path = self._file.images[window.image]
        image = decode(
            self._bytes(path),
            True,
            name=path,
            bottom=lambda shape: bottom(window.box, self.spec.crop, shape, mirror),
        )
        if image is None:
            raise opencv.unreadable(path)
        if image.shape[2] != out.shape[0]:
            raise DataError(
                f"'{path}' has {image.shape[2]} channels, the last image of the window file"
                f" {out.shape[0]}"
            )
        pixels, top, left = crop(image, window.box, self.spec.crop, mirror)
        area = out[:, top : top + pixels.shape[1], left : left + pixels.shape[2]]
        np.copyto(area, pixels)
        if self._mean is not None:
            mean: npt.NDArray[np.float32] = self._mean
            if mean.shape[1:] != (1, 1):
                mean = mean[:, top : top + pixels.shape[1], left : left + pixels.shape[2]]
            np.subtract(area, mean, out=area)
        if self._scale != 1:
            np.multiply(area, self._scale, out=area)

    def _bytes(self, path: str) -> bytes:
        content = self._cached.get(path)
        if content is None:
            try:
                with open_no_pipe(path) as file:
                    content = file.read()
            except OSError as error:
                raise opencv.unreadable(path) from error
            if self.spec.cache_images:
                self._cached[path] = content
        return content

    def state(self) -> State:
        return {"random": self._random.state()}

    def restore(self, state: State) -> None:
        self._random.restore(state["random"])

    def close(self) -> None:
        self._workers.close()
        self._cached = {}
