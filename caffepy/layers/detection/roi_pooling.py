"""Max pooling of regions of any size to one size."""

# N batch, C channels, H W, R regions, PH PW pooled

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from caffepy.errors import LayerError
from caffepy.layers.common.boxes import present
from caffepy.layers.core.autograd import Context, apply
from caffepy.layers.core.base import Layer, Run, Shape, count, exactly, is_readable
from caffepy.layers.core.places import inside
from caffepy.layers.core.registry import register_layer
from caffepy.layers.core.traits import Gradients

NO_INT = 2.0**31
"""A region is empty where an edge is at least this far from 0, or NaN, as in a diverged net."""
LEAST = -torch.finfo(torch.float32).max
"""Values below this, and NaN, are never the maximum, as in Fast R-CNN."""
LOW = 2**32


def check_regions(layer: Layer, regions: Shape) -> None:
    """LayerError unless ``regions`` is (R, 5), or that with axes of length 1 behind."""
    if len(regions) < 2 or count(regions, 1) != 5:
        raise layer.fail(
            f"bottom 1 is {regions}; needed: (R, 5), the picture and x1, y1, x2, y2 of each region"
        )


def check_pictures(layer: Layer, regions: Sequence[Sequence[float]], pictures: int) -> None:
    """LayerError if the first number of a row of ``regions`` is no index of a picture."""
    for number, (picture, *_) in enumerate(regions):
        if not -1 < picture < pictures:  # NaN is not
            raise layer.fail(
                f"region {number} is in picture {picture:g}; needed: 0 to {pictures - 1}"
            )


@register_layer("ROIPooling")
class ROIPoolingLayer(Layer):
    """The maximum in each cell of a grid over each region.  Caffe type ``ROIPooling``.

    Bottom: (N, C, H, W) float; regions (R, 5[, 1, 1]) float: index of the picture, x1, y1, x2, y2
            in its pixels, both included.
    Top:    (R, C, PH, PW) float; 0 for a cell wholly outside the bottom. Edges times spatial_scale
            are rounded half away from 0.
    Params: none
    Proto:  roi_pooling_param { pooled_h, pooled_w, spatial_scale }
    Differs from torch: torchvision's roi_pool computes the same. The gradient goes to the first
            maximum of a cell in row order. It is dropped where that maximum lies behind the
            region's last row or column, as happens for regions that end before they start.
    Source: Fast R-CNN, roi_pooling_layer; Girshick 2015
    """

    fork_fields = frozenset({"LayerParameter.roi_pooling_param"})
    bottoms = exactly(2)
    gradients = Gradients(unforced=(1,))

    def setup(self, bottoms: Sequence[Shape]) -> None:
        p = self.param.roi_pooling_param
        self.pooled = (int(p.pooled_h), int(p.pooled_w))
        self.scale = float(p.spatial_scale)
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
        """Find the places of all maxima without gradient, then read them at once."""
        x = bottoms[0]
        regions = bottoms[1].detach().reshape(-1, 5).float()
        if is_readable(regions):
            check_pictures(self, regions.tolist(), len(x))
        if not len(regions):
            return (x.new_zeros(0, x.shape[1], *self.pooled) + 0 * x.sum(),)

        def refusal(picture: float) -> LayerError:
            return self.fail(f"a region is in picture {picture:g}; needed: 0 to {len(x) - 1}")

        pictures = inside(regions[:, 0].nan_to_num(-1).long(), len(x), run, refusal)
        edges = regions[:, 1:] * self.scale
        sound = (edges.abs() < NO_INT).all(1)
        edges = torch.where(sound.unsqueeze(1), rounded(edges), torch.zeros_like(edges)).long()
        pooled_h, pooled_w = self.pooled
        columns = _cells(edges[:, 0], edges[:, 2], pooled_w, x.shape[3])
        rows = _cells(edges[:, 1], edges[:, 3], pooled_h, x.shape[2])
        maxima = apply(_Maxima, x.permute(0, 2, 3, 1), pictures, rows, columns, edges[:, 2:], sound)
        by_channel = maxima.view(len(regions), -1, x.shape[1]).transpose(1, 2)
        return (by_channel.reshape(len(regions), x.shape[1], *self.pooled),)


def rounded(values: Tensor) -> Tensor:
    """Integers, halves away from 0, as C's round."""
    return (values.double().abs() + 0.5).floor() * values.sign()


def _cells(first: Tensor, last: Tensor, cells: int, size: int) -> Tensor:
    """Start and end of each cell in an axis of ``size`` elements, (2, R, cells).

    ``first``, ``last`` (R,): the first and last element of each region.
    """
    # In float32 as in Fast R-CNN: its rounding lets some cells end one element later or earlier.
    length = ((last - first + 1).clamp(min=1).float() / cells).unsqueeze(1)
    cell = torch.arange(cells + 1, device=first.device, dtype=torch.float32) * length
    ends = torch.stack((cell[:, :-1].floor(), cell[:, 1:].ceil())).long() + first.unsqueeze(1)
    return ends.clamp(0, size)


class _Maxima(torch.autograd.Function):
    """The maxima (R * PH * PW, C) of pictures (N, H, W, C) in the cells of regions.

    The gradient goes to the first maximum of each cell.
    """

    @staticmethod
    def forward(
        ctx: Context,
        x: Tensor,
        pictures: Tensor,
        rows: Tensor,
        columns: Tensor,
        last: Tensor,
        sound: Tensor,
    ) -> Tensor:
        # (R, PH, PW)
        top, bottom = (edge.unsqueeze(2).expand(-1, -1, columns.shape[2]) for edge in rows)
        left, right = (edge.unsqueeze(1).expand(-1, rows.shape[2], -1) for edge in columns)
        empty = ((bottom <= top) | (right <= left) | ~sound.view(-1, 1, 1)).flatten().unsqueeze(1)
        values = torch.where(x > LEAST, x, LEAST).reshape(-1, x.shape[3])
        corners = [edge.flatten() for edge in (top, bottom, left, right)]
        first = pictures.view(-1, 1, 1).expand_as(top).flatten() * (x.shape[1] * x.shape[2])
        place = _first_maxima(_keys(values, x.shape), first, corners)
        maxima = values.gather(0, place.add(first.unsqueeze(1)))
        x2 = last[:, 0].view(-1, 1, 1).expand_as(top).reshape(-1, 1)
        y2 = last[:, 1].view(-1, 1, 1).expand_as(top).reshape(-1, 1)
        learns = ~empty & (maxima > LEAST)
        behind = (corners[1].unsqueeze(1) - 1 > y2) | (corners[3].unsqueeze(1) - 1 > x2)
        if not is_readable(behind) or behind.any():
            learns &= (place // x.shape[2] <= y2) & (place % x.shape[2] <= x2)
        ctx.save_for_backward(place.add_(first.unsqueeze(1)), learns)
        ctx.shape = x.shape
        return maxima.masked_fill_(empty, 0)

    @staticmethod
    def backward(ctx: Context, dy: Tensor) -> tuple[Tensor | None, ...]:
        place, learns = ctx.saved_tensors
        dx = dy.new_zeros(count(ctx.shape, 0, 3), ctx.shape[3]).scatter_add_(0, place, dy * learns)
        return dx.view(ctx.shape), None, None, None, None, None


def _keys(values: Tensor, shape: Sequence[int]) -> Tensor:
    """Integers (N, H, W, C) in the order of the values (N * H * W, C).

    Of equal values in a picture the first has the greatest key. The low half tells the place.
    """
    bits = (values.float() + 0.0).view(torch.int32)  # -0 becomes 0
    ordered = (bits ^ ((bits >> 31) & 0x7FFFFFFF)).long().view(shape)
    places = torch.arange(LOW - 1, LOW - 1 - shape[1] * shape[2], -1, device=values.device)
    return ordered * LOW + places.view(shape[1], shape[2], 1)


def _first_maxima(keys: Tensor, first: Tensor, corners: Sequence[Tensor]) -> Tensor:
    """Places (M, C) of the first maxima in M rectangles, counted in each one's picture.

    The maximum of a rectangle is that of the four rectangles in its corners whose sides are the
    greatest powers of 2 that fit. Tables have the maxima of such rectangles at every place.

    ``keys`` (N, H, W, C). ``first`` (M,): the place in the batch where the rectangle's picture
    begins. ``corners``: top, bottom, left, right (M,); bottom and right are the first elements
    behind the rectangle. Empty rectangles get any place.
    """
    top, bottom, left, right = corners
    height, width = keys.shape[1:3]
    tall = _level(bottom - top, height)
    wide = _level(right - left, width)
    known = is_readable(keys)
    maxima = torch.zeros((len(top), keys.shape[3]), dtype=torch.int64, device=keys.device)
    for i in range((int(tall.max()) if known else (height - 1).bit_length()) + 1):
        if i:
            step = 2 ** (i - 1)
            keys = (
                torch.cat((torch.maximum(keys[:, :-step], keys[:, step:]), keys[:, -step:]), 1)
                if step < height
                else keys
            )
        of = present(tall == i)
        if not len(of):
            continue
        tables = [keys]
        for j in range(int(wide[of].max()) if known else (width - 1).bit_length()):
            step = 2**j
            last = tables[-1]
            tables.append(
                torch.cat(
                    (torch.maximum(last[:, :, :-step], last[:, :, step:]), last[:, :, -step:]), 2
                )
            )
        table = torch.stack(tables).flatten(0, 3)
        start = wide[of] * (keys[..., 0].numel()) + first[of]
        above = top[of].clamp(max=height - 1)
        below = (bottom[of] - 2**i).clamp(min=0)
        before = left[of].clamp(max=width - 1)
        behind = (right[of] - 2 ** wide[of]).clamp(min=0)
        best = table[start + above * width + before]
        for row, column in ((above, behind), (below, before), (below, behind)):
            best = torch.maximum(best, table[start + row * width + column])
        if not known:  # ``of`` has all rectangles
            best = torch.where((tall == i).unsqueeze(1), best, maxima)
        maxima.index_copy_(0, of, best)
    return maxima.bitwise_and_(LOW - 1).neg_().add_(LOW - 1)


def _level(length: Tensor, size: int) -> Tensor:
    """The exponent of the greatest power of 2 that is no more than each length; 0 for length 0."""
    exponent = torch.zeros_like(length)
    for i in range(1, size.bit_length()):
        exponent += length >= 2**i
    return exponent
