"""Which class stands for which exchange name: one dict and one decorator."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from caffepy import log
from caffepy.errors import ParallelError, nearest
from caffepy.registry import Registry

if TYPE_CHECKING:
    from caffepy.parallel.exchange.base import Exchange, Setting

EXCHANGES: Registry[type[Exchange]] = Registry("exchange")
E = TypeVar("E", bound="type[Exchange]")


def register_exchange(name: str) -> Callable[[E], E]:
    """Class decorator: the class is the exchange called ``name``."""

    def register(cls: E) -> E:
        EXCHANGES.add(name, cls)
        cls.name = name
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
    made = exchange(setting)
    if setting.communicator.size > 1 and setting.communicator.is_root:
        _tell_ignored(made)
    return made


def _tell_ignored(exchange: Exchange) -> None:
    """A line for each flag that changes nothing here."""
    setting, on_gpu = exchange.setting, exchange.buffer.flat.is_cuda
    if setting.wire is not None and on_gpu:
        log.warning("registry.py:0", "-compress changes nothing between GPUs: their gradients travel as they are.")
    if setting.lazy and not exchange.late:
        why = "between GPUs" if on_gpu else "where an update needs all gradients at once, as with clip_gradients"
        log.warning("registry.py:0", f"-lazy_update changes nothing {why}: parameters are updated at the end of each iteration.")
