"""The sum of absolute differences."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor

from caffepy.layers.core.base import Run
from caffepy.layers.core.registry import register_layer
from caffepy.layers.loss.euclidean_loss import EuclideanLossLayer


@register_layer("L1Loss")
class L1LossLayer(EuclideanLossLayer):
    """Sum of absolute differences, divided by the batch size.  Caffe type ``L1Loss``.

    Bottom: (N, ...) float, twice; only N and the number of elements of an item have to agree.
            Gradients go to both.
    Top:    () float; sum of |a - b| / N. Where a equals b its gradient is 0.
    Params: none
    Proto:  none
    Differs from torch: l1_loss divides by the number of elements and not by N.
    Source: NVIDIA Caffe, l1_loss_layer
    """

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        a, b = bottoms
        return ((a - b.reshape(a.shape)).abs().sum() / a.shape[0],)
