"""``transform_param``: crop, mirror, mean and scale.

The order of random draws and the float32 arithmetic are Caffe's.
"""

# N images, C channels, H W image, h w output (crop_size or the image's own size)

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from caffepy import log
from caffepy.data.cut_windows import cut_window, cut_windows
from caffepy.data.mean_file import MeanImage, read_mean
from caffepy.data.random import Mt19937
from caffepy.data.random_resize import RESIZE_FIELDS, RandomResize
from caffepy.data.scratch import Scratch
from caffepy.data.size_text import size_text
from caffepy.errors import DataError
from caffepy.proto import caffe_pb2

Floats: TypeAlias = npt.NDArray[np.float32]
Values: TypeAlias = npt.NDArray[np.uint8] | npt.NDArray[np.float32]
Draws: TypeAlias = npt.NDArray[np.uint32]

TRAIN = 0
FIELDS = ("scale", "mirror", "crop_size", "mean_file", "mean_value", "force_color", "force_gray")
SSD_FIELDS = (
    "resize_param",
    "noise_param",
    "emit_constraint",
    "crop_h",
    "crop_w",
    "distort_param",
    "expand_param",
)
"""Fields that SSD added, for its AnnotatedData."""
IMAGE_FIELDS = (*RESIZE_FIELDS, "crop_h", "crop_w", "resize_param")
"""Fields of NVIDIA and SSD that have an effect on images without boxes."""


class RandomStream(Protocol):
    """The net's random stream, as data sources use it."""

    def raw(self, n: int, /) -> Draws:
        """The next ``n`` draws, (n,) uint32."""
        ...


@dataclass(frozen=True)
class TransformSpec:
    """``transform_param`` as plain values."""

    scale: float = 1.0
    mirror: bool = False
    crop_size: int = 0
    mean_file: str = ""
    mean_values: tuple[float, ...] = ()
    force_color: bool = False
    force_gray: bool = False
    crop_h: int = 0
    crop_w: int = 0
    resize: RandomResize | None = None

    @property
    def crop(self) -> tuple[int, int]:
        """Height and width of the crop; (0, 0): no crop."""
        if self.crop_size or not self.crop_h or not self.crop_w:
            return self.crop_size, self.crop_size
        return self.crop_h, self.crop_w

    @classmethod
    def from_proto(
        cls, param: caffe_pb2.TransformationParameter, *, more: Collection[str] = ()
    ) -> TransformSpec:
        """Read a caffe.TransformationParameter.

        ``more``: fields of other Caffes that have an effect. DataError for fields that exclude each
        other.
        """
        if param.mean_file and len(param.mean_value):
            raise DataError(
                "transform_param: Cannot specify mean_file and mean_value at the same time"
            )
        if param.force_color and param.force_gray:
            raise DataError("transform_param: cannot set both force_color and force_gray to true")
        if "crop_h" in more and not param.crop_size and bool(param.crop_h) != bool(param.crop_w):
            raise DataError(
                f"transform_param: crop_h is {param.crop_h}, crop_w {param.crop_w}; needed:"
                " both, or neither"
            )
        for field, _ in param.ListFields():
            if field.name not in FIELDS and field.name not in more:
                log.warning(
                    "data_transformer.cpp:12",
                    f"transform_param.{field.name} is a field of another Caffe; it has no effect",
                )
        return cls(
            scale=param.scale,
            mirror=param.mirror,
            crop_size=param.crop_size,
            mean_file=param.mean_file,
            mean_values=tuple(param.mean_value),
            force_color=param.force_color,
            force_gray=param.force_gray,
            crop_h=param.crop_h if "crop_h" in more else 0,
            crop_w=param.crop_w if "crop_w" in more else 0,
            resize=RandomResize.from_proto(param) if RESIZE_FIELDS[0] in more else None,
        )


def rows_of(draws: Draws | None, n: int) -> Sequence[Sequence[int] | None]:
    """The draws for each of ``n`` images; None for each if nothing is random."""
    return [None] * n if draws is None else draws.tolist()


class Transformer:
    """Makes float images (C, h, w) of one phase: ``(value - mean) * scale`` in float32.

    Crop and mirror are drawn. In TRAIN the crop is random, in TEST it is the middle; mirroring is
    random in both phases, as in Caffe. If images are resized at random, the middle of the mean
    image is subtracted, whatever the crop, as in NVCaffe.
    """

    def __init__(self, spec: TransformSpec, phase: int) -> None:
        """Reads ``mean_file``; DataError if it cannot."""
        self.spec = spec
        self.random_crop = phase == TRAIN and any(spec.crop)
        self.random: Mt19937 | None = None
        self._mean = MeanImage(_mean_for(spec)) if spec.mean_file else None
        self._mean_values = np.array(spec.mean_values, np.float32)[:, None, None]
        self._scale = np.float32(spec.scale)
        self._scratch = Scratch()

    @property
    def draws_each(self) -> int:
        """How many random draws an image takes."""
        return (
            int(self.spec.mirror)
            + (self.spec.resize.draws if self.spec.resize else 0)
            + 2 * self.random_crop
        )

    @property
    def needs_random(self) -> bool:
        """Whether images depend on random draws."""
        return self.draws_each > 0

    def seed(self, stream: RandomStream, rank: int = 0) -> None:
        """Start a random stream with a draw from the net's, if anything is random.

        Each rank has another one. Source: ``InitRand``.
        """
        if self.needs_random:
            self.random = Mt19937(int(stream.raw(1)[0]) + rank)

    def draws(self, n: int) -> Draws | None:
        """The draws for ``n`` images, (n, 1 to 8): mirror, sizes, top, left.

        Only those that are random are drawn; None if nothing is.
        """
        if not self.needs_random:
            return None
        if self.random is None:
            self.random = Mt19937(0)  # a source without a net has no seed
        return self.random.raw(n * self.draws_each).reshape(n, self.draws_each)

    def output_shape(self, shape: tuple[int, ...]) -> tuple[int, int, int]:
        """(C, h, w) for an image of (C, H, W).

        DataError if it does not fit the crop, the mean image or the mean values.
        """
        channels, height, width = shape
        size = f"{channels}x{height}x{width}"
        crop_height, crop_width = self.spec.crop
        if self.spec.resize and self.spec.resize.allow_upscale:
            height, width = max(height, crop_height), max(width, crop_width)
        if height < crop_height or width < crop_width:
            hint = (
                "; a height x width x channels array?"
                if width in (1, 3, 4) and channels > 4
                else ""
            )
            crop = f"{crop_height}" if crop_height == crop_width else f"{crop_height}x{crop_width}"
            raise DataError(
                f"crop_size {crop} is larger than the image, {size} (channels x height x"
                f" width{hint})"
            )
        if self._mean is not None and self._mean.shape != (
            (channels, *self.spec.crop) if self.spec.resize else tuple(shape)
        ):
            found = size_text(self._mean.shape)
            raise DataError(
                f"the image is {size}, mean_file '{self.spec.mean_file}' is {found}; needed:"
                " the same size (before the crop)"
            )
        if not self.takes_means(channels):
            raise DataError(
                f"Specify either 1 mean_value or as many as channels: {channels}"
                f" ({len(self.spec.mean_values)} given, the image is {size})"
            )
        return (channels, crop_height or height, crop_width or width)

    def takes_means(self, channels: int) -> bool:
        """Whether the number of mean_values fits images of so many channels."""
        return len(self.spec.mean_values) in (0, 1, channels)

    def apply(self, image: Values, out: Floats, draws: Sequence[int] | None) -> None:
        """Transform one image (C, H, W) into ``out`` (C, h, w).

        ``draws``: its row of `draws`.
        """
        if self.spec.resize is not None:
            first = int(self.spec.mirror)
            image = self.spec.resize.apply(
                image, [] if draws is None else draws[first : first + self.spec.resize.draws]
            )
        mirror, top, left = self.place(image.shape, out.shape, draws)
        window = (top, left, *out.shape[1:])
        pixels = cut_window(image, window, mirror, self._scratch)
        if self.spec.resize is not None:
            window = (0, 0, *out.shape[1:])
        if self._mean is None:
            np.copyto(out, pixels)
        else:
            self._mean.subtract_from(pixels, out, window, mirror)
        self._finish(out)

    def apply_stack(self, stack: npt.NDArray[np.uint8], out: Floats, draws: Draws | None) -> None:
        """Transform small images of one size (N, C, H, W) into ``out`` (N, C, h, w) at once."""
        size = out.shape[2:]
        _, top, left = self.place(stack.shape[1:], out.shape[1:], None)
        if draws is None:
            window = (top, left, *size)
            np.copyto(out, stack[:, :, top : top + size[0], left : left + size[1]])
            if self._mean is not None:
                np.subtract(out, self._mean.window(window, False), out=out)
        else:
            decided = draws.astype(np.int64)
            tops, lefts = np.full(len(out), top), np.full(len(out), left)
            if self.random_crop:
                tops = decided[:, -2] % (stack.shape[2] - size[0] + 1)
                lefts = decided[:, -1] % (stack.shape[3] - size[1] + 1)
            turned = decided[:, 0] & 1 if self.spec.mirror else np.zeros_like(tops)
            pixels = cut_windows(stack, tops, lefts, turned, size, self._scratch)
            if self._mean is None:
                np.copyto(out, pixels)
            else:
                self._mean.subtract_from_all(pixels, out, tops, lefts, turned)
        self._finish(out)

    def _finish(self, out: Floats) -> None:
        if self.spec.mean_values:
            np.subtract(out, self._mean_values, out=out)
        if self.spec.scale != 1:
            np.multiply(out, self._scale, out=out)

    def place(
        self, shape: tuple[int, ...], out: tuple[int, ...], draws: Sequence[int] | None
    ) -> tuple[bool, int, int]:
        """Whether to mirror, and where the output is in the image (top, left)."""
        top, left = (shape[1] - out[1]) // 2, (shape[2] - out[2]) // 2
        if draws is None:
            return False, top, left
        if self.random_crop:
            top, left = draws[-2] % (shape[1] - out[1] + 1), draws[-1] % (shape[2] - out[2] + 1)
        return self.spec.mirror and bool(draws[0] & 1), top, left

    def bottom(self, shape: tuple[int, int, int], draws: Sequence[int] | None) -> int:
        """The first row of an image (C, H, W) below what `apply` takes of it.

        It is the image's height where images are not cropped, or resized at random. DataError if
        it takes none.
        """
        if self.spec.resize is not None:
            return shape[1]
        out = self.output_shape(shape)
        return self.place(shape, out, draws)[1] + out[1]

    def state(self) -> dict[str, Any] | None:
        """The state of the random stream, JSON-able; None if there is none."""
        return None if self.random is None else self.random.state()

    def restore(self, state: dict[str, Any] | None) -> None:
        """Continue with the random stream of `state`."""
        if state is not None:
            self.random = self.random or Mt19937(0)
            self.random.restore(state)


def _mean_for(spec: TransformSpec) -> Floats:
    """The mean image, or its middle (C, h, w) if images are resized."""
    mean = read_mean(spec.mean_file)
    if spec.resize is None:
        return mean
    top, left = ((side - crop) // 2 for side, crop in zip(mean.shape[1:], spec.crop))
    if min(top, left) < 0:
        found = size_text(mean.shape)
        raise DataError(
            f"mean_file '{spec.mean_file}' is {found}; needed: at least crop_size,"
            f" {spec.crop_size}, high and wide"
        )
    return np.ascontiguousarray(mean[:, top : top + spec.crop[0], left : left + spec.crop[1]])
