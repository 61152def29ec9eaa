"""The records and the batch_size of a net, divided among ranks."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from caffepy.data.shard import Shard
from caffepy.data.source import Source
from caffepy.layers.core.base import TRAIN, Layer


@dataclass(frozen=True)
class Share:
    """The part of the data that a rank gets.

    ``shard``: of a training net's records. ``tests``: of a test net's, where ranks divide it.
    ``divisor``: a training net's batches are that much smaller than the prototxt says.
    ``shuffle``: a training net's records are shuffled in each epoch, whatever the prototxt says.
    """

    shard: Shard = field(default_factory=Shard)
    tests: Shard = field(default_factory=Shard)
    divisor: int | Fraction = 1
    shuffle: bool = False

    def open(self, layer: Layer) -> Source:
        """Open a data layer's source.  Errors: LayerError if the batch cannot be divided."""
        shard = self.tests
        if layer.phase == TRAIN:
            shard = self.shard
            if self.divisor != 1:
                divide_batch(layer, self.divisor)
            if self.shuffle:
                _shuffle(layer)
        source: Source = layer.open(shard)
        return source


def _shuffle(layer: Layer) -> None:
    """Set ``shuffle`` wherever the layer has a source that it could shuffle."""
    for _, message in layer.param.ListFields():
        if hasattr(message, "source") and hasattr(message, "shuffle"):
            message.shuffle = True


def divide_batch(layer: Layer, divisor: int | Fraction) -> None:
    """Divide the layer's batch_size, in its message."""
    sized = []
    for _, message in layer.param.ListFields():
        if hasattr(message, "batch_size") and message.batch_size:
            sized.append(message)
    if not sized:
        raise layer.fail(
            f"has no batch_size that {divisor} ranks could divide; "
            "needed: one, or -batch_mode per_rank"
        )
    for message in sized:
        if message.batch_size % divisor:
            fitting = max(1, round(message.batch_size / divisor)) * divisor
            raise layer.fail(
                f"batch_size {message.batch_size} cannot be divided among {divisor} ranks; "
                f"needed: a multiple of {divisor}, such as {fitting}, or -batch_mode per_rank"
            )
        message.batch_size = int(message.batch_size // divisor)
