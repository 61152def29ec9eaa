"""A thread that works while the training goes on, such as at writing a snapshot."""

from __future__ import annotations

import threading
from collections.abc import Callable

Job = Callable[[], object]


class Background:
    """Runs one job at a time. What a job raises is raised by the next call."""

    def __init__(self) -> None:
        self._thread: threading.Thread | None = None
        self._error: BaseException | None = None

    def start(self, job: Job) -> None:
        """Wait for the job before, and start ``job``."""
        self.wait()
        thread = threading.Thread(target=self._run, args=(job,), name="caffepy-background")
        thread.start()  # may fail for lack of memory, and then there is none to wait for
        self._thread = thread

    def wait(self) -> None:
        """Return when the job is done."""
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        if self._error is not None:
            error = self._error
            self._error = None
            raise error

    def check(self) -> None:
        """Raise what a job that is over has raised, without waiting."""
        if self._error is not None:
            self.wait()

    def _run(self, job: Job) -> None:
        try:
            job()
        except BaseException as error:  # noqa: BLE001 - raised again by `wait`
            self._error = error
