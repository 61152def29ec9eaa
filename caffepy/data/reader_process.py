"""A process that makes batches for other processes of its host, as Caffe-MPI's reader processes do.

It prints the address at which it listens, and ends with its standard input. Each connection asks
for one source and is served by threads of its own. Requests are the methods ``on_...`` of
`_Service`. Answers are log lines, results of requests, and batches.
"""

from __future__ import annotations

import os
import queue
import signal
import sys
import threading
import time
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from multiprocessing.connection import Connection, Listener
from typing import Any

import numpy as np
import torch

from caffepy import log
from caffepy.data.shard import Shard
from caffepy.data.shared_memory import SharedFile
from caffepy.data.source import Batch, Source, State
from caffepy.data.transformer import Draws
from caffepy.errors import DataError
from caffepy.proto import caffe_pb2

SPARE_BYTES = 1 << 16
_thread = threading.local()


@dataclass(frozen=True)
class SourceRequest:
    """What a rank asks for: a source, and which of its batches.

    ``module`` and ``name``: the source's class. This reader makes batch ``turn``, and then each
    ``turns``-th.
    """

    module: str
    name: str
    param: bytes
    phase: int
    shard: Shard
    turn: int
    turns: int
    slots: int


@dataclass(frozen=True)
class MadeBatch:
    """A batch that was made.

    ``run``: the `begin` that asked for it. ``slot``: its place in the shared memory; None: it is in
    ``tensors``. ``spent_s``: the time to make it.
    """

    run: int
    number: int
    slot: int | None
    shapes: list[tuple[int, ...]]
    tensors: list[Any]
    spent_s: float


class _Service:
    """One connection: a source, its slots of shared memory, and the thread that fills them."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._sending = threading.Lock()
        self._source: Source | None = None
        self._stop = threading.Event()
        self._thread = threading.Thread()
        self._free: queue.Queue[int] = queue.Queue()
        self._states: OrderedDict[int, State] = OrderedDict()

    def serve(self) -> None:
        """Answer requests until the connection ends."""
        _thread.service = self
        with suppress(EOFError, OSError):
            while True:
                kind, *rest = self._connection.recv()
                try:
                    getattr(self, f"on_{kind}")(*rest)
                except DataError as error:
                    self.send("error", str(error))
        self._halt()
        if self._source is not None:
            self._source.close()

    def send(self, *message: object) -> None:
        """Send a message to the other side."""
        with self._sending:
            self._connection.send(message)

    def raw(self, n: int) -> Draws:
        """Draws from the random stream of the other side's net."""
        self.send("raw", n)
        draws: Draws = self._connection.recv()
        return draws

    def _agree(self, value: int) -> int:
        self.send("agree", value)
        return int(self._connection.recv())

    def on_open(self, request: SourceRequest) -> None:
        param = caffe_pb2.LayerParameter.FromString(request.param)
        shard = Shard(request.shard.rank, request.shard.size, request.shard.mode, self._agree)
        source: Source = getattr(import_module(request.module), request.name)(
            param, request.phase, shard
        )
        self._source = source
        self._request = request
        self._bytes = SPARE_BYTES + 4 * sum(int(np.prod(shape)) for shape in source.shapes)
        file = SharedFile(request.slots * self._bytes)
        self._memory = np.frombuffer(file.memory, np.uint8).reshape(request.slots, self._bytes)
        self.send("opened", source.shapes, file.path, self._bytes)
        self._connection.recv()  # the other side has mapped it
        file.forget()

    def on_seed(self) -> None:
        self._halt()
        self._opened.seed(self)
        self.send("seeded")

    def on_restore(self, state: State) -> None:
        self._halt()
        self._opened.restore(state)
        self.send("restored")

    def on_state(self, number: int) -> None:
        """Send the state after batch ``number``; -1: before the first."""
        self.send("state", self._opened.state() if number < 0 else self._states[number])

    def on_begin(self, run: int) -> None:
        self._halt()
        self._free = queue.Queue()
        for slot in range(self._request.slots):
            self._free.put(slot)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._fill, args=(run, self._stop), daemon=True)
        self._thread.start()

    def on_free(self, slot: int) -> None:
        """The batch in this slot was copied, and the slot is free."""
        self._free.put(slot)

    @property
    def _opened(self) -> Source:
        if self._source is None:
            raise DataError("the source is not open")
        return self._source

    def _halt(self) -> None:
        self._stop.set()
        self._free.put(-1)
        if self._thread.is_alive():
            self._thread.join()

    def _fill(self, run: int, stop: threading.Event) -> None:
        """The thread's work: make batches until told to stop."""
        _thread.service = self
        source = self._opened
        request = self._request
        try:
            source.skip(request.turn)
            number = request.turn
            while not stop.is_set():
                slot = self._free.get()
                if slot < 0 or stop.is_set():
                    return
                began = time.perf_counter()
                batch = source.next()
                self._states[number] = source.state()
                while len(self._states) > request.slots + 2:
                    self._states.popitem(last=False)
                self.send("made", self._put(batch, run, number, slot, time.perf_counter() - began))
                number += request.turns
                source.skip(request.turns - 1)
        except (EOFError, OSError):
            return  # the other side has ended
        except Exception as error:  # noqa: BLE001 - raised again where the batch is asked for
            with suppress(OSError):
                self.send(
                    "broken",
                    str(error)
                    if isinstance(error, DataError)
                    else f"{type(error).__name__}: {error}",
                )

    def _put(self, batch: Batch, run: int, number: int, slot: int, spent_s: float) -> MadeBatch:
        shapes = [tuple(top.shape) for top in batch]
        if 4 * sum(top.numel() for top in batch) > self._bytes:
            return MadeBatch(
                run, number, None, shapes, [top.numpy().copy() for top in batch], spent_s
            )
        start = 0
        memory = self._memory[slot].view(np.float32)
        for top in batch:
            memory[start : start + top.numel()] = top.numpy().reshape(-1)
            start += top.numel()
        return MadeBatch(run, number, slot, shapes, [], spent_s)


def _forward_log(level: int, where: str, message: str) -> None:
    """Send a log line to the process for which this thread works."""
    service = getattr(_thread, "service", None)
    if service is not None:
        with suppress(OSError):
            service.send("log", level, where, message)


def _end_with_leader() -> None:
    sys.stdin.buffer.read()
    os._exit(0)


def main() -> None:
    """Listen, say where, and serve until standard input ends."""
    for name in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        # the ranks handle these signals and then end the readers
        signal.signal(name, signal.SIG_IGN)
    log.sink.instead = _forward_log
    torch.set_num_threads(1)
    with Listener(
        family="AF_UNIX", backlog=64, authkey=bytes.fromhex(os.environ["CAFFEPY_READER_KEY"])
    ) as listener:
        print(listener.address, flush=True)
        threading.Thread(target=_end_with_leader, daemon=True).start()
        while True:
            threading.Thread(target=_Service(listener.accept()).serve, daemon=True).start()
