"""Pads batches with rows of -1, which layers leave out.

Batches with any number of rows then have few shapes, and few recordings serve them all.
"""

from __future__ import annotations

import torch.nn.functional as F
from torch import Tensor

from caffepy.net.graph import Graph

LEAST_ROWS = 16


def of_any_length(graph: Graph) -> frozenset[int]:
    """Values whose readers all leave out rows of -1, see `Batches.padding_rows`."""
    readers: dict[int, list[bool]] = {}
    for node in reversed(graph.nodes):  # a Split's tops are known before its bottom
        loose = [all(readers.get(v, [False])) for v in node.tops] if node.type == "Split" else []
        for slot, value in enumerate(node.bottoms):
            readers.setdefault(value, []).append(
                all(loose) if loose else slot in node.layer.batches.padding_rows
            )
    return frozenset(value for value, leave_out in readers.items() if all(leave_out))


def padded(rows: Tensor) -> Tensor:
    """``rows`` (..., R, D) with rows of -1 behind, so that R is a power of 2."""
    number = rows.shape[-2]
    most = max(LEAST_ROWS, 1 << (number - 1).bit_length())
    return F.pad(rows, (0, 0, 0, most - number), value=-1) if most > number else rows
