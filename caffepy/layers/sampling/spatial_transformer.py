"""A picture read at other places, as a small net says where."""

# N batch, C channels, H W, OH OW output

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from caffepy.layers.core.base import Layer, Run, Shape, exactly
from caffepy.layers.core.registry import register_layer

THETA = tuple(f"theta_{row}_{column}" for row in (1, 2) for column in (1, 2, 3))


@register_layer("SpatialTransformer")
class SpatialTransformerLayer(Layer):
    """The bottom seen through an affine map of each item.  Caffe type ``SpatialTransformer``.

    Bottom: (N, C, H, W) float; theta (N, 6) float, or as many fewer as st_param gives, by rows: the
            rows make h and w of the bottom from h, w and 1 of the top.
    Top:    (N, C, OH, OW) float. Sides go from -1 at the first pixel to 1 behind the last; outside
            the bottom lie zeros.
    Params: none
    Proto:  st_param { output_H, output_W, theta_1_1, ..., theta_2_3, to_compute_dU, transform_type:
            "affine", sampler_type: "bilinear" }
    Differs from torch: affine_grid and grid_sample put w before h and let -1 and 1 be the outer
            pixels' borders or centers.
    Source: daerduoCarey/SpatialTransformerLayer, st_layer; Jaderberg et al. 2015
    """

    bottoms = exactly(2)
    fork_fields = frozenset({"LayerParameter.st_param"})

    def setup(self, bottoms: Sequence[Shape]) -> None:
        p = self.param.st_param
        for name, known in (("transform_type", "affine"), ("sampler_type", "bilinear")):
            if getattr(p, name) != known:
                raise self.fail(f"{name} is '{getattr(p, name)}'; needed: '{known}'")
        self.given = [float(getattr(p, name)) if p.HasField(name) else None for name in THETA]

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        """The size asked for, or the bottom's."""
        p, (image, theta) = self.param.st_param, bottoms
        wanted = self.given.count(None)
        if len(image) != 4 or not all(image[2:]):
            raise self.fail(
                f"bottom 0 is {image}; needed: 4 axes (number, channels, height, width), no side 0"
            )
        if theta[:1] != image[:1] or torch.Size(theta[1:]).numel() != wanted:
            raise self.fail(
                f"bottom 1 is {theta}; needed: {wanted} numbers of theta for each of the {image[0]}"
                " items of bottom 0"
            )
        self.size = [
            getattr(p, name) if p.HasField(name) else side
            for name, side in zip(("output_H", "output_W"), image[2:])
        ]
        if min(self.size) < 1:
            raise self.fail(
                f"output_H and output_W are {self.size[0]} and {self.size[1]}; needed: at least 1"
            )
        return ((*image[:2], *self.size),)

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        """The four pixels around each place, by their nearness."""
        image = bottoms[0] if self.param.st_param.to_compute_dU else bottoms[0].detach()
        height, width = image.shape[2:]
        h, w = self._places(bottoms[1].flatten(1))
        h, w = (h + 1) / 2 * height, (w + 1) / 2 * width
        above, left = h.detach().floor(), w.detach().floor()
        flat = image.flatten(2)
        top = flat.new_zeros((*flat.shape[:2], h.shape[1]))
        for row, near_h in ((above, 1 - (h - above)), (above + 1, h - above)):
            for column, near_w in ((left, 1 - (w - left)), (left + 1, w - left)):
                inside = (row >= 0) & (row < height) & (column >= 0) & (column < width)
                place = (
                    torch.where(inside, row, 0).long() * width
                    + torch.where(inside, column, 0).long()
                )
                pixels = flat.gather(2, place[:, None].expand(-1, flat.shape[1], -1))
                top = top + pixels * torch.where(inside, near_h * near_w, 0)[:, None]
        return (top.unflatten(2, self.size),)

    def _places(self, theta: Tensor) -> tuple[Tensor, Tensor]:
        """h and w of the bottom for each point of the top, (N, OH * OW) each."""
        sides = [
            torch.arange(n, dtype=theta.dtype, device=theta.device) / n * 2 - 1 for n in self.size
        ]
        rows, columns = (grid.flatten() for grid in torch.meshgrid(*sides, indexing="ij"))
        learned = iter(theta.unbind(1))
        full = [next(learned)[:, None] if value is None else value for value in self.given]
        h, w = (a * rows + b * columns + c for a, b, c in (full[:3], full[3:]))
        return h.expand(len(theta), -1), w.expand(len(theta), -1)
