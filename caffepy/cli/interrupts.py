"""Interrupts of a program that is not yet at its work: no traceback, whatever is imported then.

Of the standard library this module needs `signal` alone, as it comes before all others.
"""

from __future__ import annotations

import signal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

    Handler = Callable[[int, FrameType | None], object] | signal.Handlers


class Interrupts:
    """What an interrupt does from the program's first line on, where it is not ignored."""

    came = False
    """Whether one came. Some libraries drop it while they are imported, and fail later."""
    place = ""
    """Where the log says that it comes from."""
    _begun = False

    def begin(self) -> None:
        """Let an interrupt end the process at once, as if Python had not caught it."""
        self._begun = self._put(signal.SIG_DFL, signal.default_int_handler)

    def end(self) -> None:
        """Undo `begin`."""
        if self._begun:
            self._put(signal.default_int_handler, signal.SIG_DFL)

    def note(self, place: str) -> None:
        """Let an interrupt be a KeyboardInterrupt that is remembered."""
        self.place = place
        self._put(self._raise, signal.default_int_handler)

    @staticmethod
    def _put(handler: Handler, before: Handler) -> bool:
        """Set ``handler`` where ``before`` is set; whether that was so."""
        if signal.getsignal(signal.SIGINT) != before:
            return False
        try:
            signal.signal(signal.SIGINT, handler)
        except ValueError:  # a thread imports the program
            return False
        return True

    def _raise(self, number: int, frame: FrameType | None) -> None:
        self.came = True
        if imports_torch(frame):
            self._leave()
        raise KeyboardInterrupt

    def _leave(self) -> None:
        """End here: an exception aborts the process within some of what torch imports."""
        import atexit
        import os

        from caffepy import log
        from caffepy.cli.leaving import leave
        from caffepy.cli.signals import INTERRUPTED

        log.error(self.place, "Interrupted.")
        try:
            leave(INTERRUPTED)
        except SystemExit:
            atexit._run_exitfuncs()
            os._exit(INTERRUPTED)


def imports_torch(frame: FrameType | None) -> bool:
    """Whether torch is being imported where ``frame`` is."""
    while frame is not None:
        if frame.f_code.co_name == "<module>" and frame.f_globals.get("__name__") == "torch":
            return True
        frame = frame.f_back
    return False


interrupts = Interrupts()
