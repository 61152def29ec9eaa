"""Spatial pyramid pooling."""

# N batch, C channels, H W; level i has 2^i * 2^i bins

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from caffepy.layers.core.base import Layer, Run, Shape, count
from caffepy.layers.core.registry import register_layer
from caffepy.layers.windows.pooling import PoolingSpec, pool
from caffepy.proto import caffe_pb2

NAMES = {value: name for name, value in caffe_pb2.SPPParameter.PoolMethod.items()}


@register_layer("SPP")
class SPPLayer(Layer):
    """Pooling into ever finer grids, laid out in one row.  Caffe type ``SPP``.

    Bottom: (N, C, H, W) float.
    Top:    pyramid_height 1: (N, C, 1, 1) float; else (N, C * bins of all levels). Level i pools
            windows of ceil(H / 2^i) with that stride, padded evenly; the padding must be smaller
            than the window.
    Params: none
    Proto:  spp_param { pyramid_height, pool (MAX, AVE), engine }
    Differs from torch: adaptive pooling has overlapping windows and no padding.
    Source: BVLC Caffe, spp_layer; He et al. 2014
    """

    def setup(self, bottoms: Sequence[Shape]) -> None:
        self.height = int(self.param.spp_param.pyramid_height)
        if self.height < 1:
            raise self.fail("pyramid_height is 0; needed: at least 1")

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        """A grid for each level."""
        shape = bottoms[0]
        if len(shape) != 4:
            raise self.fail(
                f"bottom has {len(shape)} axes; needed: 4 (number, channels, height, width)"
            )
        self.specs = [self._level(level, shape[2:]) for level in range(self.height)]
        if self.height == 1:
            return ((*shape[:2], 1, 1),)
        return ((shape[0], shape[1] * sum(count(spec.pooled(shape[2:])) for spec in self.specs)),)

    def _level(self, level: int, size: Shape) -> PoolingSpec:
        bins = 2**level
        kernel = tuple(-(-n // bins) for n in size)
        pad = tuple((k * bins - n + 1) // 2 for k, n in zip(kernel, size))
        if any(p >= k for p, k in zip(pad, kernel)):
            raise self.fail(
                f"level {level} pools {size} by windows of {kernel} padded by {pad};"
                " needed: a pad below the window"
            )
        method = caffe_pb2.PoolingParameter.PoolMethod.Value(NAMES[self.param.spp_param.pool])
        return PoolingSpec(method, kernel, kernel, pad, ceil=True)

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        """Each level, flattened, one after the other."""
        x = bottoms[0]
        levels = [pool(self, spec, x)[0] for spec in self.specs]
        return (
            levels[0] if self.height == 1 else torch.cat([level.flatten(1) for level in levels], 1),
        )
