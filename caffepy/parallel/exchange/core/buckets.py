"""Gradients in buckets that travel while backward goes on.

What those exchanges share that send a bucket by a task of the courier.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from caffepy.parallel.collective.courier import Job, Task
from caffepy.parallel.exchange.core.base import (
    BUCKET_BYTES,
    Exchange,
    GradientBuffer,
    Setting,
    same_memory,
)
from caffepy.parallel.transport.communicator import count_bytes

if TYPE_CHECKING:
    from torch import Tensor

    from caffepy.parallel.transport.device import Awaited


PIECE_BYTES = 4 << 20
"""A large bucket travels in pieces of this size: some are added up, others are on the wire."""
RELAYED_PIECES = 8
LEAST_PIECE_BYTES = 64 << 10
"""A bucket that ranks send on is cut into so many pieces, none smaller than that.

Each is sent on while the next comes.
"""
MOST_BUCKETS = 8
"""A small net's gradients are divided too, so that most travel while backward goes on."""
LEAST_BYTES = 16 << 10
"""Of a bucket: each message takes time by itself."""


@dataclass(eq=False)
class Bucket:
    """Neighbouring parameters.

    ``flat``: their part of the buffer.
    ``pieces``: ``flat`` as it travels, each piece with a tag of its own.
    ``missing``: parameters whose gradients have not come yet.
    ``job``: the task that sends it, until that was waited for; ``sums``: the same on a GPU.
    """

    number: int
    params: tuple[int, ...]
    flat: Tensor
    pieces: list[tuple[int, Tensor]]
    missing: set[int]
    job: Job | None = None
    sums: Awaited | None = None

    def empty(self) -> None:
        """It may be filled again."""
        self.job = None
        self.sums = None
        self.missing = set(self.params)


def bucket_limit(buffer_bytes: int) -> int:
    """How large buckets are to be."""
    return min(BUCKET_BYTES, max(LEAST_BYTES, buffer_bytes // MOST_BUCKETS))


def piece_bytes(bucket_bytes: int, *, relayed: bool) -> int:
    """How large the pieces of a bucket are.  ``relayed``: see `Exchange.relayed`."""
    if not relayed:
        return PIECE_BYTES
    return min(PIECE_BYTES, max(LEAST_PIECE_BYTES, bucket_bytes // RELAYED_PIECES))


def fill_buckets(
    buffer: GradientBuffer, limit_bytes: int, *, relayed: bool = False
) -> list[Bucket]:
    """The buffer cut into buckets in the order of its memory.

    The parameter that takes a bucket past ``limit_bytes`` is its last.
    """
    order = sorted(range(len(buffer.views)), key=lambda param: buffer.views[param].storage_offset())
    starts = [buffer.views[param].storage_offset() for param in order] + [buffer.flat.numel()]
    buckets: list[Bucket] = []
    first = tag = 0
    for last in range(1, len(order) + 1):
        piece = buffer.flat[starts[first] : starts[last]]
        if count_bytes(piece) >= limit_bytes or last == len(order):
            size = piece_bytes(count_bytes(piece), relayed=relayed)
            parts = torch.split(piece, size // piece.element_size())
            params = tuple(order[first:last])
            buckets.append(
                Bucket(len(buckets), params, piece, list(enumerate(parts, tag)), set(params))
            )
            first = last
            tag += len(parts)
    return buckets


def count_pieces(setting: Setting) -> int:
    """How many pieces an exchange with this setting sends in an iteration."""
    return sum(len(bucket.pieces) for bucket in fill_buckets(setting.buffer, setting.bucket_bytes))


class BucketExchange(Exchange):
    """Base of exchanges that send a bucket as soon as it is full.

    Buckets start in the same order on all ranks. GPU tensors go by the device's own all-reduce.
    Where that can go on beside backward, it takes one bucket after the other, always in the same
    order: a rank that replays a recording then meets ranks that do not. Else it takes the whole
    buffer at the end.
    """

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        gpu = self.buffer.flat.is_cuda
        self.recordable = gpu and setting.communicator.overlaps
        self.eager = self.recordable or not gpu
        self.late = not gpu and setting.lazy and not self.update.joint
        self.courier = setting.courier
        self.buckets = fill_buckets(self.buffer, setting.bucket_bytes, relayed=self.relayed)
        self._bucket_of = {param: bucket for bucket in self.buckets for param in bucket.params}
        self._started = 0

    def travel(self, bucket: Bucket) -> Task:
        """A task that sends a full bucket.

        When it ends, ``bucket.flat`` holds the job's gradient.
        """
        raise NotImplementedError

    def ready(self, param: int, gradient: Tensor) -> None:
        """Put the gradient into its bucket, and send the buckets that are full."""
        self._put(param, gradient)
        self._start()

    def finish(self, gradients: Sequence[Tensor]) -> None:
        """Send what is left.  Update now, unless that can wait until a parameter is used."""
        if not self.eager:
            self.collect(gradients)
            self.communicator.allreduce_(self.buffer.flat)
            self.buffer.flat.mul_(self.scale)
            self.update(range(len(self.buffer.views)), self.buffer.views, self.iteration)
            return
        self._send_rest(gradients)
        if self.late:
            return
        for bucket in self.buckets:
            self._arrive(bucket)
        if self.recordable:
            self.buffer.flat.mul_(self.scale)
        self.update(range(len(self.buffer.views)), self.buffer.views, self.iteration)

    def forget(self) -> None:
        self._started = 0
        for bucket in self.buckets:
            bucket.empty()

    def wait(self, param: int) -> None:
        """Update the parameters of the bucket, if that is due."""
        bucket = self._bucket_of[param]
        if bucket.job is not None:
            self._arrive(bucket)
            self.update(
                bucket.params,
                [self.buffer.views[member] for member in bucket.params],
                self.iteration,
            )

    def _send_rest(self, gradients: Sequence[Tensor]) -> None:
        """Send the buckets that are not under way yet."""
        for bucket in self.buckets[self._started :]:
            for param in tuple(bucket.missing):
                self._put(param, gradients[param])
        self._start()
        self._started = 0

    def _arrive(self, bucket: Bucket) -> None:
        """Wait for the job's gradient in the bucket, which may be filled again then."""
        if bucket.job is not None:
            self.courier.wait(bucket.job)
        if bucket.sums is not None:
            bucket.sums.wait()
        bucket.empty()

    def _put(self, param: int, gradient: Tensor) -> None:
        view = self.buffer.views[param]
        if not same_memory(view, gradient):
            view.copy_(gradient)
        self._bucket_of[param].missing.discard(param)

    def _start(self) -> None:
        while self._started < len(self.buckets) and not self.buckets[self._started].missing:
            self._launch(self.buckets[self._started])
            self._started += 1

    def _launch(self, bucket: Bucket) -> None:
        if self.recordable:
            bucket.sums = self.communicator.allreduce_later(bucket.flat)
        else:
            bucket.job = self.courier.start(self.travel(bucket))
