"""Where the sequences of a batch begin, if all of them do at its first time step."""

# T time steps, N sequences

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import torch
from torch import Tensor

from caffepy.layers.core.base import Layer, Run, Shape, between, canonical_axis
from caffepy.layers.core.registry import register_layer
from caffepy.layers.core.traits import Gradients


@register_layer("ContinuationIndicator")
class ContinuationIndicatorLayer(Layer):
    """0 in the first time step, 1 in all others.  Caffe type ``ContinuationIndicator``.

    Bottom: [0] (optional) any blob with N sequences along ``axis``; its values do not matter.
    Top:    (T, N) float; T is time_step, N the bottom's or else batch_size.
    Params: none
    Proto:  continuation_indicator_param { time_step, batch_size, axis }; with a bottom, batch_size
            may be left out
    Differs from torch: no counterpart. No gradient.
    Source: warpctc-caffe, continuation_indicator_layer
    """

    fork_fields = frozenset({"LayerParameter.continuation_indicator_param"})
    bottoms = between(0, 1)
    gradients = Gradients(backward=False)

    def setup(self, bottoms: Sequence[Shape]) -> None:
        """Without a bottom the top is constant; with one the size of the batch may change."""
        self.device = replace(self.device, constant=not bottoms)

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        p = self.param.continuation_indicator_param
        sequences = int(p.batch_size)
        if bottoms:
            axis = canonical_axis(self, p.axis, len(bottoms[0]))
            if sequences not in (0, bottoms[0][axis]):
                raise self.fail(
                    f"batch_size is {sequences}; needed: {bottoms[0][axis]},"
                    f" as axis {axis} of bottom 0 {bottoms[0]} says, or none"
                )
            sequences = bottoms[0][axis]
        elif not sequences:
            raise self.fail(
                "batch_size is 0; needed: the number of sequences,"
                " or a bottom that has as many along axis"
            )
        if not p.time_step:
            raise self.fail("time_step is 0; needed: at least 1")
        self.shape = (int(p.time_step), sequences)
        return (self.shape,)

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        """Ones, but zeros in the first time step."""
        top = bottoms[0].new_ones(self.shape) if bottoms else torch.ones(self.shape)
        top[:1] = 0
        return (top,)
