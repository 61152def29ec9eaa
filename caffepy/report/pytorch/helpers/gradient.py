"""A number whose derivative is not that of its formula."""

from __future__ import annotations

from torch import Tensor


def with_gradient(value: Tensor, x: Tensor, gradient: Tensor) -> Tensor:
    """``value``, with ``gradient`` as its derivative by ``x``: what Caffe's layer hands back."""
    product = (x * gradient.detach()).sum()
    return value.detach() + product - product.detach()
