"""Batches made ahead of time by a thread."""

from __future__ import annotations

import math
import queue
import threading
import weakref
from dataclasses import dataclass, field

from caffepy.data.source import Batch, Source, State
from caffepy.data.transformer import RandomStream

_LOOK_S = 0.1
_ALWAYS = 4
_MOST_BYTES = 1 << 31


@dataclass(eq=False)
class _Queue:
    """What the thread and the reader of the batches share.

    ``made``: batches with the state after each, or the error that ended the thread. ``stop``: tells
    the thread to end.
    """

    made: queue.Queue[tuple[Batch, State] | BaseException]
    stop: threading.Event = field(default_factory=threading.Event)
    thread: threading.Thread | None = None

    def end(self) -> None:
        """Stop the thread and wait for it; safe to call at any time."""
        self.stop.set()
        if self.thread is not None:
            self.thread.join()


class Prefetcher(Source):
    """A source whose batches are made by a thread, ``depth`` ahead of time.

    Its state is that of the last batch that was handed out. An error in the thread is raised by
    `next`, at the batch that it concerns.
    """

    def __init__(self, source: Source, depth: int) -> None:
        """``depth``: batches kept ready (Caffe's ``data_param.prefetch``), at least 1.

        Above 4, Caffe's default, they take no more than 2 GiB.
        """
        batch_bytes = 4 * sum(math.prod(shape) for shape in source.shapes)
        self.source = source
        self.depth = max(1, min(depth, max(_ALWAYS, _MOST_BYTES // max(1, batch_bytes))))
        self.shapes = source.shapes
        self.shard = source.shard
        self.pool = source.pool
        self.batches = 0
        self.spent_s = 0.0
        self._handed_out: State | None = None
        self._queue: _Queue | None = None
        self._finalizer: weakref.finalize[[], Prefetcher] | None = None

    def seed(self, stream: RandomStream) -> None:
        self._halt()
        self.source.seed(stream)
        self._handed_out = None
        self._begin()

    def _make(self) -> Batch:
        batches = self._queue or self._begin()
        made = batches.made.get()
        if isinstance(made, BaseException):
            batches.made.put(made)  # later calls fail too
            raise made
        batch, self._handed_out = made
        return batch

    @property
    def maker(self) -> Source:
        return self.source

    @property
    def ready(self) -> int:
        """Batches that are ready; 0 if the source is slower than the reader of the batches."""
        return self._queue.made.qsize() if self._queue is not None else 0

    def state(self) -> State:
        return self.source.state() if self._handed_out is None else self._handed_out

    def restore(self, state: State) -> None:
        self._halt()
        self.source.restore(state)
        self._handed_out = state
        self._begin()

    def close(self) -> None:
        self._halt()
        self.source.close()

    def _begin(self) -> _Queue:
        batches = self._queue = _Queue(queue.Queue(self.depth))
        if self._handed_out is None:
            # the state before the thread's first batch
            self._handed_out = self.source.state()
        thread = threading.Thread(
            target=_make, args=(self.source, batches), name="caffepy-prefetch", daemon=True
        )
        thread.start()
        batches.thread = thread
        # also at exit, so that no thread is inside a library while the interpreter goes down
        self._finalizer = weakref.finalize(self, batches.end)
        return batches

    def _halt(self) -> None:
        if self._queue is not None:
            if self._finalizer is not None:
                self._finalizer()
            self._queue = None


def _make(source: Source, batches: _Queue) -> None:
    """The thread's work: make batches and put them in the queue until told to stop."""
    while not batches.stop.is_set():
        item: tuple[Batch, State] | BaseException
        try:
            item = source.next(), source.state()
        except BaseException as error:  # noqa: BLE001 - raised again where the batch is asked for
            item = error
        while not batches.stop.is_set():
            try:
                batches.made.put(item, timeout=_LOOK_S)
                break
            except queue.Full:
                continue
        if isinstance(item, BaseException):
            return
