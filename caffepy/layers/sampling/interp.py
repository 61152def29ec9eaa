"""Resizes planes by bilinear interpolation."""

# N batch, C channels, H W, OH OW output

from __future__ import annotations

from collections.abc import Sequence

import torch.nn.functional as F
from torch import Tensor

from caffepy.layers.core.base import Layer, Run, Shape
from caffepy.layers.core.registry import register_layer


@register_layer("Interp")
class InterpLayer(Layer):
    """Bilinear interpolation with aligned corners.  Caffe type ``Interp``.

    Bottom: (N, C, H, W) float.
    Top:    (N, C, OH, OW) float. OH is height, or computed from H: (H - 1) / shrink_factor + 1, and
            of that H + (H - 1) * (zoom_factor - 1); OW likewise. If height and width are given
            beside one factor, the factor counts; beside both factors, height and width count.
            pad_beg and pad_end are 0 or negative and crop the bottom first.
    Params: none
    Proto:  interp_param { height, width, shrink_factor, zoom_factor, pad_beg, pad_end }
    Differs from torch: nothing; align_corners is true.
    Source: DeepLab and PSPNet, interp_layer; Chen et al. 2015
    """

    fork_fields = frozenset({"LayerParameter.interp_param"})

    def setup(self, bottoms: Sequence[Shape]) -> None:
        p = self.param.interp_param
        if p.pad_beg > 0 or p.pad_end > 0:
            raise self.fail(
                f"pad_beg is {p.pad_beg} and pad_end {p.pad_end}; needed: 0 or less, they crop"
            )
        for name in ("shrink_factor", "zoom_factor"):
            if getattr(p, name) < 1:
                raise self.fail(f"{name} is {getattr(p, name)}; needed: at least 1")
        factors = p.HasField("shrink_factor") + p.HasField("zoom_factor")
        size = p.HasField("height") and p.HasField("width")
        self.factors = factors == 1 or (factors == 2 and not size)
        if not self.factors and not size:
            raise self.fail(
                "no size is given; needed: height and width, or zoom_factor or shrink_factor"
            )

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        """The top has the size that the fields ask for."""
        p = self.param.interp_param
        shape = bottoms[0]
        if len(shape) != 4:
            raise self.fail(
                f"bottom has {len(shape)} axes; needed: 4 (number, channels, height, width)"
            )
        cropped = [n + p.pad_beg + p.pad_end for n in shape[2:]]
        self.size = [self._resized(n) for n in cropped] if self.factors else [p.height, p.width]
        if any(n < 1 for n in (*cropped, *self.size)):
            raise self.fail(
                f"{shape[2:]} becomes {tuple(cropped)} cropped and {tuple(self.size)} resized;"
                " needed: at least 1 in each axis"
            )
        return ((*shape[:2], *self.size),)

    def _resized(self, n: int) -> int:
        p = self.param.interp_param
        n = (n - 1) // p.shrink_factor + 1
        return int(n + (n - 1) * (p.zoom_factor - 1))

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        p = self.param.interp_param
        x = bottoms[0]
        x = x[:, :, -p.pad_beg : x.shape[2] + p.pad_end, -p.pad_beg : x.shape[3] + p.pad_end]
        return (F.interpolate(x, self.size, mode="bilinear", align_corners=True),)
