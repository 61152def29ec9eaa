"""Tops that the caller fills."""

from __future__ import annotations

from collections.abc import Sequence

from caffepy.layers.core.base import Layer, Shape, at_least, exactly
from caffepy.layers.core.registry import register_layer


@register_layer("Input")
class InputLayer(Layer):
    """Blobs that the caller of the net fills.  Caffe type ``Input``.

    Bottom: none.
    Top:    one or more, of the shapes given. The engine takes their values from the caller, so the
            layer has no forward.
    Params: none
    Proto:  input_param { shape (none, one for all tops, or one for each) }
    Differs from torch: no counterpart.
    Source: BVLC Caffe, input_layer
    """

    bottoms = exactly(0)
    tops = at_least(1)

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        """The shapes that the prototxt gives; without any, tops have 0 axes."""
        shapes = [tuple(shape.dim) for shape in self.param.input_param.shape]
        tops = self.top_count
        if len(shapes) not in (0, 1, tops):
            raise self.fail(
                f"input_param.shape is given {len(shapes)} times for {tops} tops; needed: once,"
                " or once for each top"
            )
        for shape in shapes:
            if any(n < 0 for n in shape):
                raise self.fail(
                    f"input_param.shape has the negative dim {min(shape)}; needed: 0 or more"
                )
        return tuple(shapes) if len(shapes) == tops else tuple(shapes or [()]) * tops
