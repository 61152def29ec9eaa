"""How the records of a data set come to several ranks: the flags -shard and -shuffle."""

from __future__ import annotations

from dataclasses import dataclass, replace

from caffepy.data.shard import BATCH, FILES, MODES, Shard
from caffepy.parallel.communicator import Communicator
from caffepy.parallel.sharing import Sharing, check_word
from caffepy.solver.batches import Share


@dataclass(frozen=True)
class Feeding:
    """The choices, by the names of the flags.  ``shard``: one of `MODES`. ``shuffle``: the records of each epoch, in all training nets."""

    shard: str = "record"
    shuffle: bool = False

    def __post_init__(self) -> None:
        """Errors: ParallelError naming the known words."""
        check_word("shard", self.shard, MODES)

    def share(self, communicator: Communicator, sharing: Sharing) -> Share:
        """What this rank gets."""
        shard = Shard(communicator.rank, communicator.size, self.shard, communicator.bcast_object)
        tests = replace(shard, mode=FILES if self.shard == FILES else BATCH)
        return Share(shard, tests, sharing.divisor(communicator), self.shuffle)
