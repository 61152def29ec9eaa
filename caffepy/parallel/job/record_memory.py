"""The records of a database in the memory of all hosts together.

Each host has a part, and reads what it lacks from the others, which take no part in that (one-sided
reads). The ranks of a host share its part, and nothing of it is copied to be read. This is
CaffeGPI's ParallelInMemData, for databases.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from caffepy.data.shard import Shard
from caffepy.data.stores import open_read
from caffepy.data.stores.base import Buffer, Store
from caffepy.data.stores.in_memory import InMemoryStore
from caffepy.errors import DataError, ParallelError
from caffepy.parallel.transport.communicator import Communicator, Reads
from caffepy.parallel.transport.host_memory import map_together

Numbers = npt.NDArray[np.int64]
MEMORY_INFO = "/proc/meminfo"


class RecordMemory:
    """Opens databases by loading each of them once."""

    def __init__(self, communicator: Communicator) -> None:
        self._communicator = communicator
        self._stores: dict[str, InMemoryStore] = {}

    def open(self, path: str, backend: str) -> Store:
        """The database, loaded if it is not yet.  Collective.  Errors: DataError, ParallelError."""
        ranks = self._communicator
        paths = ranks.allgather_object(path)
        if len(set(paths)) > 1:
            raise ParallelError(
                "-in_memory holds one database for all ranks, and they open "
                f"{paths[0]} and {paths[-1]}; needed: one, or no -in_memory"
            )
        if path not in self._stores:
            self._stores[path] = self._load(path, backend)
        return self._stores[path]

    def _load(self, path: str, backend: str) -> InMemoryStore:
        ranks = self._communicator
        order = [rank for group in ranks.groups for rank in group]
        place = order.index(ranks.rank)
        origin, records = _part(ranks, path, backend, place)
        lengths = ranks.allgather_object(np.array([len(record) for record in records], np.int64))
        in_order = np.concatenate([lengths[rank] for rank in order])
        offsets = np.concatenate([[0], np.cumsum(in_order)]).astype(np.int64)
        sizes = [int(sum(lengths[rank].sum() for rank in group)) for group in ranks.groups]
        host = ranks.groups.index(ranks.neighbours)
        _check_room(path, sizes[host], ranks)
        part = memoryview(map_together(ranks, max(1, sizes[host])))
        at = int(sum(lengths[rank].sum() for rank in ranks.neighbours[: ranks.local_rank]))
        for record in records:
            part[at : at + len(record)] = record
            at += len(record)
        if backend != "leveldb":
            origin.close()
        ranks.barrier()
        reads = None
        if len(ranks.groups) > 1:
            reads = ranks.lay_open(part if ranks.local_rank == 0 else memoryview(b""))
        leaders = [group[0] for group in ranks.groups]
        bounds = np.concatenate([[0], np.cumsum(sizes)])
        parts = _Parts(part.toreadonly(), host, bounds, leaders, reads)
        return InMemoryStore(path, backend, parts, offsets)


class _Parts:
    """Every host's part.

    ``bounds``: where each begins, and where the last one ends.
    """

    def __init__(
        self, own: memoryview, host: int, bounds: Numbers, leaders: list[int], reads: Reads | None
    ) -> None:
        self._own = own
        self._host = host
        self._bounds = bounds
        self._leaders = leaders
        self._reads = reads

    def read(self, starts: Numbers, ends: Numbers) -> list[Buffer]:
        hosts = np.searchsorted(self._bounds, starts, "right") - 1
        records: list[Buffer] = [b""] * len(starts)
        for host in np.unique(hosts).tolist():
            here = np.flatnonzero(hosts == host)
            base = self._bounds[host]
            if host == self._host:
                pieces: list[Buffer] = [self._own[starts[i] - base : ends[i] - base] for i in here]
            else:
                assert self._reads is not None
                pieces = self._reads.read(
                    self._leaders[host], starts[here] - base, ends[here] - base
                )
            for i, piece in zip(here.tolist(), pieces):
                records[i] = piece
        return records


def _part(ranks: Communicator, path: str, backend: str, place: int) -> tuple[Store, list[Buffer]]:
    """The database, and this rank's part of its records.

    The records stay where they lie in the file, but for LevelDB.
    """
    if backend != "leveldb":
        return _read(path, backend, place, ranks.size)
    for turn in range(ranks.size):  # LevelDB is open to one process at a time
        if turn == place:
            store, records = _read(path, backend, place, ranks.size)
            store.close()
        ranks.barrier()
    return store, records


def _read(path: str, backend: str, part: int, parts: int) -> tuple[Store, list[Buffer]]:
    store = open_read(path, backend)
    length = len(store)
    Shard(size=parts).check(length, path)
    first = part * length // parts
    last = (part + 1) * length // parts
    cursor = store.cursor()
    cursor.skip(first)
    return store, cursor.take(last - first)


def _check_room(path: str, n_bytes: int, ranks: Communicator) -> None:
    try:
        with open(MEMORY_INFO) as file:
            free = next(
                int(line.split()[1]) << 10 for line in file if line.startswith("MemAvailable")
            )
    except (OSError, StopIteration):
        return  # another system: it will say so itself
    if free < n_bytes:
        raise DataError(
            f"'{path}': the part of {ranks.host} takes {n_bytes >> 20} MiB, "
            f"and {free >> 20} MiB are free; "
            "needed: more hosts, or no -in_memory"
        )
