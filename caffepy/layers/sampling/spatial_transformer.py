"""Reads a picture at places that an affine map gives."""

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
    """The bottom read through an affine map for each item.  Caffe type ``SpatialTransformer``.

    Bottom: (N, C, H, W) float; theta (N, 6) float, less the numbers that st_param gives. Its two
            rows of three times (h, w, 1) of the top are h and w of the bottom.
    Top:    (N, C, OH, OW) float. Coordinates are -1 at the first pixel and 1 behind the last.
            Outside the bottom there are zeros.
    Params: none
    Proto:  st_param { output_H, output_W, theta_1_1, ..., theta_2_3, to_compute_dU, transform_type:
            "affine", sampler_type: "bilinear" }
    Differs from torch: affine_grid and grid_sample take w before h, and for them -1 and 1 are the
            borders or the centers of the outer pixels.
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
        """The top has the size that the fields ask for, or the bottom's."""
        p = self.param.st_param
        image, theta = bottoms
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
        """Sum the four pixels around each place, weighted by nearness."""
        image = bottoms[0] if self.param.st_param.to_compute_dU else bottoms[0].detach()
        height, width = image.shape[2:]
        h, w = self._places(bottoms[1].flatten(1))
        h = (h + 1) / 2 * height
        w = (w + 1) / 2 * width
        above = h.detach().floor()
        left = w.detach().floor()
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
        h = full[0] * rows + full[1] * columns + full[2]
        w = full[3] * rows + full[4] * columns + full[5]
        return h.expand(len(theta), -1), w.expand(len(theta), -1)
