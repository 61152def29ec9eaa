"""Tensors cut into pieces that stay in the processor's cache while several steps work on them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

PIECE = 1 << 19
"""How many numbers a piece has: two megabytes of each list."""


def pieces(*lists: Sequence[Tensor]) -> Iterator[list[list[Tensor]]]:
    """Corresponding pieces of the tensors in several lists, at most `PIECE` numbers of each list.

    Each yielded item has a list of flat views for each of ``lists``. The tensors ``lists[k][i]``
    have the same shape and memory order for all k. On a GPU everything is one piece.
    """
    if lists[0][0].device.type != "cpu":
        yield [list(row) for row in lists]
        return
    collected: list[list[Tensor]] = [[] for _ in lists]
    size = 0
    for tensors in zip(*lists, strict=True):
        for parts in zip(
            *(in_memory_order(tensor).view(-1).split(PIECE) for tensor in tensors), strict=True
        ):
            length = parts[0].numel()
            if size and size + length > PIECE:
                yield collected
                collected = [[] for _ in lists]
                size = 0
            for row, part in zip(collected, parts, strict=True):
                row.append(part)
            size += length
    if size:
        yield collected


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
    """``diff`` in the memory order of ``param``, for kernels that ignore strides."""
    if diff.stride() == param.stride():
        return diff
    pairs = zip(diff.shape, diff.stride(), param.stride())
    if all(length == 1 or ours == theirs for length, ours, theirs in pairs):
        return diff
    return torch.empty_like(param).copy_(diff)
