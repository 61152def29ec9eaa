"""What Caffe keeps for the whole process: the mode, the random stream, the solver's rank."""

from __future__ import annotations

import os
import platform
import sys
import threading
from dataclasses import dataclass, field

import torch

from caffepy import log
from caffepy.data.c_rand import CRand
from caffepy.engine.numerics import round_factors
from caffepy.errors import UsageError
from caffepy.layers.core.random import CaffeRandom
from caffepy.layers.core.registry import LAYERS
from caffepy.parallel.launch.environment import Launch, detect
from caffepy.pycaffe.arguments import whole
from caffepy.pycaffe.errors import WrongValue


def _launch() -> Launch:
    """The place of a rank of ``caffepy train``, for the layers that users wrote.

    A script tells its own place.
    """
    return detect(os.environ if "caffepy.cli" in sys.modules else {}, platform.node())


class _Streams(threading.local):
    def __init__(self, c_rand: CRand) -> None:
        self.random = CaffeRandom(None, c_rand)


@dataclass
class State:
    """Mode, rank and, for each thread, random stream of this process. One object, `state`.

    ``has_nets``: this process, or the one that it was forked off, has a net, the program's own or a
    script's, so torch's threads may run.
    """

    device: torch.device = field(default_factory=lambda: torch.device("cpu"))
    device_id: int = 0
    solver_count: int = field(default_factory=lambda: _launch().size)
    solver_rank: int = field(default_factory=lambda: _launch().rank)
    has_nets: bool = field(default_factory=lambda: "caffepy.cli" in sys.modules)
    _streams: _Streams = field(default_factory=lambda: _Streams(CRand()))

    @property
    def random(self) -> CaffeRandom:
        """The calling thread's, as in Caffe.

        Solvers with a ``random_seed`` in several threads do not disturb each other.

        C's ``rand()`` is one for all.
        """
        return self._streams.random


state = State()


def _begin_fork() -> None:
    """Let a process that was forked off compute in one thread.

    It has none of torch's threads, and would wait for them for ever.
    """
    if state.has_nets:
        torch.set_num_threads(1)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_fork)


def set_mode_cpu() -> None:
    """Nets that are built from now on compute on the CPU."""
    state.device = torch.device("cpu")


def set_mode_gpu() -> None:
    """Nets that are built from now on compute on the GPU of `set_device`.

    UsageError where there is none.
    """
    if not torch.cuda.is_available():
        raise UsageError(
            "set_mode_gpu: torch sees no GPU on this machine; needed: a CUDA build of"
            " torch and a GPU, or set_mode_cpu"
        )
    round_factors(False)
    state.device = torch.device("cuda", state.device_id)


def set_device(device_id: int) -> None:
    """Choose the GPU for `set_mode_gpu`."""
    device_id = whole("set_device: device_id", device_id)
    if torch.cuda.is_available() and not 0 <= device_id < torch.cuda.device_count():
        raise WrongValue(
            f"set_device({device_id}); needed: 0 to {torch.cuda.device_count() - 1}, the"
            " GPUs that torch sees"
        )
    state.device_id = device_id
    if state.device.type == "cuda":
        set_mode_gpu()


def set_random_seed(seed: int) -> None:
    """Start the random stream of fillers, dropout and data anew.

    This holds for the nets that this thread has made, too.
    """
    seed = whole("set_random_seed: seed", seed)
    torch.manual_seed(seed % 2**64)
    state.random.restore(CaffeRandom(seed).state())


def layer_type_list() -> list[str]:
    """The types that a prototxt may name, in alphabetical order."""
    return sorted(LAYERS)


def solver_count() -> int:
    """How many processes train together."""
    return state.solver_count


def set_solver_count(count: int) -> None:
    """Say how many processes train together, before solvers are made.

    Each reads its share of the records.
    """
    count = whole("set_solver_count: count", count)
    if count < 1:
        raise WrongValue(f"set_solver_count({count}); needed: at least 1")
    state.solver_count = count


def solver_rank() -> int:
    """This process's place among those that train together."""
    return state.solver_rank


def set_solver_rank(rank: int) -> None:
    """Say which of the processes this is; only the first tests, logs and writes snapshots."""
    rank = whole("set_solver_rank: rank", rank)
    if rank < 0:
        raise WrongValue(f"set_solver_rank({rank}); needed: 0 or more")
    state.solver_rank = rank
    if rank:
        log.sink.min_level = max(log.sink.min_level, log.WARNING)


def set_multiprocess(multiprocess: bool) -> None:
    """Say that the solvers of `solver_count` are processes.

    Here they always are, whatever is said.
    """


def has_nccl() -> bool:
    """Whether processes can train together: torch was built with its distributed package."""
    return torch.distributed.is_available()
