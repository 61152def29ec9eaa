"""The sum of absolute differences, and FlowNet's of the lengths of differences."""

# N batch, C channels, H W

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from caffepy.layers.common.loss import VALID, LossLayer, normalizer
from caffepy.layers.core.base import Run, Shape, between
from caffepy.layers.core.registry import register_layer
from caffepy.layers.core.traits import Gradients
from caffepy.layers.loss.euclidean_loss import EuclideanLossLayer


@register_layer("L1Loss")
class L1LossLayer(EuclideanLossLayer):
    """Sum of absolute differences, divided by the batch size.  Caffe type ``L1Loss``.

    Bottom: (N, ...) float, twice; only N and the number of elements of an item have to agree.
            Gradients go to both. FlowNet2, that is with l1_loss_param or a single bottom: equal
            shapes, (N, C, H, W) with l2_per_location; a single bottom is the difference.
    Top:    () float; sum of |a - b| / N. Where a equals b its gradient is 0. FlowNet2: NaN in the
            difference, and what is nearer to 0 than plateau, count as 0; where a equals b the
            gradient is that of a < b. With l2_per_location sum over (N, H, W) of sqrt(sum over C of
            (a - b)^2 + epsilon), where l2_prescale_by_channels takes the mean over C and not the
            sum. With normalize_by_num_entries N is the number of values that are not NaN, divided
            by C.
    Params: none
    Proto:  l1_loss_param { l2_per_location, l2_prescale_by_channels, normalize_by_num_entries,
            epsilon, plateau }
    Differs from torch: l1_loss divides by the number of elements and not by N.
    Source: NVIDIA Caffe, l1_loss_layer. FlowNet2, l1loss_layer, its CUDA code
    """

    fork_fields = frozenset({"LayerParameter.l1_loss_param"})
    bottoms = between(1, 2)
    gradients = Gradients()

    def setup(self, bottoms: Sequence[Shape]) -> None:
        self.of_flow = self.param.HasField("l1_loss_param") or len(bottoms) == 1

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        """0 axes."""
        if not self.of_flow:
            return super().reshape(bottoms)
        self.check_equal(bottoms)
        if self.param.l1_loss_param.l2_per_location and len(bottoms[0]) != 4:
            raise self.fail(
                f"bottom 0 has {len(bottoms[0])} axes; needed for l2_per_location:"
                " 4 (number, channels, height, width)"
            )
        return LossLayer.reshape(self, (bottoms[0], bottoms[0]))

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        if not self.of_flow:
            a, b = bottoms
            return ((a - b.reshape(a.shape)).abs().sum() / a.shape[0],)
        p = self.param.l1_loss_param
        difference = bottoms[0] if len(bottoms) == 1 else bottoms[0] - bottoms[1]
        given = ~difference.detach().isnan()
        difference = torch.where(given, difference, 0)
        sizes = self._lengths(difference) if p.l2_per_location else self._magnitudes(difference)
        if not p.normalize_by_num_entries:
            return (sizes.sum() / difference.shape[0],)
        channels = difference.shape[1] if difference.dim() > 1 else 1
        entries = normalizer(VALID, outer=1, inner=1, valid=given, run=run)
        return (sizes.sum() * channels / entries,)

    def _lengths(self, difference: Tensor) -> Tensor:
        """Of the vectors at each place."""
        p = self.param.l1_loss_param
        squares = difference.square().sum(1)
        if p.l2_prescale_by_channels:
            squares = squares / difference.shape[1]
        if p.plateau > 0:
            squares = torch.where(squares.detach() < p.plateau**2, 0, squares)
        return (squares + p.epsilon).sqrt()

    def _magnitudes(self, difference: Tensor) -> Tensor:
        """Absolute values whose gradient at 0 is -1."""
        if self.param.l1_loss_param.plateau > 0:
            flat = difference.detach().abs() < self.param.l1_loss_param.plateau
            difference = torch.where(flat, 0, difference)
        return difference * torch.where(difference.detach() > 0, 1, -1)
