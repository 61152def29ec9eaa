"""What the layers share that bring data into a net: no bottom, no arithmetic, a source."""

from __future__ import annotations

from importlib import import_module
from typing import ClassVar

from caffepy.data.random_resize import RESIZE_FIELDS
from caffepy.data.shard import Shard, own_source
from caffepy.data.source import Source
from caffepy.layers.core.base import Layer, exactly

RANDOM_RESIZE = frozenset(
    (
        *(f"TransformationParameter.{name}" for name in RESIZE_FIELDS),
        *(
            f"TransformationParameter.InterpolationAlgo.INTER_{name}"
            for name in ("NEAREST", "LINEAR", "CUBIC", "AREA")
        ),
    )
)
"""NVIDIA's and Intel's fields of a layer whose images are resized at random."""
SIZES = frozenset(
    f"TransformationParameter.{name}" for name in ("crop_h", "crop_w", "resize_param")
)
"""SSD's of a layer whose images have no boxes."""


class BaseDataLayer(Layer):
    """Base of data layers; a subclass names the module and class of its source.

    The module is imported when a source is opened, since it brings OpenCV or a database with it.
    """

    bottoms = exactly(0)
    is_source = True
    fork_fields = frozenset(
        (
            "DataParameter.shuffle",
            "DataParameter.shared_file_system",
            "ImageDataParameter.shared_file_system",
        )
    )
    source: ClassVar[tuple[str, str]]
    """Module in caffepy.data, class in it."""
    prefetches: ClassVar[bool] = True
    """Batches are made ahead by a thread, data_param.prefetch of them."""
    served: ClassVar[bool] = True
    """Reader processes may make the batches, as another process can open the source."""

    def source_class(self) -> tuple[str, str]:
        """Module and class of the source of this layer."""
        return self.source

    def open(self, shard: Shard = Shard()) -> Source:
        """The source of the records that are this rank's; its ``shapes`` are those of the tops.

        Errors: DataError.
        """
        package, name = self.source_class()
        module = f"caffepy.data.{package}"
        param, shard = own_source(self.param, shard)
        depth = int(self.param.data_param.prefetch)
        if self.served and shard.readers:
            reading = import_module("caffepy.data.reader_source")
            served: Source = reading.ReaderSource(
                module, name, param, self.phase, shard, depth=depth
            )
            return served
        source: Source = getattr(import_module(module), name)(param, self.phase, shard)
        if self.prefetches:
            source = import_module("caffepy.data.prefetch").Prefetcher(source, depth)
        return source
