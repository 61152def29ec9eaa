"""Moves messages while the net computes.

An exchange writes what has to happen to a piece of the gradient as a task: a generator that yields
each transfer it waits for. The courier goes from task to task and advances those whose transfers
are done.

MPI moves a message only while somebody is inside an MPI call: a nonblocking call alone gets no
further than the first buffer. So the courier has a thread, which asks every `PERIOD_S` and sleeps
in between. Who waits for a task asks more often, and less often the longer nothing has moved: ranks
that wait leave their processor to those that share it, and are late by 1 / 16 of a wait at most.

Measured on a link whose transfer takes as long as the computing beside it (tools/bench/NOTES.md):
the thread hides all of the transfer. To ask only when a layer is done hides a fifth of it with 8
layers, four fifths with 50.

An MPI library may refuse calls from two threads (below MPI_THREAD_MULTIPLE). Then there is no
thread, and tasks advance whenever a gradient is ready, and in `wait`.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Generator, Iterable
from dataclasses import dataclass, field
from itertools import islice

from caffepy.parallel.transport.transfer import Transfer, nap_s

Task = Generator[Transfer, None, None]

PERIOD_S = 1e-3
"""A rank's processor loses about 2 % to being asked so often.

The buffers of sockets keep a 10 Gb link busy in between.
"""


@dataclass(eq=False)
class Job:
    """A task under way.

    ``transfer``: what it waits for. ``finished``: it has run to its end.
    """

    task: Task
    transfer: Transfer | None = None
    finished: bool = False

    def done(self) -> bool:
        """A job is itself a transfer that others can wait for."""
        return self.finished

    def step(self) -> bool:
        """Advance the task as far as it goes now; whether it moved."""
        moved = False
        while not self.finished and (self.transfer is None or self.transfer.done()):
            moved = True
            try:
                self.transfer = next(self.task)
            except StopIteration:
                self.finished = True
        return moved


AT_ONCE = 8
"""Tasks of a `TaskGroup` that are under way together."""


class TaskGroup:
    """Several tasks as one transfer.

    They begin in their order, a few at a time: each needs memory while it is under way.
    """

    def __init__(self, tasks: Iterable[Task], *, at_once: int = AT_ONCE) -> None:
        self._tasks = iter(tasks)
        self._at_once = at_once
        self._jobs: list[Job] = []

    def done(self) -> bool:
        """Advance them; whether all are finished."""
        while True:
            for job in self._jobs:
                job.step()
            self._jobs = [job for job in self._jobs if not job.finished]
            fresh = list(islice(self._tasks, self._at_once - len(self._jobs)))
            if not fresh:
                return not self._jobs
            self._jobs += map(Job, fresh)


@dataclass
class Courier:
    """``threaded``: it has a thread of its own.  Tasks that were started earlier come first.

    ``waited_s``: seconds spent in `wait`, that is, what was not hidden behind computing.
    ``busy_s``: seconds in which some task was under way, waited for or not.
    """

    threaded: bool = True
    waited_s: float = 0.0
    busy_s: float = 0.0
    _busy_since: float = 0.0
    _jobs: list[Job] = field(default_factory=list)
    _advancing: threading.Lock = field(default_factory=threading.Lock)
    _wake: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None
    _error: BaseException | None = None

    def start(self, task: Task) -> Job:
        """Begin ``task``, up to its first transfer that is not done at once."""
        job = Job(task)
        with self._advancing:
            job.step()
            if not job.finished:
                if not self._jobs:
                    self._busy_since = time.perf_counter()
                self._jobs.append(job)
        if self.threaded:
            if self._thread is None:
                thread = threading.Thread(target=self._run, name="courier", daemon=True)
                thread.start()
                self._thread = thread
            self._wake.set()
        else:
            self.advance()
        return job

    def advance(self) -> bool:
        """Advance every task as far as it goes now; False if none moved."""
        with self._advancing:
            moved = [job for job in self._jobs if job.step()]
            self._jobs = [job for job in self._jobs if not job.finished]
            if moved and not self._jobs:
                self.busy_s += time.perf_counter() - self._busy_since
        return bool(moved)

    def wait(self, transfer: Transfer) -> None:
        """Return when ``transfer``, mostly a job, is done; raises what a task raised."""
        began = moved = time.perf_counter()
        while not transfer.done():
            if self.advance():
                moved = time.perf_counter()
            else:
                time.sleep(nap_s(time.perf_counter() - moved))
            if self._error is not None:
                raise self._error
        self.waited_s += time.perf_counter() - began

    @property
    def hidden_s(self) -> float:
        """Seconds in which tasks were under way while the net computed."""
        return max(0.0, self.busy_s - self.waited_s)

    def _run(self) -> None:
        """The thread: asleep while there is nothing to move."""
        while True:
            self._wake.wait()
            self._wake.clear()
            while self._jobs:
                try:
                    self.advance()
                except BaseException as error:  # noqa: BLE001 - raised where the task is waited for
                    self._error = error
                    return
                time.sleep(PERIOD_S)
