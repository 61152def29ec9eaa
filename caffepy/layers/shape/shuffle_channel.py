"""Puts channels in another order."""

# N batch, C channels, I... the other axes, G group

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor

from caffepy.layers.core.base import Layer, Run, Shape, contiguous_copy
from caffepy.layers.core.registry import register_layer


@register_layer("ShuffleChannel")
class ShuffleChannelLayer(Layer):
    """Channels of all groups in turn, one of each group.  Caffe type ``ShuffleChannel``.

    Bottom: (N, C, I...) float.
    Top:    (N, C, I...) float; channel j * G + i of the top is channel i * (C / G) + j of the
            bottom.
    Params: none
    Proto:  shuffle_channel_param { group }
    Differs from torch: nothing; this is channel_shuffle.
    Source: ShuffleNet, shuffle_channel_layer; Zhang et al. 2018
    """

    fork_fields = frozenset({"LayerParameter.shuffle_channel_param"})

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        """The top has the bottom's shape."""
        self.group = int(self.param.shuffle_channel_param.group)
        shape = bottoms[0]
        if len(shape) < 2:
            raise self.fail(f"bottom has {len(shape)} axis; needed: at least 2 (number, channels)")
        if self.group < 1 or shape[1] % self.group:
            raise self.fail(
                f"group is {self.group} and the bottom has {shape[1]} channels;"
                " needed: a group that divides them"
            )
        return (shape,)

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        """Swap groups and channels. The top is a copy even with a single group."""
        x = bottoms[0]
        rows = x.reshape(x.shape[0], self.group, x.shape[1] // self.group, *x.shape[2:])
        return (contiguous_copy(rows.transpose(1, 2)).view(x.shape),)
