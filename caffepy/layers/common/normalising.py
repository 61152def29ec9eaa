"""torch's batch normalisation, kept to the orders in memory in which its gradient is right."""

from __future__ import annotations

import torch
from torch import Tensor

ORDERS = {4: torch.channels_last, 5: torch.channels_last_3d}
"""By number of axes: the order beside the contiguous one in which torch computes."""


def batch_norm(
    x: Tensor,
    scale: Tensor | None,
    shift: Tensor | None,
    mean: Tensor | None,
    variance: Tensor | None,
    *,
    train: bool,
    momentum: float,
    eps: float,
) -> Tensor:
    """As ``torch.batch_norm``, with the right gradient on a CPU.

    Torch's is wrong where `usual_order` has to copy ``x`` or the diff of the top.
    """
    y = torch.batch_norm(
        usual_order(x),
        scale,
        shift,
        mean,
        variance,
        train,
        momentum,
        eps,
        torch.backends.cudnn.enabled,
    )
    if 1 in x.shape and y.requires_grad:
        y.register_hook(_usual_diff)
    return y


def _usual_diff(diff: Tensor | None) -> Tensor | None:
    """In `usual_order`; None where nothing comes back."""
    return None if diff is None else usual_order(diff)


def usual_order(x: Tensor) -> Tensor:
    """``x``, copied if its channels lie last but its strides are not torch's own.

    Those of an axis of length 1 mean nothing, and any view may leave another there (Permute of one
    item, a picture of an array whose axes were turned); some of torch's functions then take one
    tensor for contiguous and its like for one with the channels last.
    """
    order = ORDERS.get(x.dim())
    if (
        order is None
        or 1 not in x.shape
        or x.is_contiguous()
        or not x.is_contiguous(memory_format=order)
    ):
        return x
    step, usual = 1, True
    for axis in (1, *range(x.dim() - 1, 1, -1), 0):
        usual = usual and x.stride(axis) == step
        step = step * x.shape[axis]
    return x if usual else x.clone(memory_format=order)
