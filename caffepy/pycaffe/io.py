"""caffe.io: images as arrays, preprocessing for a net's input, and arrays as messages."""

# N items, C channels, H height, W width

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt
from google.protobuf.message import DecodeError

from caffepy.data.image_file import decode, decode_datum
from caffepy.data.opencv import why_unreadable
from caffepy.proto import caffe_pb2
from caffepy.pycaffe import resample
from caffepy.pycaffe.arguments import INT32, factor, file_name, floats, ordering, plane, whole
from caffepy.pycaffe.errors import UnknownName, UnreadableFile, WrongType, WrongValue

Array = npt.NDArray[Any]
Floats = npt.NDArray[np.float32]
Dims = Sequence[int] | npt.NDArray[np.integer]
"""Height and width."""

GRAY = (0.2125, 0.7154, 0.0721)
"""Weights of red, green and blue in a gray value."""


BORROWED = {"skimage": "skimage.io", "resize": "skimage.transform", "zoom": "scipy.ndimage"}
"""What scripts take from here because Caffe's own module imports it, and the modules that have it.
"""


def __getattr__(name: str) -> Any:
    if name not in BORROWED:
        raise AttributeError(f"caffe.io has no {name}")
    try:
        module = import_module(BORROWED[name])
    except ImportError as error:
        raise AttributeError(
            f"caffe.io.{name} is that of {BORROWED[name]}, which cannot be imported: {error}"
        ) from error
    return sys.modules["skimage"] if name == "skimage" else getattr(module, name)


def blobproto_to_array(
    blob: caffe_pb2.BlobProto, return_diff: bool = False
) -> npt.NDArray[np.float64]:
    """The values (or the diff) of a BlobProto in its shape, old 4-axis form or new.

    WrongValue where their number does not fit.
    """
    stored = (blob.diff or blob.double_diff) if return_diff else (blob.data or blob.double_data)
    values = np.array(stored, np.float64)
    legacy = any(blob.HasField(name) for name in ("num", "channels", "height", "width"))
    shape = (blob.num, blob.channels, blob.height, blob.width) if legacy else tuple(blob.shape.dim)
    try:
        return values.reshape(shape)
    except ValueError:
        raise WrongValue(
            f"a BlobProto of shape {shape} holds {values.size} values; needed:"
            f" {int(np.prod(shape))}"
        ) from None


def array_to_blobproto(arr: Array, diff: Array | None = None) -> caffe_pb2.BlobProto:
    """A BlobProto with the values (and diff) of an array of any shape."""
    blob = caffe_pb2.BlobProto()
    blob.data.extend(np.asarray(arr, float).ravel())
    blob.shape.dim.extend(np.shape(arr))
    if diff is not None:
        blob.diff.extend(np.asarray(diff, float).ravel())
    return blob


def arraylist_to_blobprotovector_str(arraylist: Sequence[Array]) -> bytes:
    """Arrays as one serialized BlobProtoVector."""
    vector = caffe_pb2.BlobProtoVector()
    vector.blobs.extend(array_to_blobproto(arr) for arr in arraylist)
    return vector.SerializeToString()


arraylist_to_blobprotovecor_str = arraylist_to_blobprotovector_str
"""The name as Caffe spells it."""


def blobprotovector_str_to_arraylist(data: bytes) -> list[npt.NDArray[np.float64]]:
    """The arrays of a serialized BlobProtoVector.  WrongValue where it is none."""
    try:
        vector = caffe_pb2.BlobProtoVector.FromString(data)
    except (DecodeError, TypeError) as error:
        raise WrongValue(f"not the bytes of a BlobProtoVector: {error}") from None
    return [blobproto_to_array(blob) for blob in vector.blobs]


def array_to_datum(arr: Array, label: int | None = None) -> caffe_pb2.Datum:
    """A Datum of an array (C, H, W): bytes if it is uint8, else floats."""
    if np.ndim(arr) != 3:
        raise WrongValue(
            f"Incorrect array shape: {np.shape(arr)}; needed: (channels, height, width)"
        )
    arr = np.asarray(arr)
    datum = caffe_pb2.Datum()
    datum.channels, datum.height, datum.width = arr.shape
    if arr.dtype == np.uint8:
        datum.data = arr.tobytes()
    else:
        datum.float_data.extend(floats("array_to_datum: the array", arr).ravel())
    if label is not None:
        datum.label = whole("array_to_datum: label", label, INT32)
    return datum


def datum_to_array(datum: caffe_pb2.Datum) -> Array:
    """The values of a Datum, (C, H, W): uint8 if it holds bytes, else float64.

    Bytes of an image file are decoded.
    """
    if datum.encoded:
        return decode_datum(datum.data, force_color=False, force_gray=False)
    values: Array = (
        np.frombuffer(datum.data, np.uint8).copy()
        if datum.data
        else np.array(datum.float_data, float)
    )
    shape = (datum.channels, datum.height, datum.width)
    if values.size != int(np.prod(shape)):
        raise WrongValue(
            f"a Datum of {datum.channels}x{datum.height}x{datum.width} holds {values.size}"
            " values; needed: as many as that"
        )
    return values.reshape(shape)


def load_image(filename: str | os.PathLike[str] | BinaryIO, color: bool = True) -> Floats:
    """An image file as an array with values from 0 to 1.

    (H, W, 3) in the order red, green, blue; without ``color`` gray, (H, W, 1).
    ``filename``: the file's name, or the file opened as ``rb``.

    Errors: UnreadableFile, which is also an OSError.
    """
    content, name = _content(filename)
    pixels = None if content is None else decode(content, None, name=name)
    if pixels is None:
        why = (
            why_unreadable(name)
            if isinstance(filename, (str, os.PathLike))
            else "it is no image that OpenCV knows"
        )
        raise UnreadableFile(f"cannot read image '{name}': {why}")
    values: Floats = np.asarray(pixels, np.float32)
    if np.issubdtype(pixels.dtype, np.integer):
        values = values / np.float32(np.iinfo(pixels.dtype).max)
    if values.ndim == 2:
        return np.repeat(values[:, :, np.newaxis], 3 if color else 1, axis=2)
    rgb: Floats = np.ascontiguousarray(values[:, :, 2::-1])
    return rgb if color else (rgb @ np.array(GRAY, np.float32))[:, :, np.newaxis]


def _content(file: object) -> tuple[bytes | None, str]:
    """The bytes of a file, None where there is none, and its name."""
    if isinstance(file, (str, os.PathLike)) or not hasattr(file, "read"):
        name = file_name(file)
        return (Path(name).read_bytes() if os.path.isfile(name) else None), name
    content = file.read()
    name = str(getattr(file, "name", file))
    if not isinstance(content, (bytes, bytearray)):
        raise WrongType(
            f"'{name}' gives {type(content).__name__}; needed: a file of bytes, opened as 'rb'"
        )
    return bytes(content), name


def resize_image(
    im: Array, new_dims: Dims, interp_order: int = 1, *, anti_aliasing: bool = False
) -> Floats:
    """An image (H, W, C) resized to ``new_dims`` (height, width), float32.

    ``interp_order``: order of the splines between pixels, 1 for linear interpolation.

    ``anti_aliasing``: smooth images of 1 or 3 channels before they get smaller, as Caffe's module
    does beside a scikit-image of 2019 or later. Those that Caffe's models and their published
    scores were made with did not.
    """
    size = plane("resize_image: new_dims", new_dims)
    im = im if isinstance(im, np.ndarray) else floats("resize_image: the image", im)
    if im.ndim != 3 or 0 in im.shape or min(size) < 1:
        raise WrongValue(
            f"resize_image of {im.shape} to {size}; needed: (height, width, channels) to"
            " (height, width)"
        )
    if im.shape[-1] not in (1, 3):
        return resample.zoom(im, size, interp_order).astype(np.float32)
    low = np.float32(im.min())
    high = np.float32(im.max())
    if not high > low:
        return np.full((*size, im.shape[-1]), low, np.float32)
    standard = (im - low) / (high - low)  # outside the image is black, whatever the range
    resized = resample.resize(standard, size, interp_order, smooth=anti_aliasing)
    return (np.clip(resized, 0, 1) * (high - low) + low).astype(np.float32)


def flip_image(im: Array, scale: float = 128, is_flow: bool = False) -> Array:
    """An image (H, W, C) mirrored.

    ``is_flow``: the first channel is a movement to the right; it becomes ``scale`` minus itself.

    As in Intel's Caffe, for the videos of LRCN.
    """
    if np.ndim(im) != 3:
        raise WrongValue(f"flip_image of {np.shape(im)}; needed: (height, width, channels)")
    flipped: Array = np.asarray(im)[:, ::-1].copy()
    if is_flow:
        flipped[:, :, 0] = scale - flipped[:, :, 0]
    return flipped


def oversample(images: Sequence[Array], crop_dims: Dims) -> Floats:
    """Ten crops of each of N images (H, W, C), as (10 * N, height, width, C).

    They are the four corners and the centre, then the same mirrored.
    """
    h, w = plane("oversample: crop_dims", crop_dims)
    shapes = [np.shape(image) for image in images]
    if len(set(shapes)) != 1 or len(shapes[0]) != 3:
        raise WrongValue(
            f"oversample of images of shapes {shapes}; needed: at least one, and all of one"
            " (height, width, channels)"
        )
    height, width, channels = shapes[0]
    if h > height or w > width:
        raise WrongValue(
            f"crops of {h}x{w} from images of {height}x{width}; needed: crops no larger"
            " than the image"
        )
    bottom = height - h
    right = width - w
    centre = (int(height / 2 - h / 2), int(width / 2 - w / 2))
    places = [(0, 0), (0, right), (bottom, 0), (bottom, right), centre]
    crops = np.empty((10 * len(images), h, w, channels), np.float32)
    for i, image in enumerate(images):
        for k, (top, left) in enumerate(places):
            crops[10 * i + k] = image[top : top + h, left : left + w]
        crops[10 * i + 5 : 10 * i + 10] = crops[10 * i : 10 * i + 5, :, ::-1]
    return crops


class Transformer:
    """Turns images as `load_image` gives them into what a net's inputs take, and back.

    ``Transformer({"data": net.blobs["data"].data.shape})``, then the ``set_`` methods. The order
    is: resize, transpose, swap channels, scale raw values, subtract the mean, scale. Errors:
    UnknownName, WrongValue.
    """

    def __init__(self, inputs: Mapping[str, Sequence[int]]) -> None:
        if not isinstance(inputs, Mapping) or not all(
            np.ndim(shape) == 1 for shape in inputs.values()
        ):
            raise WrongType(
                f"Transformer({inputs!r}); needed: name and shape of inputs, {{'data':"
                f" net.blobs['data'].data.shape}}"
            )
        self.inputs = {name: tuple(shape) for name, shape in inputs.items()}
        self.transpose: dict[str, Sequence[int]] = {}
        self.channel_swap: dict[str, Sequence[int]] = {}
        self.raw_scale: dict[str, float] = {}
        self.mean: dict[str, Array] = {}
        self.input_scale: dict[str, float] = {}
        self.is_flow: dict[str, bool] = {}

    def _shape(self, in_: str) -> tuple[int, ...]:
        if in_ not in self.inputs:
            raise UnknownName(f"{in_} is not one of the net inputs: {', '.join(self.inputs)}")
        return self.inputs[in_]

    def preprocess(self, in_: str, data: Array) -> Floats:
        """An image (H, W, C) as one item of input ``in_``."""
        size = self._shape(in_)[2:]
        value: Floats = floats(f"the image for '{in_}'", data).copy()
        if size and value.shape[:2] != size:
            value = resize_image(value, size)
        if in_ in self.transpose:
            value = value.transpose(self.transpose[in_])
        if in_ in self.channel_swap:
            value = value[list(self.channel_swap[in_])]
        if in_ in self.raw_scale:
            value = value * np.float32(self.raw_scale[in_])
        if in_ in self.mean:
            value = (value - self.mean[in_]).astype(np.float32, copy=False)
        if in_ in self.input_scale:
            value = value * np.float32(self.input_scale[in_])
        return value

    def deprocess(self, in_: str, data: Array) -> Array:
        """The image of an item of input ``in_``, with or without the batch axis.

        This undoes `preprocess`, but not its resizing.
        """
        self._shape(in_)
        value: Array = np.array(data)
        kept = value.dtype if value.dtype.kind == "f" else np.float64
        ordered = in_ in self.transpose or in_ in self.channel_swap
        if not ordered:
            value = value.squeeze()
        elif value.ndim == 4 and len(value) == 1:
            value = value[0]
        if in_ in self.input_scale:
            value = (value / self.input_scale[in_]).astype(kept)
        if in_ in self.mean:
            value = (value + self.mean[in_]).astype(kept)
        if in_ in self.raw_scale:
            value = (value / self.raw_scale[in_]).astype(kept)
        if in_ in self.channel_swap:
            value = value[np.argsort(self.channel_swap[in_])]
        if in_ in self.transpose:
            value = value.transpose(np.argsort(self.transpose[in_]))
        return value

    def set_transpose(self, in_: str, order: Sequence[int]) -> None:
        """Order of the axes of an item, (2, 0, 1) for images (H, W, C)."""
        self.transpose[in_] = ordering(
            "Transpose order", order, len(self._shape(in_)) - 1, "input", once=True
        )

    def set_channel_swap(self, in_: str, order: Sequence[int]) -> None:
        """Order of the channels, (2, 1, 0) for a net that was trained on blue, green, red.

        After transposing.
        """
        self.channel_swap[in_] = ordering(
            "Channel swap", order, self._shape(in_)[1], "input channels", once=False
        )

    def set_raw_scale(self, in_: str, scale: float) -> None:
        """Factor of the values before the mean is subtracted.

        255 for a net that was trained on values from 0 to 255.
        """
        self._shape(in_)
        self.raw_scale[in_] = factor("Raw scale", scale)

    def set_mean(self, in_: str, mean: npt.ArrayLike) -> None:
        """What is subtracted: a number for each channel (C,), or an image (C, H, W).

        An image of another size than the input's is resized.
        """
        shape = self._shape(in_)
        floats("Mean", mean)
        mean = np.asarray(mean)
        if mean.ndim == 1:
            if len(mean) != shape[1]:
                raise WrongValue(
                    f"Mean channels incompatible with input: {len(mean)} numbers; needed:"
                    f" {shape[1]}"
                )
            self.mean[in_] = mean[:, np.newaxis, np.newaxis]
            return
        image = mean[np.newaxis] if mean.ndim == 2 else mean
        if image.ndim != 3 or len(image) not in (1, shape[1]):
            raise WrongValue(
                f"Mean shape invalid: {mean.shape}; needed: ({shape[1]},) or ({shape[1]},"
                " height, width)"
            )
        if image.shape[1:] != shape[2:]:
            low = image.min()
            high = image.max()
            spread = high - low if high > low else 1
            standard = ((image - low) / spread).transpose(1, 2, 0)
            image = resize_image(standard, shape[2:]).transpose(2, 0, 1) * spread + low
        self.mean[in_] = image

    def set_input_scale(self, in_: str, scale: float) -> None:
        """Factor of the values after the mean is subtracted."""
        self._shape(in_)
        self.input_scale[in_] = factor("Input scale", scale)

    def set_is_flow(self, in_: str, is_flow: bool) -> None:
        """Note that images are of an optical flow, for who asks ``is_flow``.

        Nothing else depends on it, as in Intel's Caffe.
        """
        self._shape(in_)
        self.is_flow[in_] = bool(is_flow)
