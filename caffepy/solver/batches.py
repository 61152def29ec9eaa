"""A training net's batch_size divided among ranks."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from caffepy.data.shard import Shard
from caffepy.layers.base import TRAIN, Layer


def open_share(layer: Layer, shard: Shard, divisor: int | Fraction) -> Any:
    """Open a data layer's source for this rank, its batch ``divisor`` times smaller than the prototxt says if the net trains.

    ``divisor``: less than 1 for a larger batch. Errors: LayerError where that is no whole number.
    """
    if divisor != 1 and layer.phase == TRAIN:
        divide_batch(layer, divisor)
    return layer.open(shard)


def divide_batch(layer: Layer, divisor: int | Fraction) -> None:
    """Divide the layer's batch_size in place."""
    sized = [message for _, message in layer.param.ListFields() if hasattr(message, "batch_size") and message.batch_size]
    if not sized:
        raise layer.fail(f"has no batch_size that {divisor} ranks could divide; needed: one, or -batch_mode per_rank")
    for message in sized:
        if message.batch_size % divisor:
            fitting = max(1, round(message.batch_size / divisor)) * divisor
            raise layer.fail(
                f"batch_size {message.batch_size} cannot be divided among {divisor} ranks; needed: a multiple of {divisor},"
                f" such as {fitting}, or -batch_mode per_rank"
            )
        message.batch_size = int(message.batch_size // divisor)
