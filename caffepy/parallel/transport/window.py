"""Memory of a rank that other ranks write into; it takes no part in that."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from torch import Tensor

    from caffepy.parallel.transport.transfer import Transfer


class Window(Protocol):
    """``values``: float32, this rank's memory.

    Beside it are counters, each written by one rank, with ever larger numbers. What was put before
    a counter was set is there when the counter is seen. A transfer is done when what it sent has
    arrived.
    """

    values: Tensor

    def put(self, piece: Tensor, to: int, place: int, counter: int, number: int) -> Transfer:
        """Write ``piece`` into the values of rank ``to``, from index ``place`` on.

        Then write ``number`` into its ``counter``.
        """

    def set_counter(self, to: int, counter: int, number: int) -> Transfer:
        """Write ``number`` into a counter of rank ``to``."""

    def read_counter(self, counter: int) -> int:
        """The value of this rank's counter."""


class CounterReached:
    """A transfer that is done when a counter of this rank has reached ``number``."""

    def __init__(self, window: Window, counter: int, number: int) -> None:
        self._window = window
        self._counter = counter
        self._number = number

    def done(self) -> bool:
        return self._window.read_counter(self._counter) >= self._number
