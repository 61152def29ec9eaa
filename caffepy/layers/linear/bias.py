"""Addition of a blob that is broadcast over the other axes.

The broadcasting rules of Bias and Scale.
"""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor

from caffepy.layers.common.neuron import NeuronLayer
from caffepy.layers.core.base import BlobSpec, Layer, Run, Shape, between, canonical_axis
from caffepy.layers.core.registry import register_layer


def learned_shape(layer: Layer, bottom: Shape, axis: int, num_axes: int) -> Shape:
    """Shape of a parameter for ``num_axes`` axes of ``bottom`` from ``axis`` on (-1: all)."""
    start = canonical_axis(layer, axis, len(bottom))
    if num_axes < -1:
        raise layer.fail(
            f"num_axes is {num_axes}; needed: -1 (all from axis on), 0 (a scalar) or more"
        )
    end = len(bottom) if num_axes == -1 else start + num_axes
    if end > len(bottom):
        raise layer.fail(
            f"{num_axes} axes from axis {start} on reach past the bottom's {len(bottom)} axes;"
            f" needed: at most {len(bottom) - start}"
        )
    return bottom[start:end]


def broadcast_axis(layer: Layer, bottom: Shape, small: Shape, axis: int) -> int:
    """The axis of ``bottom`` where ``small`` begins; LayerError if the dims differ there."""
    start = canonical_axis(layer, axis, len(bottom)) if small else 0
    if start + len(small) > len(bottom):
        raise layer.fail(
            f"the {len(small)} axes of the second operand reach past the bottom's {len(bottom)}"
            f" axes from axis {start} on"
        )
    for i, n in enumerate(small):
        if bottom[start + i] != n:
            raise layer.fail(
                f"axis {start + i} of bottom 0 is {bottom[start + i]} and axis {i} of the second"
                f" operand {n}; needed: equal dims"
            )
    return start


def broadcast(small: Tensor, axis: int, axes: int) -> Tensor:
    """``small`` as a view that broadcasts against ``axes`` axes, its first at ``axis``."""
    return small.reshape((*small.shape, *(1,) * (axes - axis - small.dim())))


@register_layer("Bias")
class BiasLayer(NeuronLayer):
    """Sum with a smaller blob, learned or a second bottom.  Caffe type ``Bias``.

    Bottom: (...) float; [1] (optional) the bias, equal to some of the first's axes from ``axis``
            on.
    Top:    (...) float; may be the first bottom.
    Params: with one bottom: bias, num_axes axes of the bottom from ``axis`` on (num_axes 0: a
            scalar, -1: all)
    Proto:  bias_param { axis, num_axes, filler }
    Differs from torch: axes are matched from ``axis`` on, not from the last.
    Source: BVLC Caffe, bias_layer
    """

    bottoms = between(1, 2)

    def setup(self, bottoms: Sequence[Shape]) -> None:
        """One blob, unless the bias is a bottom."""
        p = self.param.bias_param
        if len(bottoms) == 1:
            self.blobs = (BlobSpec(learned_shape(self, bottoms[0], p.axis, p.num_axes), p.filler),)

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        """The top has the first bottom's shape."""
        small = bottoms[1] if len(bottoms) > 1 else self.blobs[0].shape
        self.axis = broadcast_axis(self, bottoms[0], small, self.param.bias_param.axis)
        return (bottoms[0],)

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        """In place where that is asked for."""
        x = bottoms[0]
        bias = broadcast(bottoms[1] if len(bottoms) > 1 else blobs[0], self.axis, x.dim())
        return (x.add_(bias) if run.inplace else x + bias,)
