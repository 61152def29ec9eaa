"""Which class is the exchange of which name: one table, made by the files of the exchanges.

The help of ``-exchange`` is made from it, so it imports nothing that takes time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from caffepy import log
from caffepy.errors import ParallelError, nearest
from caffepy.registry import FileRegistry

if TYPE_CHECKING:
    from caffepy.parallel.exchange.core.base import Exchange, Setting

EXCHANGES: FileRegistry[type[Exchange]] = FileRegistry(
    "exchange", decorator="register_exchange", package="caffepy.parallel.exchange"
)
ALONE = "null"
"""The exchange of a process alone; nobody need ask for it."""
AUTO = "auto"
"""In place of a name: the one of the synchronous exchanges that sends least."""

E = TypeVar("E", bound="type[Exchange]")


def register_exchange(name: str) -> Callable[[E], E]:
    """Class decorator: the class is the exchange called ``name``."""

    def register(cls: E) -> E:
        EXCHANGES.add(name, cls, cls.__module__)
        cls.name = name
        return cls

    return register


def offered() -> list[str]:
    """The names that ``-exchange`` takes, beside `AUTO`."""
    return sorted(name for name in EXCHANGES if name != ALONE)


def check_name(name: str) -> None:
    """ParallelError naming the known exchanges if there is none of this name."""
    if name not in EXCHANGES:
        known = (*offered(), AUTO)
        raise ParallelError(
            f"Unknown exchange: {name} (known exchanges: {', '.join(known)}){nearest(name, known)}"
        )


def make_exchange(name: str, setting: Setting) -> Exchange:
    """The exchange called ``name``; a process alone gets the null exchange whatever the name.

    Errors: ParallelError if there is none of that name, or if it cannot move tensors of a GPU.
    """
    check_name(name)
    exchange = EXCHANGES[ALONE if setting.communicator.size == 1 else name]
    if setting.buffer.flat.is_cuda and not exchange.on_gpu:
        raise ParallelError(
            f"-exchange {name}: moves tensors of the CPU only; needed on GPUs: -exchange allreduce"
        )
    made = exchange(setting)
    if setting.communicator.size > 1 and setting.communicator.is_root:
        _warn_of_flags_without_effect(made)
    return made


def _warn_of_flags_without_effect(exchange: Exchange) -> None:
    setting = exchange.setting
    on_gpu = exchange.buffer.flat.is_cuda
    if setting.wire is not None and on_gpu:
        log.warning(
            "registry.py:0",
            "-compress changes nothing between GPUs: their gradients travel as they are.",
        )
    if setting.lazy and not exchange.late:
        why = (
            "between GPUs"
            if on_gpu
            else "where an update needs all gradients at once, as with clip_gradients"
        )
        log.warning(
            "registry.py:0",
            f"-lazy_update changes nothing {why}: "
            "parameters are updated at the end of each iteration.",
        )
