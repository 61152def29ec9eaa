"""What layers that compute one element from one element share: one bottom, one top of its shape."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from caffepy.layers.base import Layer, Shape


class NeuronLayer(Layer):
    """Base of element-by-element layers."""

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        """The top has the bottom's shape."""
        return (bottoms[0],)


def check_engine(layer: Layer, message: Any) -> None:
    """Refuse ``engine: CUDNN`` where there is no GPU; every other engine computes the same here."""
    if message.engine == message.CUDNN and not torch.cuda.is_available():
        raise layer.fail("engine is CUDNN and there is no GPU that torch can use; needed: engine CAFFE or DEFAULT, or leave it out")
