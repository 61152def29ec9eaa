"""Tensors cut into pieces that stay in a processor's cache while several steps work on them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

PIECE = 1 << 19
"""Numbers in a piece: two megabytes of each tensor beside it."""


def pieces(*lists: Sequence[Tensor]) -> Iterator[list[list[Tensor]]]:
    """Lists as long as ``lists``, again and again, of what lies side by side in their tensors: at most `PIECE` numbers each time.

    ``lists[k][i]`` have one shape and one order in memory for all k. On a GPU everything is one piece.
    """
    if lists[0][0].device.type != "cpu":
        yield [list(row) for row in lists]
        return
    held: list[list[Tensor]] = [[] for _ in lists]
    size = 0
    for tensors in zip(*lists, strict=True):
        for parts in zip(
            *(in_memory_order(tensor).view(-1).split(PIECE) for tensor in tensors), strict=True
        ):
            length = parts[0].numel()
            if size and size + length > PIECE:
                yield held
                held, size = [[] for _ in lists], 0
            for row, part in zip(held, parts, strict=True):
                row.append(part)
            size += length
    if size:
        yield held


def in_memory_order(tensor: Tensor) -> Tensor:
    """A view of ``tensor`` in the order of its memory, so that flattening it copies nothing."""
    if (
        tensor.dim() == 4
        and not tensor.is_contiguous()
        and tensor.is_contiguous(memory_format=torch.channels_last)
    ):
        return tensor.permute(0, 2, 3, 1)
    return tensor


def same_layout(diff: Tensor, param: Tensor) -> Tensor:
    """``diff`` with the memory order of ``param``: what walks over memory does not look at strides."""
    if diff.stride() == param.stride():
        return diff
    pairs = zip(diff.shape, diff.stride(), param.stride())
    if all(length == 1 or ours == theirs for length, ours, theirs in pairs):
        return diff
    return torch.empty_like(param).copy_(diff)
