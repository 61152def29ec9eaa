"""What one iteration means on several ranks.

Whose batch ``batch_size`` is, what becomes of the ranks' gradients, and how these travel.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

from caffepy.errors import ParallelError, nearest
from caffepy.parallel.exchange.core.registry import AUTO, EXCHANGES, check_name

if TYPE_CHECKING:
    from caffepy.parallel.exchange.core.base import Serving
    from caffepy.parallel.transport.communicator import Communicator

BATCH_MODES = {
    "per_rank": (
        "every rank has batches of batch_size (BVLC Caffe, CaffeGPI, PMLS-Caffe, Intel Caffe)"
    ),
    "per_node": "the ranks of a host divide batch_size (NVCaffe, Caffe-MPI 1.0 and 2.0)",
    "global": "all ranks divide batch_size (S-Caffe)",
}
SERVER = "ps"
"""The exchange between groups of ranks; the ranks of a group are in step."""
GRAD_SCALES = {
    "mean": "the mean of the ranks' gradients, so that base_lr means what it does in one process",
    "sum": "their sum, as in PMLS-Caffe",
}


@dataclass(frozen=True)
class Sharing:
    """The choices, by the names of the flags: -exchange, -batch_mode, ...

    ``exchange``: ``auto`` stands for the synchronous exchange that sends least; see `chosen`.
    ``lazy_update``: update a parameter when it is next used (Intel Caffe, S-Caffe).
    ``svb``: whether InnerProduct layers' gradients travel as factors: on, off, or auto, by
    measurement (PMLS-Caffe, Poseidon). Empty: auto where the exchange is, else off.
    ``compress``: none, fp16 or bf16: the numbers in which gradients travel.
    ``n_group``: groups of ranks that are in step inside, and exchange by a parameter server (Intel
    Caffe). ``n_server``: ranks that serve, 0 for all.
    ``table_staleness``: updates that a parameter may lack when it is used, with the exchange ``ps``
    or with groups (PMLS-Caffe). None: one with groups, else none.
    ``round_timeout``: seconds that a server waits for late gradients, 0: until they have come
    (Caffe-MPI's ``timeout_sec``).
    ``bandwidth_mbps``: what a rank may send to servers, and as one, in 10^6 bits a second, 0: no
    limit (Bösen).
    """

    exchange: str = "allreduce"
    batch_mode: str = "per_rank"
    grad_scale: str = "mean"
    lazy_update: bool = False
    table_staleness: int | None = None
    svb: str = ""
    compress: str = "none"
    n_group: int = 1
    n_server: int = 0
    round_timeout: float = 0.0
    bandwidth_mbps: float = 0.0

    def __post_init__(self) -> None:
        """Errors: ParallelError naming the known words."""
        if self.exchange != AUTO:
            check_name(self.exchange)
        check_word("batch_mode", self.batch_mode, BATCH_MODES)
        check_word("grad_scale", self.grad_scale, GRAD_SCALES)
        check_word("svb", self.factors, (AUTO, "on", "off"))
        check_word("compress", self.compress, ("none", "fp16", "bf16"))
        self._check_serving()
        if self.compress != "none" and self.way != AUTO and not EXCHANGES[self.way].compresses:
            fitting = ", ".join(
                name for name, exchange in sorted(EXCHANGES.items()) if exchange.compresses
            )
            raise ParallelError(
                f"-compress {self.compress} with {self.words}; "
                f"needed: one of {fitting}, or -compress none"
            )
        if self.factors != "off" and (self.drift or self.n_group > 1):
            raise ParallelError(
                f"-svb {self.svb} with {self.words}: each iteration's factors go to all ranks "
                "in that iteration; needed: -svb off, or no -n_group, -table_staleness "
                "and -round_timeout"
            )

    def _check_serving(self) -> None:
        """Check what only a parameter server has."""
        if self.n_group < 1:
            raise ParallelError(f"-n_group {self.n_group}; needed: 1 or more")
        if self.n_group > 1 and self.exchange not in (Sharing.exchange, SERVER):
            raise ParallelError(
                f"-n_group {self.n_group} with -exchange {self.exchange}; "
                "needed: -exchange allreduce or ps"
            )
        for name in ("table_staleness", "n_server", "round_timeout", "bandwidth_mbps"):
            value = getattr(self, name) or 0
            if value < 0 or (value and (self.way == AUTO or not EXCHANGES[self.way].serves)):
                raise ParallelError(
                    f"-{name} {value:g} with -exchange {self.exchange}; "
                    "needed: 0, or a positive number with -exchange ps or -n_group"
                )

    def chosen(self, communicator: Communicator, *, on_gpu: bool) -> Sharing:
        """The same with nothing left to choose.

        ``auto`` becomes all-reduce, or the hierarchical exchange where that sends less.
        """
        exchange = self.exchange
        if exchange == AUTO:
            device = "cuda" if on_gpu else "cpu"
            fitting = [name for name, kind in EXCHANGES.items() if device in kind.automatic]
            exchange = min(
                fitting, key=lambda name: EXCHANGES[name].link_bytes(1 << 20, communicator.groups)
            )
        return replace(self, exchange=exchange, svb=self.factors)

    @property
    def factors(self) -> str:
        """``svb``, or its default."""
        return self.svb or (AUTO if self.exchange == AUTO else "off")

    @property
    def way(self) -> str:
        """The exchange that is used: with groups a parameter server."""
        return SERVER if self.n_group > 1 else self.exchange

    @property
    def words(self) -> str:
        """The exchange as the user gave it, for messages."""
        stale = f" -table_staleness {self.staleness}" if self.staleness else ""
        timed = f" -round_timeout {self.round_timeout:g}" if self.round_timeout else ""
        return (
            (f"-n_group {self.n_group}" if self.n_group > 1 else f"-exchange {self.exchange}")
            + stale
            + timed
        )

    @property
    def staleness(self) -> int:
        """``table_staleness``, or its default."""
        return self.table_staleness if self.table_staleness is not None else int(self.n_group > 1)

    @property
    def serving(self) -> Serving:
        """What a parameter server is told."""
        from caffepy.parallel.exchange.core.base import Serving

        groups = self.n_group if self.n_group > 1 else 0
        return Serving(
            self.staleness, groups, self.n_server, self.round_timeout, self.bandwidth_mbps * 1e6 / 8
        )

    @property
    def drift(self) -> int:
        """Iterations by which ranks may be apart."""
        return self.serving.drift

    @property
    def average(self) -> bool:
        """The job's gradient is the mean over the ranks."""
        return self.grad_scale == "mean"

    def divisor(self, communicator: Communicator) -> int | Fraction:
        """By how much a net's batch_size is divided to get that of a rank.

        Errors: ParallelError where hosts share it that have unequal numbers of ranks.
        """
        if self.batch_mode == "per_rank":
            return 1
        if self.batch_mode == "global":
            return communicator.size
        counts = {len(group) for group in communicator.groups}
        if len(counts) > 1:
            numbers = ", ".join(str(len(group)) for group in communicator.groups)
            raise ParallelError(
                f"-batch_mode per_node: the hosts have {numbers} ranks, so a picture would count "
                "more on one than on another; needed: as many ranks on each host, "
                "or -batch_mode per_rank or global"
            )
        return communicator.local_size


def check_word(flag: str, word: str, known: Collection[str]) -> None:
    """ParallelError unless ``word`` is one of those that ``-flag`` takes."""
    if word not in known:
        raise ParallelError(
            f"-{flag} {word}: unknown; "
            f"needed: one of {', '.join(sorted(known))}{nearest(word, known)}"
        )
