"""A compiled net to a Python file and its weights."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from caffepy.net.graph import Graph
from caffepy.proto.atomic import atomic_write
from caffepy.report.pytorch.attributes import learned, state_dict
from caffepy.report.pytorch.blocks import find_blocks
from caffepy.report.pytorch.preprocessing import preprocessing
from caffepy.report.pytorch.step import Array, Learned
from caffepy.report.pytorch.steps import Program, program
from caffepy.report.pytorch.writer import write
from caffepy.report.safetensors import write_safetensors


@dataclass(frozen=True)
class Exported:
    """A file: ``text``, whose net is the class ``name``.

    ``state``: the net's state_dict; ``learned``: the parameters in it.
    ``weights``: the name of the file of weights, which lies beside it.
    """

    program: Program
    text: str
    name: str
    weights: str
    state: dict[str, Array]
    learned: dict[str, Learned]


def to_pytorch(graph: Graph, arrays: Mapping[int, Array], *, source: str, weights: str) -> Exported:
    """The file for a graph; that of a TRAIN graph has its loss.

    LayerError where a layer has no form in torch.
    ``source``: the prototxt's name, for the head. ``weights``: the name of the file of weights,
    beside it.
    """
    made = program(graph, arrays)
    taken: set[str] = {
        helper.__name__ for step in (*made.steps, *made.loss_steps) for helper in step.helpers
    }
    made.steps, blocks = find_blocks(made.steps, made.outputs, taken)
    prepare = preprocessing(graph, made.inputs)
    written = write(made, blocks, source=source, weights=weights, prepare=prepare)
    state = state_dict(written.modules, arrays)
    if prepare and prepare.mean is not None:
        state["mean"] = prepare.mean
    return Exported(made, written.text, written.name, weights, state, learned(written.modules))


def weights_beside(path: str) -> str:
    """The file of weights that goes with a Python file."""
    return f"{os.path.splitext(path)[0]}.safetensors"


def save(exported: Exported, path: str) -> None:
    """Write both files. WeightsError where one cannot be written."""
    write_safetensors(
        os.path.join(os.path.dirname(path), exported.weights),
        exported.state,
        {"format": "pt", "net": exported.program.graph.name},
    )
    with atomic_write(path) as temporary:
        temporary.write_text(exported.text, encoding="utf-8")
