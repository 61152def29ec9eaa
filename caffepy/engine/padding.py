"""Rows of -1 behind the rows of a batch, which mean nothing.

So batches with few and with many rows have few shapes to be recorded for.
"""

from __future__ import annotations

import torch.nn.functional as F
from torch import Tensor

from caffepy.net.graph import Graph

LEAST_ROWS = 16


def of_any_length(graph: Graph) -> frozenset[int]:
    """Values all of whose readers pass over rows of -1: see `Batches.padding_rows`."""
    readers: dict[int, list[bool]] = {}
    for node in reversed(graph.nodes):  # a Split's tops are known before its bottom
        loose = [all(readers.get(v, [False])) for v in node.tops] if node.type == "Split" else []
        for slot, value in enumerate(node.bottoms):
            readers.setdefault(value, []).append(
                all(loose) if loose else slot in node.layer.batches.padding_rows
            )
    return frozenset(value for value, found in readers.items() if all(found))


def padded(rows: Tensor) -> Tensor:
    """(..., R, D) with rows of -1 behind it, up to a power of 2."""
    most = max(LEAST_ROWS, 1 << (rows.shape[-2] - 1).bit_length())
    return (
        F.pad(rows, (0, 0, 0, most - rows.shape[-2]), value=-1) if most > rows.shape[-2] else rows
    )
