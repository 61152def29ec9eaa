"""What layers whose top has the shape of their one bottom share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import torch
from torch import Tensor

from caffepy.layers.core.base import Layer, Shape


class CudnnChoice(Protocol):
    """A message with a field ``engine``."""

    @property
    def engine(self) -> int: ...
    @property
    def CUDNN(self) -> int: ...


class NeuronLayer(Layer):
    """Base of element-by-element layers."""

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        """The top has the bottom's shape."""
        return (bottoms[0],)


class ChannelLayer(NeuronLayer):
    """Base of layers whose parameters belong to the channels of an (N, C, I...) bottom."""

    def setup(self, bottoms: Sequence[Shape]) -> None:
        self.channels = self._channels_of(bottoms[0])

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        """The top has the bottom's shape."""
        channels = self._channels_of(bottoms[0])
        if channels != self.channels:
            raise self.fail(
                f"bottom has {channels} channels; needed: {self.channels}, as at the start"
            )
        return super().reshape(bottoms)

    def _channels_of(self, bottom: Shape) -> int:
        if len(bottom) < 2:
            raise self.fail(f"bottom has {len(bottom)} axis; needed: at least 2 (number, channels)")
        return bottom[1]


def check_engine(layer: Layer, message: CudnnChoice) -> None:
    """Refuse ``engine: CUDNN`` where there is no GPU; every other engine computes the same here."""
    if message.engine == message.CUDNN and not torch.cuda.is_available():
        raise layer.fail(
            "engine is CUDNN and there is no GPU that torch can use;"
            " needed: engine CAFFE or DEFAULT, or leave it out"
        )


def plain_zeros(y: Tensor, only_summed: bool) -> Tensor:
    """``y`` itself, with 0 in the place of -0, as in Caffe.

    It is left as it is where nobody can tell (`Run.only_summed`).
    """
    return y if only_summed else y.add_(0.0)
