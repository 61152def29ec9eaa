"""Names of modules as attributes, and of what they hold as the net's state_dict has it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import torch

from caffepy.report.pytorch.names import identifier, unused
from caffepy.report.pytorch.step import Array, Learned, Module, Step

PREFIX = {
    "Deconvolution": "deconv",
    "InnerProduct": "fc",
    "BatchNorm": "bn",
    "Scale": "scale",
}
"""Of a layer type, for a name that begins with a digit."""


def prefix_of(step: Step) -> str:
    """What stands before a name that begins with a digit."""
    return "conv" if step.kind.startswith("Conv") else PREFIX.get(step.kind, "layer")


def attributes(steps: Sequence[Step], taken: Sequence[str] = ()) -> dict[Module, str]:
    """An attribute for every module, from the name of the layer that has it first."""
    found: dict[Module, str] = {}
    used = set(taken)
    for step in steps:
        if step.module is not None and step.module not in found:
            name = unused(identifier(step.name, prefix_of(step)), used)
            found[step.module] = name
            used.add(name)
    return found


def leaves(found: Mapping[Module, str]) -> list[tuple[str, Module]]:
    """Modules with parameters of their own, with their paths in the net."""
    listed: list[tuple[str, Module]] = []

    def visit(path: str, module: Module) -> None:
        if module.children:
            for name, child in module.children:
                visit(f"{path}.{name}", child)
        else:
            listed.append((path, module))

    for module, name in found.items():
        visit(name, module)
    return listed


def learned(found: Mapping[Module, str]) -> dict[str, Learned]:
    """Parameters by their names in the net's state_dict."""
    return {
        f"{path}.{name}": blob
        for path, module in leaves(found)
        for name, blob in module.learned.items()
    }


def state_dict(found: Mapping[Module, str], arrays: Mapping[int, Array]) -> dict[str, Array]:
    """All values by name, as the net's own load_state_dict takes them."""
    state: dict[str, Array] = {}
    for path, module in leaves(found):
        for name, blob in module.learned.items():
            values = blob.view(torch.from_numpy(np.ascontiguousarray(arrays[blob.param])))
            state[f"{path}.{name}"] = values.contiguous().numpy()
        for name, array in module.buffers.items():
            state[f"{path}.{name}"] = array
    return state
