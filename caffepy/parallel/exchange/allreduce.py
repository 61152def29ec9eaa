"""All-reduce: every rank gets the mean gradient and makes the same update."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import torch

from caffepy.parallel.exchange.base import Exchange
from caffepy.parallel.exchange.registry import register_exchange

if TYPE_CHECKING:
    from torch import Tensor


@register_exchange("allreduce")
class AllreduceExchange(Exchange):
    """One flat buffer, one blocking all-reduce at the end of the iteration.

    On one machine whose cores all compute, overlapping it with backward was measured to gain nothing (a nonblocking all-reduce of
    244 MB costs 2.2 to 2.6 times the processor time of a blocking one), and this is 1 to 4 % faster than DistributedDataParallel.
    Payload of a rank and iteration: the buffer, 4 bytes a value.
    Source: BVLC Caffe's NCCL path without ``layer_wise_reduce``: sum, then times 1 / number of solvers.
    """

    def finish(self, iteration: int, gradients: Sequence[Tensor]) -> Sequence[Tensor]:
        """The buffer's views, holding sum or mean over the ranks; a gradient that already is its view is not copied."""
        loose = [(view, gradient) for view, gradient in zip(self.buffer.views, gradients, strict=True) if not _same(view, gradient)]
        if loose:
            torch._foreach_copy_([view for view, _ in loose], [gradient for _, gradient in loose])
        self.communicator.allreduce_(self.buffer.flat)
        if self.scale != 1.0:
            self.buffer.flat.mul_(self.scale)
        return self.buffer.views


def _same(view: Tensor, gradient: Tensor) -> bool:
    """The gradient was computed right into its view."""
    return view.data_ptr() == gradient.data_ptr() and view.stride() == gradient.stride()
