"""The part of the records that one rank reads, and the order in which all ranks read them."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from caffepy import log
from caffepy.data.stores import Store, open_read
from caffepy.errors import DataError
from caffepy.proto import caffe_pb2

RECORD, BATCH, CONTIGUOUS, FILES = "record", "batch", "contiguous", "files"
MODES = {
    RECORD: "every rank takes one record in turn (BVLC Caffe, Intel Caffe, Caffe-MPI 1.0)",
    BATCH: "every rank takes one batch in turn (NVCaffe, Caffe-MPI 2016 and 2.0)",
    CONTIGUOUS: "every rank has a part of its own of each epoch, in one piece (CaffeGPI)",
    FILES: (
        "every rank has a source of its own, its name with _RANK behind it (PMLS-Caffe) or the"
        " rank for %# in it (Intel Caffe)"
    ),
}
RANK, RANKS = "%#", "%*"
"""Intel Caffe's place holders in the name of a source: this rank, and the number of ranks."""

Places = npt.NDArray[np.int64]


def _own(value: int) -> int:
    return value


@dataclass(frozen=True)
class Reader:
    """A reader process of this host: its address, the key that it requires, its number."""

    path: str
    key: bytes
    process: int


@dataclass(frozen=True)
class Shard:
    """Rank ``rank`` of ``size``; ``mode``: one of `MODES`.

    ``agree``: gives every rank the number of rank 0; all ranks call it, in the same order.
    ``opener``: opens a database. ``memory``: opens one in the memory of all ranks together.
    ``readers``: the processes that make this rank's batches in turn; if empty, this process does.
    """

    rank: int = 0
    size: int = 1
    mode: str = RECORD
    agree: Callable[[int], int] = _own
    opener: Callable[[str, str], Store] = open_read
    memory: Callable[[str, str], Store] = open_read
    readers: tuple[Reader, ...] = ()

    @property
    def sharers(self) -> int:
        """How many ranks read the same source."""
        return 1 if self.mode == FILES else self.size

    def check(self, records: int, source: str) -> None:
        """DataError unless each rank gets one of these ``records`` (or rows) of ``source``."""
        if records < self.sharers:
            raise DataError(
                f"'{source}' has {records} record(s) for {self.size} ranks; needed: at least"
                " one for each rank, or fewer ranks"
            )


class Walk:
    """The sequence of places of a rank's records.

    All ranks together read one endless sequence: place p is record p % length of epoch p // length.
    No place is left out or read twice. The batches of all ranks at one time are one piece of it.
    The mode of the shard divides the piece:

    ``record``: rank r takes the places r, r + size, ... of the piece. ``batch``: it takes the r-th
    part of the piece. ``contiguous``: it takes as many records of an epoch as with ``record``, but
    those of one part of the epoch, from its start on. ``files``: the sequence is the rank's own.

    ``passed``: places of all ranks up to the end of their last batch, the same for all ranks.
    """

    def __init__(self, shard: Shard, length: int = 0) -> None:
        """``length``: records of an epoch; only ``contiguous`` has to know."""
        self.rank, self.size, self.mode = (
            (0, 1, RECORD) if shard.mode == FILES else (shard.rank, shard.size, shard.mode)
        )
        self.length = length
        self.passed = 0

    def take(self, n: int) -> Places:
        """The next ``n`` places, ascending, (n,) int64."""
        first, step = (self.rank * n, 1) if self.mode == BATCH else (self.rank, self.size)
        own = np.arange(self.passed + first, self.passed + first + n * step, step, dtype=np.int64)
        self.passed += n * self.size
        return self._in_own_part(own) if self.mode == CONTIGUOUS and self.size > 1 else own

    def _in_own_part(self, places: Places) -> Places:
        """The places in the rank's part of the epoch for places of the mode ``record``."""
        phase = self.passed % self.size
        own = places.copy()
        for epoch in np.unique(places // self.length):
            start = int(epoch) * self.length
            firsts = [(rank + phase - start) % self.size for rank in range(self.size)]
            counts = [-(-max(0, self.length - first) // self.size) for first in firsts]
            here = places // self.length == epoch
            own[here] = (
                start
                + sum(counts[: self.rank])
                + (places[here] - start - firsts[self.rank]) // self.size
            )
        return own


def own_source(
    param: caffe_pb2.LayerParameter, shard: Shard
) -> tuple[caffe_pb2.LayerParameter, Shard]:
    """The LayerParameter and the shard for a rank with a source of its own.

    DataError if the name is that of a rank's file and there is one process, or if the file does not
    exist.
    """
    fields = [field.name for field, message in param.ListFields() if _has_source(message)]
    if not fields:
        return param, shard
    own = type(param)()
    own.CopyFrom(param)
    message = getattr(own, fields[0])
    name = message.source
    if RANK in name or RANKS in name:
        if shard.size == 1:
            raise DataError(
                f"source '{name}' names a file for each rank, and there is one process; needed:"
                " several ranks, or a plain name"
            )
        message.source = name.replace(RANK, str(shard.rank)).replace(RANKS, str(shard.size))
    elif shard.mode != FILES or shard.size == 1:
        return param, shard
    elif getattr(message, "shared_file_system", False):
        return param, replace(shard, mode=RECORD)
    else:
        message.source = f"{name.rstrip('/')}_{shard.rank}"
        unread = f"{name.rstrip('/')}_{shard.size}"
        if shard.rank == 0 and os.path.exists(unread):
            log.warning(
                "shard.py:0",
                f"'{unread}' is there, too, and no rank reads it: there are {shard.size} ranks",
            )
    if not os.path.exists(message.source):
        raise DataError(
            f"source '{message.source}' of rank {shard.rank} does not exist (looked in"
            f" {os.getcwd()}); needed: a source for each of the "
            f"{shard.size} ranks, such as caffepy partition_data makes of a database"
        )
    return own, replace(shard, mode=FILES)


def _has_source(message: object) -> bool:
    return bool(getattr(message, "source", ""))
