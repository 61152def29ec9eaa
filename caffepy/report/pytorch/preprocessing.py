"""What a net's data layer does to a picture, as a function of the file."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from caffepy.data.mean_file import read_mean
from caffepy.errors import DataError
from caffepy.net.graph import Graph
from caffepy.report.pytorch.lines import COLUMNS
from caffepy.report.pytorch.names import quoted
from caffepy.report.pytorch.step import Array, number

PICTURE_AXES = 4
CHANNELS = (1, 3)


@dataclass(frozen=True)
class Preprocessing:
    """``text``: of the function ``preprocess``.

    ``mean``: the mean image, which becomes a buffer of the net.
    """

    text: str
    mean: Array | None = None


def preprocessing(graph: Graph, inputs: Sequence[int]) -> Preprocessing | None:
    """The function for the first input, where that holds pictures.

    It does what the ``transform_param`` of the input's data layer says, where there is one.
    """
    shape = graph.values[inputs[0]].shape if inputs else ()
    if len(shape) != PICTURE_AXES or shape[1] not in CHANNELS:
        return None
    layer = next(
        (
            node.layer.param
            for node in graph.nodes
            if node.tops[:1] == (inputs[0],) and node.index in graph.sources
        ),
        None,
    )
    return _told(layer.transform_param, shape) if layer is not None else _untold(shape)


def _untold(shape: Sequence[int]) -> Preprocessing:
    """A deploy net says nothing of its pictures."""
    zeros = ", ".join(["0"] * shape[1])
    head = f"def preprocess(image, mean=({zeros}{',' if shape[1] == 1 else ''}), scale=1):"
    notes = ["The prototxt tells neither mean nor scale: give those that the net was trained with."]
    return Preprocessing(_function(head, shape, notes, resize=True))


def _told(p: Any, shape: Sequence[int]) -> Preprocessing:
    mean: Array | None = None
    notes = []
    if p.mean_file:
        try:
            mean = read_mean(p.mean_file)
            notes.append("mean: net.mean, the mean image.")
        except DataError:
            notes.append(
                f"mean: the values of {quoted(p.mean_file)}, (C, 1, 1) or (C, H, W),"
                " which was not there to be read."
            )
        given = "mean"
    else:
        values = [number(value) for value in p.mean_value] or ["0"]
        values = values * (shape[1] if len(values) == 1 else 1)
        given = f"mean=({', '.join(values)}{',' if len(values) == 1 else ''})"
    head = f"def preprocess(image, {given}, scale={number(p.scale)}):"
    return Preprocessing(_function(head, shape, notes, whole=bool(p.mean_file)), mean)


def _function(
    head: str,
    shape: Sequence[int],
    notes: Sequence[str],
    *,
    whole: bool = False,
    resize: bool = False,
) -> str:
    """``whole``: the mean is a picture. ``resize``: else the middle is cut out, as Caffe does."""
    _, channels, height, width = shape
    order, turned = (
        ("An RGB picture", "BGR batch") if channels == 3 else ("A grey picture", "batch")
    )
    lines = [head]
    done = f"to {height} x {width}" if resize else f"its middle, {height} x {width}"
    lines += [
        f'    """{order} (H, W, {channels}) of 0 to 255 as a {turned} of one: {done}, less mean.'
    ]
    lines += (
        ["", *(f"    {line}" for note in notes for line in textwrap.wrap(note, COLUMNS - 4))]
        if notes
        else []
    )
    lines += ['    """'] if notes else []
    if not notes:
        lines[-1] += '"""'
    flip = ".flip(-1)" if channels == 3 else ""
    lines += [f"    x = torch.as_tensor(image){flip}.permute(2, 0, 1).float()"]
    if resize:
        lines += [f'    x = F.interpolate(x[None], ({height}, {width}), mode="bilinear")[0]']
    mean = "mean" if whole else "torch.tensor(mean).view(-1, 1, 1)"
    lines += [f"    x = (x - {mean}) * scale"]
    if resize:
        return "\n".join([*lines, "    return x[None]"])
    lines += [f"    top, left = (x.shape[1] - {height}) // 2, (x.shape[2] - {width}) // 2"]
    return "\n".join(
        [*lines, f"    return x[None, :, top : top + {height}, left : left + {width}]"]
    )
