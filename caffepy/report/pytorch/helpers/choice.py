"""What is chosen among equals."""

from __future__ import annotations

from torch import Tensor


def largest(x: Tensor, count: int, axis: int) -> tuple[Tensor, Tensor]:
    """Places, as floats, and values of the largest along an axis (ArgMax).

    Of equal ones the last comes first.
    """
    backwards = x.flip(axis)
    if count == 1:
        place = backwards.argmax(axis, keepdim=True)
    else:
        place = backwards.argsort(dim=axis, descending=True, stable=True).narrow(axis, 0, count)
    return (x.shape[axis] - 1 - place).to(x.dtype), backwards.gather(axis, place)
