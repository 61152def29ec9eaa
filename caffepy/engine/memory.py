"""Refuses nets that do not fit in memory, before the system ends the process."""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import torch

from caffepy.errors import NetError
from caffepy.layers.core.base import Shape, count
from caffepy.memory_limit import left_bytes
from caffepy.net.graph import Graph, Node

GB = 1e9
CONTAINER = Path("/sys/fs/cgroup")
BlobSize = tuple[int, Node, str, Shape]
"""Bytes of a blob, its layer, which blob of the layer it is, its shape."""


def check_parameters(graph: Graph, device: torch.device) -> None:
    """NetError unless the parameters and the tops of any single layer fit in free memory."""
    parameters = []
    for node in graph.nodes:
        for slot, p in enumerate(node.params):
            if graph.params[p].owner == p:
                size = _blob_size(node, f"parameter {slot}", graph.params[p].shape)
                parameters.append(size)
    widest = max((_blobs(graph, node) for node in graph.nodes), key=_total, default=[])
    _check([*parameters, *widest], device)


def check_blobs(graph: Graph, device: torch.device, *, before: Graph | None = None) -> None:
    """NetError unless the blobs of the whole net fit in free memory.

    ``before``: the net before it was reshaped; the memory of its blobs counts as free.
    """
    _check(_all_blobs(graph), device, held=_total(_all_blobs(before)) if before else 0)


def _all_blobs(graph: Graph) -> list[BlobSize]:
    return [blob for node in graph.nodes if not node.in_place for blob in _blobs(graph, node)]


def _blobs(graph: Graph, node: Node) -> list[BlobSize]:
    return [
        _blob_size(node, f"top {i}", graph.values[value].shape) for i, value in enumerate(node.tops)
    ]


def _blob_size(node: Node, what: str, shape: Shape) -> BlobSize:
    return 4 * count(shape), node, what, shape


def _total(sizes: Iterable[BlobSize]) -> int:
    return sum(size for size, *_ in sizes)


def _check(sizes: list[BlobSize], device: torch.device, *, held: int = 0) -> None:
    needed = _total(sizes)
    free = free_bytes(device) + held
    if needed <= free:
        return
    size, node, what, shape = max(sizes, key=lambda blob: blob[0])
    head = f"{node.where}: layer '{node.name}' ({node.type})".removeprefix(": ")
    raise NetError(
        f"{head}: {what} of shape {shape} takes {size / GB:.1f} of {needed / GB:.1f} GB needed;"
        f" free: {free / GB:.1f} GB"
    )


def free_bytes(device: torch.device) -> int:
    """Free memory in bytes: of the GPU, or the least of this machine, container and process."""
    if device.type == "cuda":
        # Memory that torch has reserved but does not use is free, too.
        kept = torch.cuda.memory_reserved(device) - torch.cuda.memory_allocated(device)
        return int(torch.cuda.mem_get_info(device)[0] + kept)
    limits = [*_of_machine(), *_of_container(), *_of_process()]
    return min(limits) if limits else 1 << 62


def _of_machine() -> Iterable[int]:
    with suppress(OSError):
        yield from (
            1024 * int(kib)
            for kib in re.findall(r"MemAvailable: +(\d+)", Path("/proc/meminfo").read_text())
        )


def _of_container() -> Iterable[int]:
    """Free memory of the container. Cached files count as free, as the system drops them."""
    with suppress(OSError, ValueError):  # "max": there is no limit
        limit = int((CONTAINER / "memory.max").read_text())
        used = int((CONTAINER / "memory.current").read_text())
        statistics = (CONTAINER / "memory.stat").read_text()
        cached = sum(map(int, re.findall(r"^file (\d+)", statistics, re.MULTILINE)))
        yield limit - used + cached


def _of_process() -> Iterable[int]:
    left = left_bytes()
    if left is not None:
        yield left
