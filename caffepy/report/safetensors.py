"""Parameters as a safetensors file: a JSON head with names, shapes and places, then the numbers.

Written here and not by the package safetensors: these are twenty lines, and that would be one more
package for whoever exports, and would write the file in its place, where a crash leaves a part of
it. A test reads the file by the package.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from caffepy.engine.arena import Arena
from caffepy.engine.weights import get
from caffepy.net.graph import Graph
from caffepy.proto.atomic import atomic_write

ALIGNMENT = 8
TYPES = {"f": ("F32", "<f4"), "i": ("I64", "<i8")}
"""For each kind of numpy's numbers, the format's name and numpy's for what is written.

An integer of numpy may have 32 bits, as on Windows before numpy 2.
"""


def write_net(path: str, graph: Graph, arena: Arena) -> int:
    """Write all parameters, named ``layer.0``, ``layer.1``..., shared ones once; how many."""
    arrays = {}
    for index, param in enumerate(graph.params):
        if param.owner == index:
            arrays[f"{param.layer}.{param.slot}"] = get(arena.data[index], param.shape)
    write_safetensors(path, arrays, {"format": "pt", "net": graph.name})
    return len(arrays)


def write_safetensors(path: str, arrays: Mapping[str, npt.NDArray[Any]], metadata: Mapping[str, str]) -> None:
    """Write arrays by name, as float32 or int64. WeightsError if the file cannot be written."""
    head: dict[str, object] = {"__metadata__": dict(metadata)}
    written = []
    at = 0
    for name, array in arrays.items():
        kind, dtype = TYPES[array.dtype.kind]
        written.append(np.asarray(array, dtype, order="C"))
        end = at + written[-1].nbytes
        head[name] = {"dtype": kind, "shape": list(array.shape), "data_offsets": [at, end]}
        at = end
    text = json.dumps(head, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-len(text) % ALIGNMENT)
    with atomic_write(path) as temporary, open(temporary, "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for array in written:
            file.write(array.data)
