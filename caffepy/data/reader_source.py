"""A source whose batches are made by reader processes and come over shared memory."""

from __future__ import annotations

import math
import mmap
import os
from collections import deque
from multiprocessing.connection import Client, Connection
from typing import Any

import numpy as np
import torch

from caffepy import log
from caffepy.data.reader_process import MadeBatch, SourceRequest
from caffepy.data.shard import Reader, Shard
from caffepy.data.shared_memory import attach
from caffepy.data.source import Batch, Clock, Source, State
from caffepy.data.transformer import RandomStream
from caffepy.errors import DataError
from caffepy.proto import caffe_pb2


class _ReaderConnection:
    """The connection to one reader process, for one source."""

    def __init__(self, reader: Reader, request: SourceRequest) -> None:
        self._process = reader.process
        self._waiting: deque[tuple[Any, ...]] = deque()
        try:
            self._connection: Connection = Client(reader.path, "AF_UNIX", reader.key)
        except OSError as error:
            raise self._gone() from error
        self.send("open", request)
        self.shapes, path, self._bytes = self.answer("opened")
        self._memory: mmap.mmap = attach(path, request.slots * self._bytes)
        self.reply("mapped")

    def send(self, *message: object) -> None:
        """Send a request."""
        self.reply(message)

    def reply(self, value: object) -> None:
        """Send what the reader process asked for."""
        try:
            self._connection.send(value)
        except OSError as error:
            raise self._gone() from error

    def receive(self) -> tuple[Any, ...]:
        """The next message of the reader process.

        Log lines are written to this process's log. DataError if the reader met an error or has
        died.
        """
        while True:
            try:
                kind, *rest = self._connection.recv()
            except (EOFError, OSError) as error:
                raise self._gone() from error
            if kind == "log":
                log.write(*rest)
            elif kind == "error":
                raise DataError(rest[0])
            else:
                return (kind, *rest)

    def answer(self, wanted: str) -> tuple[Any, ...]:
        """The content of the next message of this kind; batches before it are kept for `take`."""
        while True:
            kind, *rest = self.receive()
            if kind == wanted:
                return tuple(rest)
            self._waiting.append((kind, *rest))

    def take(self, run: int) -> MadeBatch:
        """The next batch of this run.  DataError if none could be made."""
        while True:
            kind, message = self._waiting.popleft() if self._waiting else self.receive()
            if kind == "broken":
                raise DataError(message)
            if kind == "made" and message.run == run:
                made: MadeBatch = message
                return made

    def views(self, made: MadeBatch) -> list[np.ndarray[Any, np.dtype[np.float32]]]:
        """The arrays of a batch, as views of the shared memory."""
        if made.slot is None:
            return made.tensors
        start = made.slot * self._bytes
        found = []
        for shape in made.shapes:
            count = math.prod(shape)
            found.append(np.frombuffer(self._memory, np.float32, count, start).reshape(shape))
            start += 4 * count
        return found

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def _gone(self) -> DataError:
        return DataError(
            f"reader process {self._process} on {os.uname().nodename} has died; needed: all"
            " that -readers started"
        )


class ReaderSource(Source):
    """A source whose batches are made by reader processes in turn."""

    def __init__(
        self,
        module: str,
        name: str,
        param: caffe_pb2.LayerParameter,
        phase: int,
        shard: Shard,
        *,
        depth: int,
    ) -> None:
        """``module``, ``name``: the source's class. ``depth``: batches kept ready.

        DataError as of the source itself.
        """
        super().__init__(shard)
        plain = Shard(shard.rank, shard.size, shard.mode)
        slots = max(2, -(-depth // len(shard.readers)))
        self._connections: list[_ReaderConnection] = []
        for turn, reader in enumerate(shard.readers):
            request = SourceRequest(
                module,
                name,
                param.SerializeToString(),
                phase,
                plain,
                turn,
                len(shard.readers),
                slots,
            )
            self._connections.append(_ReaderConnection(reader, request))
        self.shapes = self._connections[0].shapes
        self._next = 0
        self._run = 0
        self._made_s = 0.0
        self._beginning: State | None = None
        self._error: DataError | None = None

    def seed(self, stream: RandomStream) -> None:
        """All readers draw the same numbers; the net's stream advances as for one source."""
        drawn: list[Any] = []
        for connection in self._connections:
            connection.send("seed")
            turn = 0
            while True:
                kind, *rest = connection.receive()
                if kind == "seeded":
                    break
                if kind in ("raw", "agree"):
                    if turn == len(drawn):
                        drawn.append(
                            stream.raw(rest[0]) if kind == "raw" else self.shard.agree(rest[0])
                        )
                    connection.reply(drawn[turn])
                    turn += 1
        self._begin()

    def _begin(self) -> None:
        self._run += 1
        self._next = 0
        self._error = None
        self._connections[0].send("state", -1)
        (self._beginning,) = self._connections[0].answer("state")
        for connection in self._connections:
            connection.send("begin", self._run)

    def _make(self) -> Batch:
        if not self._run:
            self._begin()
        if self._error is not None:
            raise self._error  # later calls fail too
        connection = self._connections[self._next % len(self._connections)]
        try:
            made = connection.take(self._run)
        except DataError as error:
            self._error = error
            raise
        tops = []
        for view in connection.views(made):
            out = self.pool.take(view.shape)
            np.copyto(out, view)
            tops.append(torch.from_numpy(out))
        if made.slot is not None:
            connection.send("free", made.slot)
        self._next += 1
        self._made_s += made.spent_s
        return tuple(tops)

    def clock(self) -> Clock:
        return Clock(self.batches, self.spent_s, self.batches, self._made_s)

    def state(self) -> State:
        if not self._run:
            self._begin()
        if not self._next:
            assert self._beginning is not None
            return self._beginning
        last = self._next - 1
        connection = self._connections[last % len(self._connections)]
        connection.send("state", last)
        (state,) = connection.answer("state")
        state_then: State = state
        return state_then

    def restore(self, state: State) -> None:
        for connection in self._connections:
            connection.send("restore", state)
            connection.answer("restored")
        self._begin()

    def close(self) -> None:
        for connection in self._connections:
            connection.close()
