"""What an interrupt or a hang-up makes the solver do, at the end of the iteration."""

from __future__ import annotations

import contextlib
import math
import signal
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from enum import Enum
from types import FrameType

from caffepy import log
from caffepy.errors import UsageError, nearest

IMPATIENT = 3
"""The interrupt that ends the program at once."""
SAME_REQUEST_S = 1.0
"""A signal for a snapshot that comes within this time after one has begun asks for that one.

A process may get two hang-ups when its terminal closes: from the shell, and from the kernel when
the shell ends. Several ranks get one each, and one may see it an iteration later than another.
"""
PLACE = "signals.py:0"
NAMES = {"SIGINT": "interrupt", "SIGHUP": "hang-up"}
"""What people call these signals."""


class Action(Enum):
    """What a signal asks for; the values are those of -sigint_effect and -sighup_effect."""

    NONE = "none"
    STOP = "stop"
    SNAPSHOT = "snapshot"


def action(name: str, flag: str) -> Action:
    """The action of this name; UsageError naming the flag if there is none."""
    names = [a.value for a in Action]
    if name not in names:
        raise UsageError(
            f'-{flag} {name}: Invalid signal effect "{name}" was specified; '
            f"needed: {', '.join(names)}{nearest(name, names)}"
        )
    return Action(name)


class Signals:
    """Remembers which signals came, until the solver asks.

    A second interrupt asks for the same again. A third one, before the first two were acted upon,
    ends the program at once: the user does not want to wait for a snapshot any more.
    """

    def __init__(
        self,
        *,
        sigint: Action = Action.STOP,
        sighup: Action = Action.SNAPSHOT,
        sigterm: Action = Action.NONE,
        snapshot_at_end: bool = True,
    ) -> None:
        """``sigterm``: by default it is not caught and ends the process, as in Caffe.

        ``snapshot_at_end``: whether a training that is stopped writes one; for the log's words.
        """
        self._snapshot_at_end = snapshot_at_end
        self._effects: dict[int, Action] = {}
        if hasattr(signal, "SIGHUP"):
            self._effects[signal.SIGHUP] = sighup
        self._effects[signal.SIGINT] = sigint
        if sigterm is not Action.NONE:
            self._effects[signal.SIGTERM] = sigterm
        self._came: dict[int, float] = {}
        """When a signal came last; without those that were given out."""
        self._snapshot_began = -math.inf
        self._interrupts = 0
        """How many were not acted upon. One that asks for the end counts until the end."""

    def requested(self) -> Action:
        """The action that a signal has asked for since the last call.

        A hang-up comes before an interrupt, as in Caffe, so that no snapshot is lost.
        """
        for number, effect in self._effects.items():
            came = self._came.pop(number, None)
            if came is None or effect is Action.NONE:
                continue
            if number == signal.SIGINT and effect is Action.SNAPSHOT:
                self._interrupts = 0
            if effect is Action.SNAPSHOT and self._has_just_begun(came):
                continue
            return effect
        return Action.NONE

    def _has_just_begun(self, came: float) -> bool:
        """Whether the snapshot that a signal at this time asks for has begun already."""
        return came < self._snapshot_began + SAME_REQUEST_S

    def snapshot_begins(self) -> None:
        """A snapshot that this rank or another was asked for begins now."""
        self._snapshot_began = time.monotonic()

    def _note(self, number: int, frame: FrameType | None) -> None:
        self._interrupts += number == signal.SIGINT and self._effects[number] is not Action.NONE
        if self._interrupts >= IMPATIENT:
            self._tell(
                log.WARNING,
                "interrupted for the third time: the program ends at once,"
                " with the snapshots that are there",
            )
            signal.signal(number, signal.SIG_DFL)
            signal.raise_signal(number)
        self._came[number] = time.monotonic()
        self._acknowledge(number)

    def _acknowledge(self, number: int) -> None:
        """Say at once what will be done: an iteration may take long."""
        effect = self._effects[number]
        if effect is Action.NONE:
            return
        if effect is Action.SNAPSHOT and self._has_just_begun(self._came[number]):
            return
        name = signal.Signals(number).name
        what = "a snapshot after this iteration"
        if effect is Action.STOP:
            snapshot = " and a snapshot" if self._snapshot_at_end else ", without a snapshot"
            what = f"stopping after this iteration{snapshot}"
        is_second = number == signal.SIGINT and self._interrupts == IMPATIENT - 1
        more = "; a third interrupt ends the program at once" if is_second else ""
        self._tell(log.INFO, f"{NAMES.get(name, name)}: {what}{more}")

    def _tell(self, level: int, message: str) -> None:
        # the log refuses a line where the signal has interrupted its own writing
        with contextlib.suppress(RuntimeError):
            log.write(level, PLACE, message)

    @contextmanager
    def caught(self) -> Iterator[Signals]:
        """Catch the signals in the block, and restore their handlers after it."""
        if threading.current_thread() is not threading.main_thread():
            yield self  # only the main thread may catch signals
            return
        before: Mapping[int, object] = {
            number: signal.signal(number, self._note) for number in self._effects
        }
        try:
            yield self
        finally:
            for number, handler in before.items():
                back = handler if handler is not None else signal.SIG_DFL
                signal.signal(number, back)  # type: ignore[arg-type]  # one that was set before


class Requests:
    """What signals have asked for and is still to be done."""

    def __init__(self, signals: Signals | None) -> None:
        self._signals = signals
        self._snapshot = False

    def take(self) -> Action:
        """The newest request; without one, a snapshot that waits.  Each is given out once."""
        came = self._signals.requested() if self._signals is not None else Action.NONE
        if came is Action.NONE or came is Action.SNAPSHOT:
            return Action.SNAPSHOT if self.waiting() or came is Action.SNAPSHOT else Action.NONE
        return came

    def stop(self) -> bool:
        """Whether the end is asked for.  A request for a snapshot is kept for `take`."""
        came = self.take()
        self._snapshot |= came is Action.SNAPSHOT
        return came is Action.STOP

    def snapshot_begins(self) -> None:
        """See `Signals.snapshot_begins`."""
        if self._signals is not None:
            self._signals.snapshot_begins()

    def waiting(self) -> bool:
        """Whether a snapshot waits; given out once."""
        waits = self._snapshot
        self._snapshot = False
        return waits
