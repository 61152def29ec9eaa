"""AM-Softmax's margin: a number added to the score of the label."""

# N batch, C classes

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from caffepy.layers.common.loss import label_indices
from caffepy.layers.core.base import TEST, Layer, Run, Shape, as_rows, between, count, exactly
from caffepy.layers.core.registry import register_layer
from caffepy.layers.core.state import COUNT, passes_before
from caffepy.layers.core.traits import Gradients


@register_layer("LabelSpecificAdd")
class LabelSpecificAddLayer(Layer):
    """Scores of classes, a bias added to that of the label.  Caffe type ``LabelSpecificAdd``.

    Bottom: (N, C...) float; [1] N labels, truncated to integers.
    Top:    (N, C...) float; the label's score s becomes s + bias where s > -bias. In TEST the
            scores as they are.
            [1] (1,) the bias; 0 in TEST
    Params: none
    Proto:  label_specific_add_param { bias, transform_test (does nothing); or instead of bias,
            which then changes from pass to pass: bias_base, bias_gamma, bias_power, bias_min,
            bias_max, iteration } bias = bias_base + (1 + bias_gamma * (iteration + passes before))
            ^ bias_power - 1, kept from bias_min to bias_max
    Differs from torch: no counterpart. The gradient is handed on as it is.
    Source: happynear/caffe-windows, label_specific_add; Wang et al. 2018 (AM-Softmax)
    """

    fork_fields = frozenset({"LayerParameter.label_specific_add_param"})
    bottoms = exactly(2)
    tops = between(1, 2)
    gradients = Gradients(refused=(1,), unforced=(1,))

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        """The scores' shape; the bias."""
        if count(bottoms[1]) != bottoms[0][0]:
            raise self.fail(
                f"bottom 1 is {bottoms[1]}; needed: {bottoms[0][0]} labels,"
                f" one for each item of bottom 0, {bottoms[0]}"
            )
        return (bottoms[0], (1,))[: self.top_count]

    def state_shapes(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        """The number of passes where the bias changes with it."""
        return COUNT if self._grows else ()

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        x = bottoms[0]
        bias = bottoms[0].new_zeros(())
        y = x.clone()
        if run.phase != TEST:
            bias = self._bias(x, run)
            rows = as_rows(x)
            index, _ = label_indices(self, bottoms[1].flatten(), rows.shape[1], None, run)
            own = rows.detach().gather(1, index.unsqueeze(1))
            margin = torch.zeros_like(rows).scatter(
                1, index.unsqueeze(1), (own > -bias).to(rows.dtype) * bias
            )
            y = y + margin.view(x.shape)
        return (y, bias.to(x.dtype).view(1))[: self.top_count]

    @property
    def _grows(self) -> bool:
        return self.phase != TEST and bool(
            self.param.label_specific_add_param.HasField("bias_base")
        )

    def _bias(self, x: Tensor, run: Run) -> Tensor:
        p = self.param.label_specific_add_param
        if not self._grows:
            return x.new_full((), p.bias)
        grown = (1 + p.bias_gamma * (p.iteration + passes_before(run, x.device))) ** p.bias_power
        bias: Tensor = (p.bias_base + grown - 1).clamp(min=p.bias_min).clamp(max=p.bias_max)
        return bias
