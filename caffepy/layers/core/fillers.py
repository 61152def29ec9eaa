"""How parameter blobs get their first values.

There is one function for each filler type, and `fill`, which picks it by name.

The values come from the process's random stream in Caffe's order, so a seeded net starts as it does
in Caffe. They are computed on the CPU in float32 whatever the tensor is, so every device starts
from the same.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch

from caffepy.errors import LayerError, nearest
from caffepy.float32 import Floats, round32
from caffepy.layers.core.base import Shape, count
from caffepy.proto.atomic import from_here, open_file
from caffepy.registry import Registry

if TYPE_CHECKING:
    from caffepy.layers.core.random import CaffeRandom
    from caffepy.proto import caffe_pb2

FAN_IN, FAN_OUT, AVERAGE = 0, 1, 2


class Fans(NamedTuple):
    """How many inputs one output sums over, and how many outputs one input reaches.

    Both as Caffe counts them.
    """

    fan_in: int
    fan_out: int

    @classmethod
    def of(cls, shape: Shape) -> Fans:
        """From the blob's shape: all axes but the first, all axes but the second.

        Group and transposition do not count.
        """
        return cls(count(shape, 1), count(shape) // (shape[1] if len(shape) > 1 else 1))

    def scale(self, variance_norm: int) -> np.float32:
        """The n of the xavier and msra rules."""
        if variance_norm == AVERAGE:
            return np.float32(self.fan_in + self.fan_out) / np.float32(2)
        return np.float32(self.fan_out if variance_norm == FAN_OUT else self.fan_in)


Filler = Callable[[Floats, "caffe_pb2.FillerParameter", "CaffeRandom", Fans], None]
FILLERS: Registry[Filler] = Registry("filler")


def register_filler(type_name: str) -> Callable[[Filler], Filler]:
    """Decorator of a function that fills a C-contiguous float32 array in place.

    It gets the array, the filler's message, the random stream and the fans.
    """
    return FILLERS.named(type_name)


def filler_function(type_name: str) -> Filler:
    """The function for a FillerParameter's ``type``.

    LayerError naming the known types if there is none.
    """
    try:
        return FILLERS[type_name]
    except KeyError:
        known = ", ".join(sorted(FILLERS))
        raise LayerError(
            f"Unknown filler name: {type_name} (known fillers:"
            f" {known}){nearest(type_name, FILLERS)}"
        ) from None


def fill(tensor: torch.Tensor, filler: caffe_pb2.FillerParameter, random: CaffeRandom) -> None:
    """Fill ``tensor`` as ``filler`` says; it may have any shape, dtype, layout and device.

    A contiguous float32 tensor on the CPU is written in place; any other is copied to once.
    LayerError: unknown type, fields or shape that the filler cannot work with.
    """
    function = filler_function(filler.type)
    if not tensor.numel():
        raise _refusal(
            filler, f"the blob {tuple(tensor.shape)} has no elements; needed: at least 1"
        )
    if filler.sparse != -1 and filler.type != "gaussian":
        raise _refusal(
            filler, f"sparse is {filler.sparse}; needed: no sparse, only the gaussian filler has it"
        )
    values = tensor.detach()
    direct = (
        values.device.type == "cpu" and values.dtype == torch.float32 and values.is_contiguous()
    )
    array = values.numpy() if direct else np.empty(tuple(values.shape), np.float32)
    function(array, filler, random, Fans.of(tuple(values.shape)))
    if not direct:
        values.copy_(torch.from_numpy(array))


def _refusal(filler: caffe_pb2.FillerParameter, message: str) -> LayerError:
    return LayerError(f"{filler.type} filler: {message}")


@register_filler("constant")
def constant(
    array: Floats, filler: caffe_pb2.FillerParameter, random: CaffeRandom, fans: Fans
) -> None:
    """All ``value``."""
    array.fill(filler.value)


@register_filler("uniform")
def uniform(
    array: Floats, filler: caffe_pb2.FillerParameter, random: CaffeRandom, fans: Fans
) -> None:
    """Uniform from ``min`` to ``max``."""
    if not filler.min <= filler.max:
        raise _refusal(
            filler, f"min is {filler.min:g} and max is {filler.max:g}; needed: min <= max"
        )
    try:
        random.uniform(array.size, filler.min, filler.max, out=array.reshape(-1))
    except ValueError:
        raise _refusal(
            filler, f"min is {filler.min:g} and max is {filler.max:g}; needed: finite values"
        ) from None


@register_filler("gaussian")
def gaussian(
    array: Floats, filler: caffe_pb2.FillerParameter, random: CaffeRandom, fans: Fans
) -> None:
    """Normal with ``mean`` and ``std``.

    With ``sparse`` each value stays with probability sparse / shape(0), else is 0.
    """
    if not filler.std > 0:
        raise _refusal(filler, f"std is {filler.std:g}; needed: more than 0")
    outputs = _first_axis(array, filler) if filler.sparse != -1 else 0
    if not -1 <= filler.sparse <= outputs:
        raise _refusal(
            filler,
            f"sparse is {filler.sparse}; needed: 0 to {outputs}, the blob's first dimension,"
            " or -1 for none",
        )
    random.gaussian(array.size, filler.mean, filler.std, out=array.reshape(-1))
    if filler.sparse >= 0:
        kept = random.bernoulli(
            array.size, round32(np.float32(filler.sparse) / np.float32(outputs))
        )
        array *= kept.reshape(array.shape)


@register_filler("positive_unitball")
def positive_unitball(
    array: Floats, filler: caffe_pb2.FillerParameter, random: CaffeRandom, fans: Fans
) -> None:
    """Uniform from 0 to 1, then each item of the first axis divided by its sum."""
    random.uniform(array.size, 0, 1, out=array.reshape(-1))
    rows = array.reshape(_first_axis(array, filler), -1)
    # accumulate adds one by one, as Caffe does; sum() adds in pairs and gives other last bits
    rows /= np.add.accumulate(rows, axis=1)[:, -1:]


@register_filler("xavier")
def xavier(
    array: Floats, filler: caffe_pb2.FillerParameter, random: CaffeRandom, fans: Fans
) -> None:
    """Uniform within +-sqrt(3 / n), n by ``variance_norm``.

    Source: Glorot and Bengio, AISTATS 2010.
    """
    _first_axis(array, filler)
    bound = float(np.sqrt(np.float32(3) / fans.scale(filler.variance_norm)))
    random.uniform(array.size, -bound, bound, out=array.reshape(-1))


@register_filler("msra")
def msra(array: Floats, filler: caffe_pb2.FillerParameter, random: CaffeRandom, fans: Fans) -> None:
    """Normal with mean 0 and std sqrt(2 / n), n by ``variance_norm``.

    Source: He et al., ICCV 2015.
    """
    _first_axis(array, filler)
    random.gaussian(
        array.size,
        0,
        float(np.sqrt(np.float32(2) / fans.scale(filler.variance_norm))),
        out=array.reshape(-1),
    )


@register_filler("bilinear")
def bilinear(
    array: Floats, filler: caffe_pb2.FillerParameter, random: CaffeRandom, fans: Fans
) -> None:
    """Every plane (N, C, K, K) the kernel of bilinear upsampling.

    For a Deconvolution with fixed weights.
    """
    if array.ndim != 4:
        raise _refusal(
            filler,
            f"the blob {array.shape} has {array.ndim} axes; needed: 4 axes (Blob must be 4 dim.)",
        )
    height, width = array.shape[2:]
    if height != width:
        raise _refusal(filler, f"the blob's planes are {height} by {width}; needed: square ones")
    factor = np.float32(math.ceil(width / 2))
    center = np.float32((width - 1) / (2 * float(factor)))
    line = np.float32(1) - np.abs(np.arange(width, dtype=np.float32) / factor - center)
    array[...] = line[:, None] * line


@register_filler("file")
def file(array: Floats, filler: caffe_pb2.FillerParameter, random: CaffeRandom, fans: Fans) -> None:
    """The first numbers of a text ``file``, between blanks and ends of lines.

    Source: daerduoCarey/SpatialTransformerLayer.
    """
    if not filler.file:
        raise _refusal(filler, "there is no file; needed: file, the name of a text with the values")
    try:
        with open_file(filler.file) as stream:
            words = stream.read().decode(errors="replace").split(maxsplit=array.size)[: array.size]
        values = np.array([float(word) for word in words], np.float32)
    except OSError as error:
        raise _refusal(
            filler, f"{filler.file}: cannot read it: {error.strerror}{from_here(filler.file)}"
        ) from None
    except ValueError as error:
        raise _refusal(filler, f"{filler.file}: {error}; needed: numbers") from None
    if len(values) < array.size:
        raise _refusal(
            filler,
            f"{filler.file} has {len(values)} numbers; needed: {array.size},"
            f" the values of the blob {array.shape}",
        )
    array[...] = values.reshape(array.shape)


def _first_axis(array: Floats, filler: caffe_pb2.FillerParameter) -> int:
    """Size of axis 0, which a 0-axis blob lacks."""
    if not array.ndim:
        raise _refusal(filler, "the blob has 0 axes; needed: at least 1")
    return int(array.shape[0])
