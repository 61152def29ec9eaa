"""Sources by the type of their data layer."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any

from caffepy.data.prefetch import Prefetcher
from caffepy.data.shard import Shard
from caffepy.data.source import Source


@dataclass(frozen=True)
class Entry:
    """Where the source of a layer type is, and whether a thread makes its batches ahead; its libraries are loaded when it is opened."""

    module: str
    name: str
    prefetched: bool


SOURCES = {
    "Data": Entry("database", "DataSource", True),
    "HDF5Data": Entry("hdf5", "HDF5DataSource", False),
    "ImageData": Entry("images", "ImageDataSource", True),
    "MemoryData": Entry("memory", "MemoryDataSource", False),
    "WindowData": Entry("windows", "WindowDataSource", True),
}


def open_source(param: Any, phase: int, shard: Shard = Shard(), *, prefetch: bool = True) -> Source:  # noqa: B008 - it is frozen
    """The source of a data layer.

    ``param``: a caffe.LayerParameter of one of `SOURCES`; ``prefetch``: let a thread make ``data_param.prefetch`` (4) batches
    ahead where Caffe does. DataError if its files cannot be used. Its random stream comes from ``seed``, which must be given
    the same stream on every rank: shuffles have to agree, and crops and mirrors differ by the rank all the same.
    """
    entry = SOURCES[param.type]
    source: Source = getattr(importlib.import_module(f"caffepy.data.{entry.module}"), entry.name)(param, phase, shard)
    return Prefetcher(source, int(param.data_param.prefetch)) if prefetch and entry.prefetched else source
