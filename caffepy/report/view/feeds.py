"""The input of a net that is to be looked at: an image file, or a record of its own data."""

# B batch, C channels (blue, green, red), H W

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from caffepy.data.transformer import TransformSpec
from caffepy.engine.predictions import Part
from caffepy.errors import DataError, NetError, UsageError
from caffepy.net.graph import Graph, Node
from caffepy.report.offline import dims_text
from caffepy.scoring.pictures import parse_mean, read_pixels

Floats = npt.NDArray[np.float32]
IMAGE_CHANNELS = (1, 3)
FARTHEST = 1_000_000
"""The last record that is looked for where it is not known how many there are."""


@dataclass(frozen=True)
class Feed:
    """One input for a net.

    ``title``: what it is, for the page.
    ``picture``: the input as an image (C, H, W), None if it is none.
    ``values``: a batch of one for each input of the part, by value index.
    ``notes``: how it was prepared, a sentence each.
    """

    title: str
    picture: Floats | None
    values: dict[int, Tensor]
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Preparation:
    """How pixels become an input: ``(pixel - mean) * scale``.

    ``mean``: empty, one value, or one for each channel. ``scale``: None where it is not given.
    """

    mean: Sequence[float] = ()
    scale: float | None = None


def image_feed(graph: Graph, part: Part, path: str, given: Preparation) -> Feed:
    """An image file as the input of a net.

    NetError if the net does not have exactly one image input. DataError if the file is no image.
    """
    value = image_input(part)
    _, channels, height, width = part.shape(value)
    preparation, notes = completed(graph, value, given)
    if len(preparation.mean) not in (0, 1, channels):
        found = f"-mean has {len(preparation.mean)} values"
        raise UsageError(f"{found}; needed: one, or {channels}, as the net's input has channels")
    pixels = read_pixels(path, channels, height, width)
    mean = np.asarray(preparation.mean or [0.0], np.float32)[:, None, None]
    scale = np.float32(1.0 if preparation.scale is None else preparation.scale)
    prepared = np.ascontiguousarray((pixels - mean) * scale, np.float32)
    return Feed(path, pixels, {value: torch.from_numpy(prepared)[None]}, notes)


def image_input(part: Part) -> int:
    """The value index of the only input, if that takes images."""
    if len(part.inputs) == 1:
        shape = part.shape(part.inputs[0])
        if len(shape) == 4 and shape[1] in IMAGE_CHANNELS:
            return part.inputs[0]
    told = [f"'{part.name(value)}' ({dims_text(part.shape(value))})" for value in part.inputs]
    needed = "one input of N x C x H x W with 1 or 3 channels (or -record N)"
    raise NetError(f"-image: the net has the inputs {', '.join(told)}; needed: {needed}")


def completed(graph: Graph, value: int, given: Preparation) -> tuple[Preparation, list[str]]:
    """``given``, completed from the transform_param of the input's data layer; notes on that."""
    maker = next(node for node in graph.nodes if value in node.tops)
    spec = TransformSpec.from_proto(maker.layer.param.transform_param)
    mean, scale = given.mean, given.scale
    notes = []
    if not mean and (spec.mean_values or spec.mean_file):
        mean = spec.mean_values or parse_mean(spec.mean_file)
        values = ", ".join(f"{m:g}" for m in mean)
        notes.append(f"mean {values} subtracted, as layer '{maker.name}' does")
    if scale is None and spec.scale != 1:
        scale = spec.scale
        notes.append(f"scaled by {scale:g}, as layer '{maker.name}' does")
    if not mean and scale is None:
        notes.append("pixels from 0 to 255: no -mean or -scale is given, and the net has none")
    return Preparation(mean, scale), notes


def record_feed(graph: Graph, part: Part, number: int) -> Feed:
    """A record of the net's own data as its input; 0 is the first record.

    NetError if an input comes from no data layer. DataError if the data are not here.
    """
    if number < 0:
        raise UsageError(f"-record {number}: needed: 0 or more")
    layers = [node for node in graph.nodes if set(node.tops) & set(part.inputs)]
    if not layers or any(node.index not in graph.sources for node in layers):
        names = ", ".join(f"'{part.name(value)}'" for value in part.inputs)
        needed = "a net with a data layer, or -image FILE"
        raise NetError(f"-record: the input {names} comes from no data layer; needed: {needed}")
    values: dict[int, Tensor] = {}
    notes = []
    for node in layers:
        tops = record_of(graph, node, number)
        values |= {value: top for value, top in tops.items() if value in part.inputs}
        for value, top in tops.items():
            if top.numel() == 1:
                notes.append(f"{graph.values[value].name} {top.item():g}")
    return Feed(f"record {number} of the net's data", first_image(values), values, notes)


def record_of(graph: Graph, node: Node, number: int) -> dict[int, Tensor]:
    """The tops of a data layer for one record, each a batch of one, by value index."""
    source = graph.sources[node.index]
    if not hasattr(source, "next"):
        needed = "its data, or -image FILE"
        raise DataError(f"-record: layer '{node.name}' has no data here; needed: {needed}")
    batch_size = graph.values[node.tops[0]].shape[0]
    records = source.maker.records
    if records and number >= records:
        raise UsageError(
            f"-record {number}: the data of layer '{node.name}' have {records} records;"
            f" needed: 0 to {records - 1}"
        )
    if number > FARTHEST:
        raise UsageError(
            f"-record {number}: layer '{node.name}' ({node.type}) reads all records before it;"
            f" needed: 0 to {FARTHEST}"
        )
    source.skip(number // batch_size)
    item = number % batch_size
    return {value: top[item : item + 1] for value, top in zip(node.tops, source.next())}


def first_image(values: dict[int, Tensor]) -> Floats | None:
    """The first of the tensors that is an image, as (C, H, W)."""
    for value in values.values():
        if value.dim() == 4 and value.shape[1] in IMAGE_CHANNELS:
            image: Floats = value[0].numpy()
            return image
    return None
