"""What a net is shown: a picture from a file, or a record of its own data."""

# B batch, C channels (blue, green, red), H W

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from caffepy.data.mean_file import read_mean
from caffepy.data.opencv import decode, resize
from caffepy.data.transformer import TransformSpec
from caffepy.engine.predictions import Part
from caffepy.errors import DataError, NetError, UsageError
from caffepy.net.graph import Graph, Node
from caffepy.proto.atomic import open_file

Floats = npt.NDArray[np.float32]
SEEN = (1, 3)


@dataclass(frozen=True)
class Feed:
    """``title``: what it is; ``picture``: (C, H, W) as the net gets it; ``values``: by input of the part; ``notes``: what was assumed."""

    title: str
    picture: Floats | None
    values: dict[int, Tensor]
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Preparation:
    """How pixels become a net's input: ``mean``, one value or one for each channel, is subtracted, then ``scale`` multiplies."""

    mean: Sequence[float] = ()
    scale: float | None = None


def parse_mean(text: str) -> Sequence[float]:
    """``104,117,123``, or a file of ``compute_image_mean``, of whose channels the means are taken."""
    try:
        return [float(part) for part in text.split(",")] if text else ()
    except ValueError:
        means: list[float] = read_mean(text).mean(axis=(1, 2), dtype=np.float64).tolist()
        return means


def image_feed(graph: Graph, part: Part, path: str, given: Preparation) -> Feed:
    """A picture file for the net's only input.  NetError where it has another input, DataError where the file is no picture."""
    value = picture_input(part)
    _, channels, height, width = part.shape(value)
    preparation, notes = completed(graph, value, given)
    if len(preparation.mean) not in (0, 1, channels):
        raise UsageError(f"-mean has {len(preparation.mean)} values; needed: one, or {channels}, as the net's input has channels")
    pixels = read_pixels(path, channels, height, width)
    mean = np.asarray(preparation.mean or [0.0], np.float32)[:, None, None]
    prepared = np.ascontiguousarray((pixels - mean) * np.float32(1.0 if preparation.scale is None else preparation.scale), np.float32)
    return Feed(path, pixels, {value: torch.from_numpy(prepared)[None]}, notes)


def picture_input(part: Part) -> int:
    """The input that takes pictures."""
    if len(part.inputs) == 1 and len(shape := part.shape(part.inputs[0])) == 4 and shape[1] in SEEN:
        return part.inputs[0]
    found = ", ".join(f"'{part.name(value)}' of shape {part.shape(value)}" for value in part.inputs)
    raise NetError(f"-image: the net has the inputs {found}; needed: one, of N x C x H x W with 1 or 3 channels (-record N shows its data)")


def completed(graph: Graph, value: int, given: Preparation) -> tuple[Preparation, list[str]]:
    """What the flags leave open as the data layer of this input has it in its transform_param; and what to tell of that."""
    makers = [node for node in graph.nodes if value in node.tops]
    spec = TransformSpec.from_proto(makers[0].layer.param.transform_param) if makers else TransformSpec()
    mean, scale, notes = given.mean, given.scale, list[str]()
    if not mean and (spec.mean_values or spec.mean_file):
        mean = spec.mean_values or parse_mean(spec.mean_file)
        notes.append(f"mean {', '.join(f'{m:g}' for m in mean)} as layer '{makers[0].name}' subtracts it")
    if scale is None and spec.scale != 1:
        scale = spec.scale
        notes.append(f"scale {scale:g} as layer '{makers[0].name}' has it")
    if not mean and scale is None:
        notes.append("the pixels went in as they are, 0 to 255: neither -mean nor -scale is given, and the net names none")
    return Preparation(mean, scale), notes


def read_pixels(path: str, channels: int, height: int, width: int) -> Floats:
    """A picture file as (C, H, W) of this size.  DataError if it is none."""
    try:
        with open_file(path) as file:
            image = decode(file.read(), channels == 3, name=path)
    except OSError as error:
        raise DataError(f"{path}: {error.strerror}") from None
    if image is None:
        raise DataError(f"{path}: it is no image that OpenCV knows")
    pixels: Any = resize(image, height, width)
    return np.ascontiguousarray(pixels.reshape(height, width, channels).transpose(2, 0, 1), np.float32)


def record_feed(graph: Graph, part: Part, number: int) -> Feed:
    """Record ``number`` of the net's data, 0 the first.  NetError where it has no data layer, DataError where its data are not here."""
    if number < 0:
        raise UsageError(f"-record {number}: needed: 0 or more")
    layers = [node for node in graph.nodes if set(node.tops) & set(part.inputs)]
    if not layers or any(node.index not in graph.sources for node in layers):
        names = ", ".join(f"'{part.name(value)}'" for value in part.inputs)
        raise NetError(f"-record: the input {names} comes from no data layer; needed: a net with one, or -image FILE")
    values: dict[int, Tensor] = {}
    notes = []
    for node in layers:
        batch, item, label = batch_with(graph, node, number)
        values |= {value: whole[item : item + 1] for value, whole in zip(node.tops, batch) if value in part.inputs}
        notes += label
    picture = next((value[0].numpy() for value in values.values() if value.dim() == 4 and value.shape[1] in SEEN), None)
    return Feed(f"record {number} of the net's data", picture, values, notes)


def batch_with(graph: Graph, node: Node, number: int) -> tuple[Sequence[Tensor], int, list[str]]:
    """The batch of a data layer that has this record, the record's place in it, and its label in words."""
    source = graph.sources[node.index]
    if not hasattr(source, "next"):
        raise DataError(f"-record: layer '{node.name}' has no data here; needed: its data, or -image FILE")
    size = graph.values[node.tops[0]].shape[0]
    source.skip(number // size)
    batch = source.next()
    item = number % size
    labels = [f"{graph.values[top].name} {whole[item].item():g}" for top, whole in zip(node.tops, batch) if whole.numel() == len(whole)]
    return batch, item, labels
