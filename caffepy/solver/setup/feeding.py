"""How records are divided among ranks: the flags -shard, -shuffle, -readers, -in_memory."""

from __future__ import annotations

from dataclasses import dataclass, replace

from caffepy.data.shard import BATCH, FILES, MODES, Shard
from caffepy.data.stores import open_read
from caffepy.errors import ParallelError
from caffepy.parallel.job.readers import Readers
from caffepy.parallel.job.record_memory import RecordMemory
from caffepy.parallel.job.sharing import Sharing, check_word
from caffepy.parallel.transport.communicator import Communicator
from caffepy.solver.setup.batches import Share


@dataclass(frozen=True)
class Feeding:
    """The flags, by their names.

    ``shard``: one of `MODES`. ``shuffle``: shuffle the records of a training net in each epoch.
    ``readers``: how many processes on each host make batches for its ranks; 0: each rank makes its
    own. ``in_memory``: load databases at the start, into the memory of all hosts together.
    """

    shard: str = "record"
    shuffle: bool = False
    readers: int = 0
    in_memory: bool = False

    def __post_init__(self) -> None:
        """Errors: ParallelError naming the flag."""
        check_word("shard", self.shard, MODES)
        if self.readers < 0:
            raise ParallelError(f"-readers {self.readers}; needed: 0 or more")
        if self.in_memory and (self.readers or self.shard == FILES):
            other = f"-readers {self.readers}" if self.readers else f"-shard {self.shard}"
            raise ParallelError(
                f"-in_memory with {other}: the ranks share what is in their memory; "
                "needed: one of the two"
            )

    def start(self, communicator: Communicator, sharing: Sharing) -> Feed:
        """Start the readers, and return this rank's part of the data.  Collective."""
        readers = Readers(communicator, self.readers) if self.readers else None
        mine = readers.mine if readers is not None else ()
        memory = RecordMemory(communicator).open
        opener = memory if self.in_memory else open_read
        shard = Shard(
            communicator.rank,
            communicator.size,
            self.shard,
            communicator.bcast_object,
            opener,
            memory,
            mine,
        )
        tests = replace(shard, mode=FILES if self.shard == FILES else BATCH)
        return Feed(Share(shard, tests, sharing.divisor(communicator), self.shuffle), readers)


@dataclass(frozen=True)
class Feed:
    """This rank's part of the data.  ``readers``: the processes that make its batches."""

    share: Share
    readers: Readers | None = None

    def close(self) -> None:
        """End the readers.  The sources have to be closed before."""
        if self.readers is not None:
            self.readers.close()
