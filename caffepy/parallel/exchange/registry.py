"""Which class stands for which exchange name: one dict and one decorator."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from caffepy.errors import ParallelError, nearest

if TYPE_CHECKING:
    from caffepy.parallel.exchange.base import Exchange, Setting

EXCHANGES: dict[str, type[Exchange]] = {}
E = TypeVar("E", bound="type[Exchange]")


def register_exchange(name: str) -> Callable[[E], E]:
    """Class decorator: the class is the exchange called ``name``."""

    def register(cls: E) -> E:
        if name in EXCHANGES:
            raise ValueError(f"exchange {name} is registered twice: {EXCHANGES[name]} and {cls}")
        cls.name = name
        EXCHANGES[name] = cls
        return cls

    return register


def make_exchange(name: str, setting: Setting) -> Exchange:
    """The exchange called ``name``; a process alone gets the null exchange whatever the name.

    Errors: ParallelError naming the known exchanges if there is none of that name, or if it cannot move a GPU's tensors.
    """
    if name not in EXCHANGES:
        known = ", ".join(sorted(EXCHANGES))
        raise ParallelError(f"Unknown exchange: {name} (known exchanges: {known}){nearest(name, EXCHANGES)}")
    exchange = EXCHANGES["null" if setting.communicator.size == 1 else name]
    if setting.buffer.flat.is_cuda and not exchange.on_gpu:
        raise ParallelError(f"-exchange {name}: moves tensors of the CPU only; needed on GPUs: -exchange allreduce")
    return exchange(setting)
