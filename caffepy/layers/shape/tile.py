"""A blob repeated along an axis."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor

from caffepy.layers.core.base import Layer, Run, Shape, canonical_axis
from caffepy.layers.core.registry import register_layer
from caffepy.layers.core.traits import Precision


@register_layer("Tile")
class TileLayer(Layer):
    """The bottom repeated along an axis.  Caffe type ``Tile``.

    Bottom: (...) float.
    Top:    the bottom's shape, ``tiles`` times as long in ``axis``.
    Params: none
    Proto:  tile_param { axis, tiles }
    Differs from torch: nothing.
    Source: BVLC Caffe, tile_layer
    """

    precision = Precision(takes_16_bits=True)

    def setup(self, bottoms: Sequence[Shape]) -> None:
        p = self.param.tile_param
        if not p.HasField("tiles") or p.tiles < 1:
            raise self.fail(
                f"tiles is {p.tiles if p.HasField('tiles') else 'not given'}; needed: at least 1"
            )

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        p = self.param.tile_param
        shape = bottoms[0]
        self.axis = canonical_axis(self, p.axis, len(shape))
        return ((*shape[: self.axis], shape[self.axis] * p.tiles, *shape[self.axis + 1 :]),)

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        x = bottoms[0]
        times = [1] * x.dim()
        times[self.axis] = self.param.tile_param.tiles
        return (x.repeat(times),)
