"""Computes layers with large blobs of a TEST net for a few items of the batch at a time."""

# N items of a batch

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from caffepy.engine.joining import Tell, inputs_of, joined, left_by, run_steps
from caffepy.engine.plan import Step
from caffepy.layers.core.base import Run, count
from caffepy.net.graph import Graph

LARGE_BYTES = 16 << 20
"""A blob of this size or more is divided into as few parts as possible below this size."""


def in_microbatches(steps: Sequence[Step], graph: Graph, tell: Tell) -> list[Step]:
    """Join steps of a TEST net on the CPU to one step that computes some items at a time.

    The steps from the first with bottoms to the last with large blobs are joined. The joined step
    gives the same tops and is as fast, but the blobs in between need memory only for some items.
    Returns ``steps`` as they are if no blob is large, or if one of the steps mixes items.
    ``tell``: called with each node before it runs.
    """
    start = next(
        (i for i, step in enumerate(steps) if step.bottoms and not step.outside), len(steps)
    )
    stretch = _stretch(steps[start:], graph)
    if not stretch:
        return list(steps)
    return [*steps[:start], _joined(stretch, graph, tell), *steps[start + len(stretch) :]]


def _stretch(steps: Sequence[Step], graph: Graph) -> Sequence[Step]:
    """The steps to join, the first of ``steps``.

    They end after the last large blob, where the values that are still needed are not large.
    """

    def large(values: Sequence[int]) -> bool:
        return any(4 * count(graph.values[v].shape) >= LARGE_BYTES for v in values)

    end = 0
    goes_on = False
    for i, step in enumerate(steps):
        shapes = [graph.values[v].shape for v in (*(v for v, _ in step.bottoms), *step.tops)]
        one_batch = len({shape[0] if shape else 0 for shape in shapes}) == 1
        if (
            not one_batch
            or step.losses
            or not all(node.layer.batches.item_by_item for node in step.nodes)
        ):
            break
        if goes_on or large(step.tops):
            end = i + 1
            goes_on = large(left_by(steps[:end]))
    return steps[:end]


def _joined(steps: Sequence[Step], graph: Graph, tell: Tell) -> Step:
    given = inputs_of(steps)
    left = left_by(steps)
    widest = max(4 * count(graph.values[v].shape[1:]) for step in steps for v in step.tops)
    most = max(1, LARGE_BYTES // widest)

    def forward(bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run) -> tuple[Tensor, ...]:
        items = len(bottoms[0])
        parts = -(-items // most)
        if parts <= 1 or any(len(bottom) != items for bottom in bottoms):  # reshaped since
            values = run_steps(steps, dict(zip(given, bottoms)), tell)
            return tuple(values[value] for value in left)
        whole: dict[int, Tensor] = {}
        for part in range(parts):
            begin = items * part // parts
            end = items * (part + 1) // parts
            values = run_steps(
                steps, {v: bottom[begin:end] for v, bottom in zip(given, bottoms)}, tell
            )
            for value in left:
                if value not in whole:
                    whole[value] = _room(values[value], items)
                whole[value][begin:end] = values[value]
        return tuple(whole[value] for value in left)

    return joined(steps, forward, given, left)


def _room(part: Tensor, items: int) -> Tensor:
    """Memory for ``items`` items like those of ``part``, in the same memory format."""
    shape = (items, *part.shape[1:])
    last = (
        part.dim() == 4
        and part.is_contiguous(memory_format=torch.channels_last)
        and not part.is_contiguous()
    )
    return torch.empty(
        shape,
        dtype=part.dtype,
        memory_format=torch.channels_last if last else torch.contiguous_format,
    )
