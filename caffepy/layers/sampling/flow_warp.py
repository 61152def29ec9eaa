"""Reads a picture at the places that a flow points to."""

# N batch, C channels, H W

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from caffepy.layers.core.base import Layer, Run, Shape, exactly
from caffepy.layers.core.registry import register_layer
from caffepy.proto import caffe_pb2

NOT_A_NUMBER = caffe_pb2.FlowWarpParameter.NOT_A_NUMBER


@register_layer("FlowWarp")
class FlowWarpLayer(Layer):
    """Each pixel read where its flow points, bilinearly.  Caffe type ``FlowWarp``.

    Bottom: (N, C, H, W) float; flow (N, 2, H, W) float: how many pixels to the right, and how many
            down. Gradients go to both.
    Top:    (N, C, H, W) float; fill_value where the flow points out of the picture. The last column
            and row are repeated for places up to a pixel behind them.
    Params: none
    Proto:  flow_warp_param { fill_value }
    Differs from torch: grid_sample takes places from -1 to 1, not offsets in pixels, and at all
            four edges either fades out or repeats them.
    Source: FlowNet2, flow_warp_layer; Ilg et al. 2017
    """

    fork_fields = frozenset({"LayerParameter.flow_warp_param"})
    bottoms = exactly(2)

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        image, flow = bottoms
        if len(image) != 4:
            raise self.fail(
                f"bottom 0 has {len(image)} axes; needed: 4 (number, channels, height, width)"
            )
        if flow != (image[0], 2, *image[2:]):
            raise self.fail(
                f"bottom 1 is {flow}; needed: {(image[0], 2, *image[2:])},"
                " a way to the right and one down for each pixel"
            )
        return (image,)

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        """Sum the four pixels around each place, weighted by nearness."""
        image, flow = bottoms
        height, width = image.shape[2:]
        x = flow[:, 0] + torch.arange(width, dtype=flow.dtype, device=flow.device)
        y = flow[:, 1] + torch.arange(height, dtype=flow.dtype, device=flow.device)[:, None]
        inside = (x >= 0) & (y >= 0) & (x < width) & (y < height)
        x = torch.where(inside, x, 0)
        y = torch.where(inside, y, 0)
        left = x.detach().floor()
        above = y.detach().floor()
        right = (left + 1).clamp(max=width - 1)
        below = (above + 1).clamp(max=height - 1)
        flat = image.flatten(2)
        top = torch.zeros_like(image)
        for row, near_y in ((above, 1 - (y - above)), (below, y - above)):
            for column, near_x in ((left, 1 - (x - left)), (right, x - left)):
                place = (row.long() * width + column.long()).flatten(1)[:, None]
                pixels = flat.gather(2, place.expand(-1, flat.shape[1], -1)).view(image.shape)
                top = top + pixels * (near_x * near_y)[:, None]
        fill = math.nan if self.param.flow_warp_param.fill_value == NOT_A_NUMBER else 0.0
        return (torch.where(inside[:, None], top, fill),)
