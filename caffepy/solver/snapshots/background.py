"""Work that goes on beside the training: one job at a time, in a thread."""

from __future__ import annotations

import threading
from collections.abc import Callable

Job = Callable[[], object]


class Background:
    """Runs jobs one after the other. What a job raises is raised by the next call."""

    def __init__(self) -> None:
        self._thread: threading.Thread | None = None
        self._error: BaseException | None = None

    def start(self, job: Job) -> None:
        """Let ``job`` run from now on, once the one before is done."""
        self.wait()
        thread = threading.Thread(target=self._run, args=(job,), name="caffepy-background")
        thread.start()  # where there is no room for one more, there is none to wait for
        self._thread = thread

    def wait(self) -> None:
        """Return when there is nothing left to do."""
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        error, self._error = self._error, None
        if error is not None:
            raise error

    def check(self) -> None:
        """Raise what a job that is done has raised; wait for none."""
        if self._error is not None:
            self.wait()

    def _run(self, job: Job) -> None:
        try:
            job()
        except BaseException as error:  # noqa: BLE001 - raised again where somebody waits
            self._error = error
