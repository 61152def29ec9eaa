"""A part of a net as an exported torch program (.pt2), which torch loads without caffepy."""

from __future__ import annotations

import io
import warnings
from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from caffepy.engine.predictions import Part
from caffepy.errors import NetError, WeightsError, first_line
from caffepy.layers.core.base import TEST, Run
from caffepy.layers.core.random import CaffeRandom
from caffepy.proto.atomic import atomic_write

MOST_IMAGES = 2**31 - 1
"""Of a batch, in Caffe. torch 2.6 takes no batch without a bound."""


@dataclass(frozen=True)
class Program:
    """``fixed``: why the batch has one size only; empty where it has any."""

    exported: torch.export.ExportedProgram
    fixed: str


class PartModule(nn.Module):
    """A part as a torch module.

    Inputs and outputs are in the order of `Part.inputs` and `Part.outputs`, parameters are called
    ``conv1_0``, ``conv1_1``...
    """

    def __init__(self, part: Part, blobs: Mapping[int, Tensor]) -> None:
        super().__init__()
        self._part = part
        self._random = CaffeRandom(0)
        self._names: dict[int, str] = {}
        for node in part.nodes:
            for index in node.params:
                owner = part.graph.params[index].owner
                if owner not in self._names:
                    param = part.graph.params[owner]
                    self._names[owner] = f"{param.layer}_{param.slot}".replace(".", "_")
                    self.register_buffer(self._names[owner], blobs[owner].detach().clone())

    def forward(self, *inputs: Tensor) -> tuple[Tensor, ...]:
        """The outputs.

        Shapes are those of the inputs, so that a batch of any size can be traced.
        """
        part = self._part
        params = part.graph.params
        values = dict(zip(part.inputs, inputs))
        for node in part.nodes:
            bottoms = [values[value] for value in node.bottoms]
            node.layer.reshape([tuple(x.shape) for x in bottoms])
            blobs = []
            for param in (params[index] for index in node.params):
                blobs.append(self.get_buffer(self._names[param.owner]).view(param.shape))
            tops = node.layer.forward(bottoms, blobs, Run(TEST, self._random))
            values.update(zip(node.tops, tops))
        return tuple(values[value] for value in part.outputs)


def to_torch(part: Part, blobs: Mapping[int, Tensor]) -> Program:
    """Trace a part. NetError where a layer cannot be traced."""
    module = PartModule(part, blobs).eval()
    shapes = part.input_shapes().values()
    larger = part.input_shapes(more=1).values()
    example = tuple(torch.zeros(shape) for shape in larger)
    batch = torch.export.Dim("batch", min=1, max=MOST_IMAGES)
    grows = tuple({0: batch} if a != b else None for a, b in zip(shapes, larger))
    try:
        return Program(_trace(module, example, (grows,)), "")
    except Exception as error:  # noqa: BLE001 - torch's tracer raises whatever its guards find
        reason = first_line(error)
    finally:
        part.reshaped(part.input_shapes())
    try:
        example = tuple(torch.zeros(shape) for shape in shapes)
        return Program(_trace(module, example, None), reason)
    except Exception as error:
        what = f"torch cannot export net '{part.graph.name}'"
        raise NetError(f"{what}: {first_line(error)}") from error


def _trace(module: nn.Module, example: tuple[Tensor, ...], grows: object) -> torch.export.ExportedProgram:
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")
        return torch.export.export(
            module,
            example,
            dynamic_shapes=grows,  # type: ignore[arg-type]  # any tree of dicts
            strict=False,
        )


def save(program: torch.export.ExportedProgram, path: str) -> None:
    """Write a .pt2 file. WeightsError when it cannot be written."""
    whole = io.BytesIO()
    # to memory first: when the disk is full, torch's own writing ends the process
    torch.export.save(program, whole)
    with atomic_write(path, error=WeightsError) as temporary:
        temporary.write_bytes(whole.getbuffer())
