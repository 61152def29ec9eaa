"""Max pooling of regions of any size to one size."""

# N batch, C channels, H W, R regions, PH PW pooled

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from caffepy.layers.base import Layer, Run, Shape, count, exactly
from caffepy.layers.registry import register_layer

NO_INT = 2.0**31
"""Edges beyond, or that are no numbers, as those of a net that diverged, make a region empty."""


def check_regions(layer: Layer, regions: Shape) -> None:
    """LayerError unless ``regions`` is (R, 5) or has ones behind it."""
    if len(regions) < 2 or count(regions, 1) != 5:
        raise layer.fail(f"bottom 1 is {regions}; needed: (R, 5), the picture and x1, y1, x2, y2 of each region")


def check_pictures(layer: Layer, regions: Sequence[Sequence[float]], pictures: int) -> None:
    """LayerError for a region, of rows (5,), in none of the ``pictures``."""
    for number, (picture, *_) in enumerate(regions):
        if not -1 < picture < pictures:  # NaN is not
            raise layer.fail(f"region {number} is in picture {picture:g}; needed: 0 to {pictures - 1}")


@register_layer("ROIPooling")
class ROIPoolingLayer(Layer):
    """The maximum in each cell of a grid over each region.  Caffe type ``ROIPooling``.

    Bottom: (N, C, H, W) float; regions (R, 5[, 1, 1]) float: index of the picture, x1, y1, x2, y2 in its pixels, both included.
    Top:    (R, C, PH, PW) float; 0 for a cell wholly outside the bottom. Edges times spatial_scale are rounded half away from 0.
    Params: none
    Proto:  roi_pooling_param { pooled_h, pooled_w, spatial_scale }
    Differs from torch: torchvision's roi_pool computes the same. The gradient goes to the first maximum of a cell in row order, and
            nowhere where that lies behind the region's ends, as all of a region whose ends come before its starts.
    Source: Fast R-CNN, roi_pooling_layer; Girshick 2015
    """

    fork_fields = frozenset({"LayerParameter.roi_pooling_param"})
    bottoms = exactly(2)
    no_force_backward = (1,)
    on_host = True

    def setup(self, bottoms: Sequence[Shape]) -> None:
        """Read the fields."""
        p = self.param.roi_pooling_param
        self.pooled, self.scale = (int(p.pooled_h), int(p.pooled_w)), float(p.spatial_scale)
        for name, n in zip(("pooled_h", "pooled_w"), self.pooled):
            if n < 1:
                raise self.fail(f"{name} is 0; needed: at least 1")

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        """A grid for each region."""
        if len(bottoms[0]) != 4:
            raise self.fail(f"bottom 0 has {len(bottoms[0])} axes; needed: 4 (number, channels, height, width)")
        check_regions(self, bottoms[1])
        return ((bottoms[1][0], bottoms[0][1], *self.pooled),)

    def forward(self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run) -> tuple[Tensor, ...]:
        """Where the maxima are, region by region; then all of them read at once."""
        x = bottoms[0]
        regions = bottoms[1].detach().reshape(-1, 5).double().cpu().tolist()
        check_pictures(self, regions, len(x))
        if not regions:
            return (x.new_zeros(0, x.shape[1], *self.pooled) + 0 * x.sum(),)
        index, inside = map(torch.stack, zip(*(self._places(x.detach(), region) for region in regions)))
        pictures = torch.tensor([int(region[0]) for region in regions], device=x.device)
        found = x.flatten(2)[pictures].gather(2, index.clamp(min=0).flatten(2)).view(index.shape)
        found = torch.where(inside, found, found.detach())
        return (torch.where(index < 0, torch.zeros_like(found), found),)

    def _places(self, x: Tensor, region: Sequence[float]) -> tuple[Tensor, Tensor]:
        """(C, PH, PW): index of each cell's maximum in its plane, -1 where the cell is empty; and whether that is inside the region."""
        picture, (height, width) = int(region[0]), x.shape[2:]
        places = torch.full((x.shape[1], *self.pooled), -1, device=x.device)
        with np.errstate(all="ignore"):
            edges = [float(np.float32(edge) * np.float32(self.scale)) for edge in region[1:]]
        if not all(abs(edge) < NO_INT for edge in edges):
            return places, places >= 0
        x1, y1, x2, y2 = (_rounded(edge) for edge in edges)
        rows, columns = _cells(y1, y2, self.pooled[0], height), _cells(x1, x2, self.pooled[1], width)
        # Columns first: of equal maxima that of the first row is found, and in it the first column.
        best = [x[picture, :, :, left:right].max(2) if right > left else None for left, right in columns]
        for j, found in enumerate(best):
            if found is None:
                continue
            for i, (above, below) in enumerate(rows):
                if below > above:
                    row = found.values[:, above:below].max(1).indices.unsqueeze(1) + above
                    column = found.indices.gather(1, row) + columns[j][0]
                    places[:, i, j] = (row * width + column).squeeze(1)
        return places, (places // width <= y2) & (places % width <= x2)


def _rounded(value: float) -> int:
    """Half away from 0, as C's round."""
    return int(math.floor(abs(value) + 0.5) * math.copysign(1, value))


def _cells(first: int, last: int, cells: int, size: int) -> list[tuple[int, int]]:
    """Start and end of each cell in an axis of ``size``."""
    # In float32, whose rounding lets some cells end one element later or earlier.
    length = np.float32(max(last - first + 1, 1)) / np.float32(cells)
    ends = [(math.floor(np.float32(i) * length) + first, math.ceil(np.float32(i + 1) * length) + first) for i in range(cells)]
    return [(min(max(start, 0), size), min(max(end, 0), size)) for start, end in ends]
