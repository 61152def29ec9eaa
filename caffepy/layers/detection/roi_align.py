"""Means of regions of any size, read between the pixels, to one size."""

# N batch, C channels, H W, R regions, PH PW pooled, S points in a cell along an axis

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from caffepy.errors import LayerError
from caffepy.layers.core.base import Layer, Run, Shape, exactly, is_readable
from caffepy.layers.core.places import inside
from caffepy.layers.core.registry import register_layer
from caffepy.layers.core.traits import Gradients
from caffepy.layers.detection.roi_pooling import check_pictures, check_regions

NEAR = 5
"""At most so many points of a cell lie within one pixel of another, one more for rounding."""


@register_layer("ROIAlign")
class ROIAlignLayer(Layer):
    """The mean in each cell of a grid over each region.  Caffe type ``ROIAlign``.

    Bottom: (N, C, H, W) float; regions (R, 5[, 1, 1]) float: index of the picture, x1, y1, x2, y2
            in its pixels.
    Top:    (R, C, PH, PW) float; the mean of points in the cell, each interpolated from the 4
            pixels around it; 0 for a point more than one pixel outside. Edges times spatial_scale
            are not rounded.
    Params: none
    Proto:  roi_align_param { pooled_h, pooled_w, spatial_scale, sampling_ratio (S; 0 and less: as
            many as a cell has pixels, rounded up), aligned (to be given) }. aligned: false is
            Detectron's rule, where pixel i lies at i and a region has 1 pixel at least. aligned:
            true is Detectron2's, where it lies at i + 0.5 and a region may be smaller.
    Differs from torch: torchvision's roi_align computes the same. Synopsys's Caffe has a rule of
            its own, the largest of four weighted sums of a cell, which is not computed here.
    Source: Detectron, RoIAlign, and Detectron2's ROIAlign; He et al. 2017. The type and its first
            fields are Synopsys's
    """

    fork_fields = frozenset({"LayerParameter.roi_align_param", "ROIAlignParameter.sampling_ratio"})
    bottoms = exactly(2)
    gradients = Gradients(unforced=(1,))

    def setup(self, bottoms: Sequence[Shape]) -> None:
        p = self.param.roi_align_param
        if not p.HasField("aligned"):
            raise self.fail(
                "roi_align_param.aligned is not given; needed: aligned: false (Mask R-CNN's and"
                " Detectron's rule) or aligned: true (Detectron2's), as the net was trained"
                " (Synopsys's own rule is not computed here)"
            )
        self.pooled = (int(p.pooled_h), int(p.pooled_w))
        self.scale = float(p.spatial_scale)
        self.points = int(p.sampling_ratio)
        self.aligned = bool(p.aligned)
        for name, n in zip(("pooled_h", "pooled_w"), self.pooled):
            if n < 1:
                raise self.fail(f"{name} is 0; needed: at least 1")

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        """A grid for each region."""
        if len(bottoms[0]) != 4:
            raise self.fail(
                f"bottom 0 has {len(bottoms[0])} axes; needed: 4 (number, channels, height, width)"
            )
        check_regions(self, bottoms[1])
        return ((bottoms[1][0], bottoms[0][1], *self.pooled),)

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        """Each region's rows and columns as weights of pixels, and two products with them.

        A weight is the mean over a cell's points, so no coordinate has to be known on the host.
        """
        x = bottoms[0]
        regions = bottoms[1].detach().reshape(-1, 5).to(x.dtype)
        if is_readable(regions):
            check_pictures(self, regions.tolist(), len(x))

        def refusal(picture: float) -> LayerError:
            return self.fail(f"a region is in picture {picture:g}; needed: 0 to {len(x) - 1}")

        pictures = inside(regions[:, 0].nan_to_num(-1).long(), len(x), run, refusal)
        edges = regions[:, 1:] * self.scale - (0.5 if self.aligned else 0.0)
        columns = self._weights(edges[:, 0], edges[:, 2], self.pooled[1], x.shape[3])
        rows = self._weights(edges[:, 1], edges[:, 3], self.pooled[0], x.shape[2])
        means = torch.zeros((), dtype=x.dtype, device=x.device)
        for picture in range(len(x)):
            here = rows * (pictures == picture).view(-1, 1, 1)
            means = means + torch.einsum("rih,chw,rjw->rcij", here, x[picture], columns)
        return (means,)

    def _weights(self, start: Tensor, end: Tensor, cells: int, size: int) -> Tensor:
        """(R, cells, size): the weight of each pixel along one axis in each cell's mean."""
        length = (end - start).clamp(min=0.0 if self.aligned else 1.0) / cells
        number = torch.full_like(length, self.points) if self.points > 0 else length.ceil()
        number = number.view(-1, 1, 1)
        step = length.view(-1, 1, 1) / number.clamp(min=1)
        cell, pixel = (
            torch.arange(n, device=start.device, dtype=start.dtype) for n in (cells, size)
        )
        first = (start.view(-1, 1) + length.view(-1, 1) * cell).unsqueeze(2) + step / 2
        if self.points > 0:
            number_near = self.points
            point = torch.zeros_like(first)
        else:  # points are more than half a pixel apart: few of them are near one pixel
            number_near = NEAR
            before = (pixel - 1 - first) / step.clamp(min=torch.finfo(step.dtype).tiny)
            point = before.floor().clamp(min=torch.zeros_like(number), max=number)
        weights = torch.zeros((), dtype=start.dtype, device=start.device)
        for _ in range(number_near):
            at = first + point * step
            counts = (at >= -1) & (at <= size) & (point < number)
            near = (1 - (at.clamp(0, size - 1) - pixel).abs()).clamp(min=0)
            weights = weights + near * counts
            point = point + 1
        return weights / number.clamp(min=1)
