"""Average pooling of regions, each cell from channels of its own."""

# N batch, D output_dim, G group_size (cells in each axis), H W, R regions

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from caffepy.layers.core.base import Layer, Run, Shape, exactly, is_readable
from caffepy.layers.core.registry import register_layer
from caffepy.layers.core.traits import Gradients
from caffepy.layers.detection.roi_pooling import check_pictures, check_regions


@register_layer("PSROIPooling")
class PSROIPoolingLayer(Layer):
    """Mean in each cell of a grid over each region, by channel.  Caffe type ``PSROIPooling``.

    Bottom: (N, D * G * G, H, W) float; regions (R, 5[, 1, 1]) float: index of the picture, x1, y1,
            x2, y2 in the pictures' pixels.
    Top:    (R, D, G, G) float; cell (i, j) of channel d is the mean of the bottom's channel (d * G
            + i) * G + j in that cell; 0 for a cell wholly outside. Edges are rounded, 1 is added to
            x2 and y2, then they are scaled; a region is at least 0.1 wide and high.
    Params: none
    Proto:  psroi_pooling_param { spatial_scale, output_dim, group_size }
    Differs from torch: torchvision's ps_roi_pool computes the same.
    Source: R-FCN, psroi_pooling_layer; Dai et al. 2016
    """

    fork_fields = frozenset({"LayerParameter.psroi_pooling_param"})
    bottoms = exactly(2)
    gradients = Gradients(unforced=(1,))

    def setup(self, bottoms: Sequence[Shape]) -> None:
        p = self.param.psroi_pooling_param
        self.outputs = int(p.output_dim)
        self.group = int(p.group_size)
        self.scale = float(p.spatial_scale)
        for name, n in (("output_dim", self.outputs), ("group_size", self.group)):
            if n < 1:
                raise self.fail(f"{name} is {n}; needed: at least 1")

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        """A grid for each region."""
        shape = bottoms[0]
        needed = self.outputs * self.group**2
        if len(shape) != 4 or shape[1] != needed:
            raise self.fail(
                f"bottom 0 is {shape}; needed: (N, {needed}, H, W),"
                " output_dim * group_size^2 channels"
            )
        check_regions(self, bottoms[1])
        return ((bottoms[1][0], self.outputs, self.group, self.group),)

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        """Sum each cell by products with masks of its rows and columns.

        The host then needs to know no coordinate.
        """
        x = bottoms[0]
        regions = bottoms[1].detach().reshape(-1, 5)
        if is_readable(regions):
            check_pictures(self, regions.tolist(), len(x))
        x1, y1, x2, y2 = _rounded(regions[:, 1:]).unbind(1)
        columns = self._cells(x1 * self.scale, (x2 + 1) * self.scale, x.shape[3])
        rows = self._cells(y1 * self.scale, (y2 + 1) * self.scale, x.shape[2])
        area = rows.sum(2).unsqueeze(2) * columns.sum(2).unsqueeze(1)
        planes = x.reshape(len(x), self.outputs, self.group, self.group, *x.shape[2:])
        sums = torch.zeros((), dtype=x.dtype, device=x.device)
        for picture in range(len(x)):
            here = rows * (regions[:, 0].long() == picture).view(-1, 1, 1)
            sums = sums + torch.einsum("rih,dijhw,rjw->rdij", here, planes[picture], columns)
        return (sums / area.clamp(min=1).unsqueeze(1),)

    def _cells(self, start: Tensor, end: Tensor, size: int) -> Tensor:
        """(R, G, size): 1 where an element lies in the cell, else 0."""
        length = (end - start).clamp(min=0.1) / self.group
        cell = torch.arange(self.group, device=start.device, dtype=start.dtype)
        at = torch.arange(size, device=start.device, dtype=start.dtype)
        first = (cell * length.unsqueeze(1) + start.unsqueeze(1)).floor().unsqueeze(2)
        last = ((cell + 1) * length.unsqueeze(1) + start.unsqueeze(1)).ceil().unsqueeze(2)
        return ((at >= first) & (at < last)).to(start.dtype)


def _rounded(values: Tensor) -> Tensor:
    """Integers, halves away from 0, as C's round."""
    return (values.abs() + 0.5).floor() * values.sign()
