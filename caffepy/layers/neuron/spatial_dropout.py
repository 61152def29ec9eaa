"""Dropout of whole channels."""

from __future__ import annotations

from collections.abc import Sequence

from caffepy.layers.core.base import TRAIN, Shape
from caffepy.layers.core.registry import register_layer
from caffepy.layers.neuron.dropout import DropoutLayer


@register_layer("SpatialDropout")
class SpatialDropoutLayer(DropoutLayer):
    """Whole channels zero at random, the rest scaled up.  Caffe type ``SpatialDropout``.

    Bottom: (N, C, I...) float.
    Top:    (N, C, I...) float; x * mask / (1 - dropout_ratio), mask 1 with probability 1 -
            dropout_ratio, the same for all elements of a channel of an item. May be the bottom.
            With sample_weights_test TEST is as TRAIN.
    Params: none
    Proto:  spatial_dropout_param { dropout_ratio, sample_weights_test } (ENet) | dropout_param {
            dropout_ratio } (Intel)
    Differs from torch: dropout2d draws from torch's generator; on the CPU the mask comes from
            Caffe's own random stream.
    Source: Intel Caffe and ENet, spatial_dropout_layer; Tompson et al. 2015
    """

    fork_fields = frozenset({"LayerParameter.spatial_dropout_param"})

    def setup(self, bottoms: Sequence[Shape]) -> None:
        p = self.param
        own = p.spatial_dropout_param if p.HasField("spatial_dropout_param") else p.dropout_param
        self._take(
            float(own.dropout_ratio),
            scales=True,
            draws=self.phase == TRAIN or bool(own.sample_weights_test),
        )
        if len(bottoms[0]) < 2:
            raise self.fail(
                f"bottom has {len(bottoms[0])} axis; needed: at least 2 (number, channels)"
            )

    def mask_shape(self, bottom: Shape) -> Shape:
        """The mask has a number for each channel of an item."""
        return (*bottom[:2], *(1,) * (len(bottom) - 2))
