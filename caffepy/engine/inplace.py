"""In-place layers whose gradient Caffe takes at the overwritten bottom (Clip, BNLL): the same here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from caffepy.layers.autograd import apply
from caffepy.layers.base import Forward, Run
from caffepy.net.graph import Node


def node_forward(node: Node) -> Forward:
    """The forward of ``node``'s layer; where it works in place and ``gradient_at_top`` is set, with that gradient."""
    if not (node.in_place and node.layer.gradient_at_top):
        return node.layer.forward

    def forward(bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run) -> tuple[Tensor, ...]:
        return (apply(_AtTop, bottoms[0], lambda x: node.layer.forward([x], blobs, run)[0]),)

    return forward


class _AtTop(torch.autograd.Function):
    """f(x) whose gradient is f'(f(x)) * dy."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, f: Callable[[Tensor], Tensor]) -> Tensor:
        y = f(x.clone())
        ctx.save_for_backward(y)
        ctx.f = f
        return y

    @staticmethod
    def backward(ctx: Any, dy: Tensor) -> tuple[Tensor, None]:
        (y,) = ctx.saved_tensors
        with torch.enable_grad():
            x = y.detach().clone().requires_grad_()
            (dx,) = torch.autograd.grad(ctx.f(x.clone()), x, dy)
        return dx, None
