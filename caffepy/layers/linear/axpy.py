"""A scaled sum."""

# N batch, C channels, H W

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from caffepy.layers.core.base import Layer, Run, Shape, exactly
from caffepy.layers.core.registry import register_layer


@register_layer("Axpy")
class AxpyLayer(Layer):
    """a * x + y, with a number for each channel of each item.  Caffe type ``Axpy``.

    Bottom: a (N, C) or (N, C, 1, 1) float; x and y, (N, C, H, W) float.
    Top:    (N, C, H, W) float.
    Params: none
    Proto:  none
    Differs from torch: nothing.
    Source: SENet, axpy_layer; Hu et al. 2018
    """

    bottoms = exactly(3)

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        """The shape of x."""
        a, x, y = bottoms
        if len(x) < 2 or a not in (x[:2], (*x[:2], 1, 1)):
            raise self.fail(
                f"bottom 0 is {a} and bottom 1 {x}; needed: (number, channels) of bottom 1,"
                " or these and 1, 1"
            )
        if x != y:
            raise self.fail(f"bottom 1 is {x} and bottom 2 {y}; needed: equal shapes")
        return (x,)

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        """One pass over the memory."""
        a, x, y = bottoms
        return (torch.addcmul(y, a.reshape(*x.shape[:2], *(1,) * (x.dim() - 2)), x),)
