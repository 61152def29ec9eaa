"""A picture read at other places, as a flow says where."""

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
    """Each pixel from where its flow points to, between the pixels there.  Caffe type ``FlowWarp``.

    Bottom: (N, C, H, W) float; flow (N, 2, H, W) float: how many pixels to the right, and down.
            Gradients go to both.
    Top:    (N, C, H, W) float; fill_value where the flow points out of the picture. Within a pixel
            of its right and lower edge nothing is faded out.
    Params: none
    Proto:  flow_warp_param { fill_value }
    Differs from torch: grid_sample takes places and not ways to them, from -1 to 1, and fades out
            or repeats the edge all around.
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
        """The four pixels around each place, by their nearness."""
        image, flow = bottoms
        height, width = image.shape[2:]
        x = flow[:, 0] + torch.arange(width, dtype=flow.dtype, device=flow.device)
        y = flow[:, 1] + torch.arange(height, dtype=flow.dtype, device=flow.device)[:, None]
        inside = (x >= 0) & (y >= 0) & (x < width) & (y < height)
        x, y = torch.where(inside, x, 0), torch.where(inside, y, 0)
        left, above = x.detach().floor(), y.detach().floor()
        flat = image.flatten(2)
        top = torch.zeros_like(image)
        for row, near_y in (
            (above, 1 - (y - above)),
            ((above + 1).clamp(max=height - 1), y - above),
        ):
            for column, near_x in (
                (left, 1 - (x - left)),
                ((left + 1).clamp(max=width - 1), x - left),
            ):
                place = (
                    (row.long() * width + column.long())
                    .flatten(1)[:, None]
                    .expand(-1, flat.shape[1], -1)
                )
                top = top + flat.gather(2, place).view(image.shape) * (near_x * near_y)[:, None]
        fill = math.nan if self.param.flow_warp_param.fill_value == NOT_A_NUMBER else 0.0
        return (torch.where(inside[:, None], top, fill),)
