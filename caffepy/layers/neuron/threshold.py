"""A step function of each element."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor

from caffepy.layers.common.neuron import NeuronLayer
from caffepy.layers.core.base import Run
from caffepy.layers.core.registry import register_layer
from caffepy.layers.core.traits import Gradients


@register_layer("Threshold")
class ThresholdLayer(NeuronLayer):
    """1 above the threshold, else 0.  Caffe type ``Threshold``.

    Bottom: (...) float.
    Top:    (...) float.
    Params: none
    Proto:  threshold_param { threshold }
    Differs from torch: torch's threshold keeps values above it. No gradient, as in Caffe.
    Source: BVLC Caffe, threshold_layer
    """

    gradients = Gradients(backward=False)

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        x = bottoms[0].detach()
        return ((x > self.param.threshold_param.threshold).to(x.dtype),)
