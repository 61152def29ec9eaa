"""Sufficient factors: a gradient that travels as two thin matrices.

The gradient of an InnerProduct layer's weights is the product of two matrices. With K rows (images)
a rank, N inputs and M outputs these have K (M + N) values, the product M N. Every rank multiplies
the factors of all ranks, in the order of the ranks, so that each gets the same sum.
Source: sufficient-factor broadcasting (PMLS-Caffe ``--svb``), and the choice by cost that
Poseidon's paper calls SACP.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch.autograd.function import FunctionCtx

from caffepy.errors import ParallelError
from caffepy.layers.core.autograd import apply
from caffepy.layers.core.products import linear, multiply
from caffepy.parallel.collective.courier import Courier, Job, Task, TaskGroup
from caffepy.parallel.collective.ring import by_host, ring_allgather

if TYPE_CHECKING:
    from torch import Tensor

    from caffepy.layers.core.base import Forward, Run
    from caffepy.parallel.transport.communicator import Communicator

FIRST_TAG = 20000
"""Above the tags of an exchange's pieces."""

Keep = Callable[["Tensor", "Tensor"], None]


@dataclass(frozen=True)
class Product:
    """The weights of one layer.

    ``rows``: of a pass. ``inputs``: N. ``outputs``: M.
    ``transpose``: the weights lie as (N, M).
    ``axis``: of the bottom; from there on its axes are the inputs.
    """

    rows: int
    inputs: int
    outputs: int
    transpose: bool = False
    axis: int = 1


class Factors:
    """The factors of one layer's weights, of all ranks.

    `keep` is called in each pass. After the last the factors travel, until `gradient` is called.
    """

    def __init__(
        self,
        product: Product,
        communicator: Communicator,
        courier: Courier,
        *,
        number: int,
        passes: int,
        scale: float,
    ) -> None:
        """``number``: of the layer, for its tags. ``passes``: iter_size.

        ``scale``: what the sum over the ranks is multiplied by.
        """
        self.product = product
        self._communicator = communicator
        self._courier = courier
        self._tag = FIRST_TAG + 2 * number
        self._scale = scale
        self._passes = passes
        self._kept = 0
        rows = product.rows * passes
        self._bottoms = torch.empty(communicator.size, rows, product.inputs)
        self._diffs = torch.empty(communicator.size, rows, product.outputs)
        self._job: Job | None = None

    def keep(self, bottom: Tensor, diff: Tensor) -> None:
        """The factors of a pass: (K, N) and (K, M).

        Errors: ParallelError if K is another than at the start.
        """
        if len(bottom) != self.product.rows:
            raise ParallelError(
                f"-svb: a batch has {len(bottom)} rows, the first had {self.product.rows}; "
                "needed: one size, or -svb off"
            )
        part = slice(self._kept * self.product.rows, (self._kept + 1) * self.product.rows)
        self._bottoms[self._communicator.rank, part] = bottom
        self._diffs[self._communicator.rank, part] = diff
        self._kept += 1
        if self._kept == self._passes:
            self._kept = 0
            self._send()

    def gradient(self) -> Tensor | None:
        """The job's gradient of the weights.

        None if no pass came to the layer since the last call, which is so on all ranks.
        """
        if self._job is None:
            return None
        self._courier.wait(self._job)
        self._job = None
        bottoms = self._bottoms.flatten(0, 1)
        diffs = self._diffs.flatten(0, 1).mul_(self._scale)
        return multiply(bottoms.T, diffs) if self.product.transpose else multiply(diffs.T, bottoms)

    def _send(self) -> None:
        """Send this rank's factors to all others, and receive theirs."""
        ring = by_host(self._communicator)
        ways = (
            ring_allgather(self._communicator, list(matrix), ring, tag=tag)
            for tag, matrix in enumerate((self._bottoms, self._diffs), self._tag)
        )
        self._job = self._courier.start(_one(TaskGroup(ways)))


class _Context(FunctionCtx):
    """What the forward pass leaves to the backward."""

    transpose: bool
    keep: Keep
    has_bias: bool
    saved_tensors: tuple[Tensor, Tensor]
    needs_input_grad: tuple[bool, ...]


class _Factored(torch.autograd.Function):
    """A product whose backward does not multiply the factors of the weights' gradient.

    It hands them to ``keep``.
    """

    @staticmethod
    def forward(
        ctx: _Context,
        rows: Tensor,
        weight: Tensor,
        bias: Tensor | None,
        transpose: bool,
        keep: Keep,
    ) -> Tensor:
        """(K, N) → (K, M)."""
        ctx.save_for_backward(rows, weight)
        ctx.transpose = transpose
        ctx.keep = keep
        ctx.has_bias = bias is not None
        return linear(rows, weight.T if transpose else weight, bias)

    @staticmethod
    def backward(ctx: _Context, diff: Tensor) -> tuple[Tensor | None, ...]:
        """Gradients of the rows and of the bias."""
        rows, weight = ctx.saved_tensors
        ctx.keep(rows, diff)
        to_rows = (
            multiply(diff, weight.T if ctx.transpose else weight)
            if ctx.needs_input_grad[0]
            else None
        )
        return (
            to_rows,
            None,
            diff.sum(0) if ctx.has_bias and ctx.needs_input_grad[2] else None,
            None,
            None,
        )


def factored_forward(product: Product, keep: Keep) -> Forward:
    """The layer's forward, whose backward calls ``keep``."""

    def forward(bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run) -> tuple[Tensor, ...]:
        bottom = bottoms[0]
        bias = blobs[1] if len(blobs) > 1 else None
        top: Tensor = apply(
            _Factored, bottom.reshape(-1, product.inputs), blobs[0], bias, product.transpose, keep
        )
        return (top.view(*bottom.shape[: product.axis], product.outputs),)

    return forward


def sent_bytes(product: Product, ranks: int, passes: int) -> int:
    """Bytes that one rank sends in an iteration.

    To its neighbour in the ring it sends the factors of every rank but one.
    """
    return (ranks - 1) * 4 * product.rows * passes * (product.inputs + product.outputs)


def _one(transfer: TaskGroup) -> Task:
    yield transfer
