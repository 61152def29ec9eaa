"""The least squares loss."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor

from caffepy.layers.common.loss import LossLayer
from caffepy.layers.core.base import Run, Shape, count
from caffepy.layers.core.registry import register_layer
from caffepy.layers.core.traits import Gradients


@register_layer("EuclideanLoss")
class EuclideanLossLayer(LossLayer):
    """Half the squared distance, divided by the batch size.  Caffe type ``EuclideanLoss``.

    Bottom: (N, ...) float, twice; only N and the number of elements of an item have to agree.
            Gradients go to both.
    Top:    () float; sum of (a - b)^2 / (2 * N).
    Params: none
    Proto:  none
    Differs from torch: mse_loss divides by the number of elements and not by 2 * N.
    Source: BVLC Caffe, euclidean_loss_layer
    """

    gradients = Gradients()

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        tops = super().reshape(bottoms)
        sizes = [count(shape, 1) for shape in bottoms]
        if sizes[0] != sizes[1]:
            raise self.fail(
                f"an item of bottom 0 has {sizes[0]} elements, one of bottom 1 {sizes[1]};"
                " needed: as many"
            )
        return tops

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        a, b = bottoms
        difference = a - b.reshape(a.shape)
        return (difference.square().sum() / (2 * a.shape[0]),)
