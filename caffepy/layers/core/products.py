"""Products of matrices.

On a CPU large ones go to oneDNN: MKL, which torch's own products call, takes twice as long on AMD's
processors.
"""

# M rows, K inputs, N outputs

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

from caffepy.layers.core.autograd import Context, apply
from caffepy.layers.core.base import is_readable

LEAST = 1_000_000
"""Multiplications, of two threads, that repay the 10 us more that calling oneDNN takes."""


def is_large(multiplications: int) -> bool:
    """Whether a product is worth a call of oneDNN, and there is one."""
    return multiplications >= LEAST and torch.backends.mkldnn.is_available()


def linear(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """x @ weight.T + bias: (..., K), (N, K) and (N,) give (..., N)."""
    # who traces the layer wants no size looked at
    if not is_readable(x) or not is_large(x.numel() * weight.shape[0]):
        return F.linear(x, weight, bias)
    return large_linear(x, weight, bias)


def large_linear(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """`linear` of sizes that `is_large`."""
    if not is_readable(x) or x.dtype != torch.float32 or weight.dtype != torch.float32:
        return F.linear(x, weight, bias)
    if x.dim() == 2:
        return _large(x, weight, bias)
    return _large(x.reshape(-1, x.shape[-1]), weight, bias).view(*x.shape[:-1], weight.shape[0])


def multiply(left: Tensor, right: Tensor) -> Tensor:
    """left @ right, without a gradient; both may have any layout in memory.

    (M, K) and (K, N) give (M, N).
    """
    large = (
        is_readable(left)
        and is_large(left.numel() * right.shape[1])
        and left.dtype == right.dtype == torch.float32
    )
    return _call(left, right.t(), None) if large else left @ right


def _large(rows: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    if torch.is_grad_enabled():
        y: Tensor = apply(_Linear, rows, weight, bias)
        return y
    return _call(rows, weight, bias)


def _call(rows: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    y: Tensor = torch.ops.mkldnn._linear_pointwise.default(rows, weight, bias, "none", [], "")
    return y


class _Linear(torch.autograd.Function):
    """Three products: of the top, of the rows' gradient, of the weights' gradient."""

    @staticmethod
    def forward(ctx: Context, rows: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        """(M, K), (N, K) → (M, N)."""
        ctx.save_for_backward(rows, weight)
        return _call(rows, weight, bias)

    @staticmethod
    def backward(ctx: Context, diff: Tensor) -> tuple[Tensor | None, Tensor | None, Tensor | None]:
        """(M, N) → (M, K), (N, K), (N,)."""
        rows, weight = ctx.saved_tensors
        to_rows, to_weight, to_bias = ctx.needs_input_grad
        return (
            multiply(diff, weight) if to_rows else None,
            multiply(diff.t(), rows) if to_weight else None,
            diff.sum(0) if to_bias else None,
        )
