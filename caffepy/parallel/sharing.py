"""What several ranks mean by one iteration: whose batch ``batch_size`` is, what becomes of their gradients, how these travel."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from caffepy.errors import ParallelError, nearest

if TYPE_CHECKING:
    from caffepy.parallel.communicator import Communicator

BATCH_MODES = {
    "per_rank": "every rank has batches of batch_size (BVLC Caffe, CaffeGPI, PMLS-Caffe, Intel Caffe)",
    "per_node": "the ranks of a host divide batch_size (NVCaffe, Caffe-MPI 1.0 and 2.0)",
    "global": "all ranks divide batch_size (S-Caffe)",
}
GRAD_SCALES = {
    "mean": "the mean of the ranks' gradients, so that base_lr means what it does in one process",
    "sum": "their sum, as in PMLS-Caffe",
}


@dataclass(frozen=True)
class Sharing:
    """The choices, by the names of the flags: -exchange, -batch_mode, ...

    ``lazy_update``: update a parameter when it is next used (Intel Caffe, S-Caffe).
    ``svb``: whether InnerProduct layers' gradients travel as factors: on, off, or auto, by measurement (PMLS-Caffe, Poseidon).
    ``compress``: none, fp16 or bf16, the numbers in which gradients travel.
    ``table_staleness``: updates that a parameter of the exchange ``ps`` may lack when it is used (PMLS-Caffe).
    """

    exchange: str = "allreduce"
    batch_mode: str = "per_rank"
    grad_scale: str = "mean"
    lazy_update: bool = False
    table_staleness: int = 0
    svb: str = "off"
    compress: str = "none"

    def __post_init__(self) -> None:
        """Errors: ParallelError naming the known words."""
        from caffepy.parallel.exchange import EXCHANGES

        check_word("exchange", self.exchange, EXCHANGES)
        check_word("batch_mode", self.batch_mode, BATCH_MODES)
        check_word("grad_scale", self.grad_scale, GRAD_SCALES)
        check_word("svb", self.svb, ("auto", "on", "off"))
        check_word("compress", self.compress, ("none", "fp16", "bf16"))
        if self.compress != "none" and not EXCHANGES[self.exchange].compresses:
            fitting = ", ".join(name for name, exchange in sorted(EXCHANGES.items()) if exchange.compresses)
            raise ParallelError(f"-compress {self.compress} with -exchange {self.exchange}; needed: one of {fitting}, or -compress none")
        if self.table_staleness and self.svb != "off":
            raise ParallelError(f"-svb {self.svb} with -table_staleness {self.table_staleness}: factors are never stale; needed: -svb off")
        if self.table_staleness and (self.exchange != "ps" or self.table_staleness < 0):
            raise ParallelError(
                f"-table_staleness {self.table_staleness} with -exchange {self.exchange}; needed: 0, or a positive number with -exchange ps"
            )

    @property
    def average(self) -> bool:
        """The job's gradient is the mean over the ranks."""
        return self.grad_scale == "mean"

    def divisor(self, communicator: Communicator) -> int | Fraction:
        """By how much a net's batch_size is divided to get that of a rank.  ParallelError where hosts with unequal ranks share it."""
        if self.batch_mode == "per_rank":
            return 1
        if self.batch_mode == "global":
            return communicator.size
        counts = {len(group) for group in communicator.groups}
        if len(counts) > 1:
            found = ", ".join(str(len(group)) for group in communicator.groups)
            raise ParallelError(
                f"-batch_mode per_node: the hosts have {found} ranks, so a picture would count more on one than on another; "
                "needed: as many ranks on each host, or -batch_mode per_rank or global"
            )
        return communicator.local_size


def check_word(flag: str, word: str, known: Collection[str]) -> None:
    """ParallelError unless ``word`` is one of those that ``-flag`` takes."""
    if word not in known:
        raise ParallelError(f"-{flag} {word}: unknown; needed: one of {', '.join(sorted(known))}{nearest(word, known)}")
