"""Any number of items through a net, a batch after the other.

This is behind ``Net.forward_all`` and ``Net.forward_backward_all``.
"""

# M items, N batch

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any

import numpy as np

from caffepy.pycaffe.arguments import floats
from caffepy.pycaffe.blob import Array
from caffepy.pycaffe.errors import WrongValue
from caffepy.pycaffe.net_passes import NetPasses

Arrays = dict[str, Array]


def forward_all(net: NetPasses, blobs: Sequence[str], inputs: Mapping[str, Any]) -> Arrays:
    """Outputs, and ``blobs``, for M items: name → (M, ...).

    A blob without batch axis gives one value a batch.
    """
    if not inputs:
        raise WrongValue(
            "forward_all of a net without inputs, whose data come from its layers; needed:"
            " forward, once a batch"
        )
    outputs = _Collector(net, [*net.outputs, *blobs])
    for batch in split(net, inputs):
        outputs.add(net.forward(blobs, **batch))
    return outputs.joined(_items(inputs))


def forward_backward_all(
    net: NetPasses,
    blobs: Sequence[str],
    diffs: Sequence[str],
    inputs: Mapping[str, Any],
    top_diffs: Mapping[str, Any],
) -> tuple[Arrays, Arrays]:
    """Outputs and ``blobs``, and the diffs of the inputs and of ``diffs``.

    Either mapping may be empty.
    """
    inputs = _as_floats(inputs)
    top_diffs = _as_floats(top_diffs)
    if not (inputs or top_diffs):
        raise WrongValue(
            "forward_backward_all of no arrays; needed: values of inputs, diffs of"
            " outputs, or forward and backward"
        )
    counts = {
        name: len(array) for name, array in (*inputs.items(), *top_diffs.items()) if array.ndim
    }
    if len(set(counts.values())) > 1:
        raise WrongValue(f"{counts} items given; needed: as many for each blob")
    outputs = _Collector(net, [*net.outputs, *blobs])
    gradients = _Collector(net, [*net.inputs, *diffs])
    for batch, top_batch in zip_longest(split(net, inputs), split(net, top_diffs)):
        outputs.add(net.forward(blobs, **(batch or {})))
        gradients.add(net.backward(diffs, **(top_batch or {})))
    items = _items(inputs or top_diffs)
    return outputs.joined(items), gradients.joined(items)


def split(net: NetPasses, arrays: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Arrays (M, ...) in pieces (N, ...), N the net's batch, the last one filled up with zeros."""
    if not arrays:
        return
    given = _as_floats(arrays)
    sizes = {name: len(array) if array.ndim else 0 for name, array in given.items()}
    if len(set(sizes.values())) > 1 or 0 in sizes.values():
        raise WrongValue(f"{sizes} items given; needed: as many for each blob, and at least one")
    name = next(iter(given))
    if not net.blobs[name].shape:
        raise WrongValue(f"blob '{name}' has no batch axis; needed: one, to put items there")
    batch = net.blobs[name].shape[0]
    for start in range(0, sizes[name], batch):
        yield {
            name: _filled_up(array[start : start + batch], batch) for name, array in given.items()
        }


def _as_floats(arrays: Mapping[str, Any]) -> Arrays:
    return {name: floats(f"'{name}'", array) for name, array in arrays.items()}


def _filled_up(array: Array, batch: int) -> Array:
    missing = batch - len(array)
    if not missing:
        return array
    return np.concatenate([array, np.zeros((missing, *array.shape[1:]), np.float32)])


def _items(arrays: Mapping[str, Any]) -> int | None:
    return len(next(iter(arrays.values()))) if arrays else None


class _Collector:
    """Blobs of one batch after the other."""

    def __init__(self, net: NetPasses, names: Sequence[str]) -> None:
        self._parts: dict[str, list[Array]] = {name: [] for name in names}
        self._has_batch = {name: bool(net.blobs[name].shape) for name in names}

    def add(self, arrays: Mapping[str, Array]) -> None:
        for name, parts in self._parts.items():
            parts.append(arrays[name].copy())

    def joined(self, items: int | None) -> Arrays:
        """One array a blob, without what was filled up beyond ``items``."""
        return {
            name: np.concatenate(parts)[:items] if self._has_batch[name] else np.array(parts)
            for name, parts in self._parts.items()
        }
