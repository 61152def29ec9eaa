"""The gradients of several recorded passes, summed."""

from __future__ import annotations

from collections.abc import Sequence
from operator import is_

import torch
from torch import Tensor

Gradients = list[Tensor | None]


class GradientSums:
    """Sums the gradients of passes whose own gradients are overwritten by the next pass.

    ``gradients``: the sums, one for each learnable parameter, or None. The gradients of a single
    pass are not copied. ``passes``: the number of passes summed.
    """

    def __init__(self, overwritten: Sequence[int]) -> None:
        """``overwritten``: indices of parameters of which the last pass counts, not the sum."""
        self.passes = 0
        self.gradients: Gradients = []
        self._overwritten = overwritten
        # Memory of the sums, which lasts from one iteration to the next.
        self._buffers: list[Tensor] = []

    def clear(self) -> None:
        """Begin new sums."""
        self.put([], passes=0)

    def put(self, gradients: Gradients, *, passes: int) -> None:
        """Take the ``gradients`` as the sums of so many passes."""
        self.passes = passes
        self.gradients = gradients

    def keep_first(self) -> None:
        """Copy the gradients of the first pass, before another pass overwrites them."""
        if self.passes == 1:
            self.gradients = self.copied(self.gradients)

    def add(self, gradients: Gradients) -> None:
        """Add the gradients of one more pass."""
        self.passes += 1
        if self.passes == 1:
            self.gradients = gradients
            return
        more = [g for g in gradients if g is not None]
        if not more:
            return
        torch._foreach_add_([s for s in self.gradients if s is not None], more)
        for place in self._overwritten:
            total = self.gradients[place]
            last = gradients[place]
            if total is not None and last is not None:
                total.copy_(last)

    def copied(self, gradients: Gradients) -> Gradients:
        """A copy of the gradients, in the same memory each time."""
        given = [g for g in gradients if g is not None]
        if len(given) == len(self._buffers) and all(map(is_, given, self._buffers)):
            return gradients
        if [g.stride() for g in given] != [buffer.stride() for buffer in self._buffers]:
            self._buffers = [torch.empty_like(g) for g in given]
        if given:
            torch._foreach_copy_(self._buffers, given)
        buffers = iter(self._buffers)
        return [None if g is None else next(buffers) for g in gradients]
