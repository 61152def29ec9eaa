"""Larger planes: values put back where a pooling found them, or repeated."""

# N batch, C channels, H W, OH OW output

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from caffepy.errors import LayerError
from caffepy.layers.core.autograd import Context, apply
from caffepy.layers.core.base import Layer, Run, Shape, between
from caffepy.layers.core.places import inside
from caffepy.layers.core.registry import register_layer


class _Unpool(torch.autograd.Function):
    """Of values with one place the last stays; each reads the gradient there."""

    @staticmethod
    def forward(ctx: Context, x: Tensor, index: Tensor, size: int) -> Tensor:
        ctx.save_for_backward(index)
        return x.new_zeros(*x.shape[:2], size).scatter_(2, index, x)

    @staticmethod
    def backward(ctx: Context, dy: Tensor) -> tuple[Tensor, None, None]:
        (index,) = ctx.saved_tensors
        return dy.gather(2, index), None, None


@register_layer("Upsample")
class UpsampleLayer(Layer):
    """Max pooling undone by its mask, or each pixel repeated.  Caffe type ``Upsample``.

    Bottom: (N, C, H, W) float; [1] (SegNet) (N, C, H, W) float, index in the top's plane, the
            second top of a MAX pooling.
    Top:    (N, C, OH, OW) float. With a mask: 0 but for the values at their places; OH =
            upsample_h, or H * scale_h - pad_out_h. Without: each value scale * scale times.
    Params: none
    Proto:  upsample_param { scale (2, without a mask 1 unless given) | scale_h, scale_w |
            upsample_h, upsample_w; pad_out_h, pad_out_w }
    Differs from torch: max_unpool2d computes the same. The top follows when the bottom's size
            changes (SegNet's stays as at first).
    Source: SegNet, upsample_layer (two bottoms) and MobileNet-YOLO, upsample_layer (one);
            Badrinarayanan et al. 2015
    """

    fork_fields = frozenset({"LayerParameter.upsample_param"})
    bottoms = between(1, 2)

    def setup(self, bottoms: Sequence[Shape]) -> None:
        """Check which fields are given."""
        p = self.param.upsample_param
        size = (p.HasField("upsample_h"), p.HasField("upsample_w"))
        factors = (p.HasField("scale_h"), p.HasField("scale_w"))
        if any(size) != all(size) or (
            not any(size)
            and (any(factors) != all(factors) or (all(factors) and p.HasField("scale")))
        ):
            raise self.fail("needed: upsample_h and upsample_w, or scale, or scale_h and scale_w")
        if len(bottoms) == 1 and (any(size) or any(factors) or p.pad_out_h or p.pad_out_w):
            raise self.fail(
                "there is one bottom, which only scale enlarges; needed: scale alone,"
                " or a second bottom, the mask"
            )
        scale = int(p.scale) if p.HasField("scale") or len(bottoms) > 1 else 1
        self.factors = (int(p.scale_h), int(p.scale_w)) if all(factors) else (scale, scale)
        least = 1 if len(bottoms) == 1 else 2
        if min((p.upsample_h, p.upsample_w) if any(size) else self.factors) < least:
            raise self.fail(
                f"scale is {self.factors}, upsample_h {p.upsample_h}, upsample_w {p.upsample_w};"
                f" needed: at least {least}"
            )
        if any(
            trim and factor != 2 for trim, factor in zip((p.pad_out_h, p.pad_out_w), self.factors)
        ) and not any(size):
            raise self.fail(
                f"pad_out_h or pad_out_w is given and scale is {self.factors}; needed: 2,"
                " which leaves a half pixel to trim"
            )

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        """The planes' new size."""
        p = self.param.upsample_param
        shape = bottoms[0]
        if len(shape) != 4:
            raise self.fail(
                f"bottom has {len(shape)} axes; needed: 4 (number, channels, height, width)"
            )
        if any(other != shape for other in bottoms[1:]):
            raise self.fail(f"bottom 0 is {shape} and the mask {bottoms[1]}; needed: equal shapes")
        if p.HasField("upsample_h"):
            self.size = (int(p.upsample_h), int(p.upsample_w))
        else:
            trims = (int(p.pad_out_h), int(p.pad_out_w))
            self.size = (
                shape[2] * self.factors[0] - trims[0],
                shape[3] * self.factors[1] - trims[1],
            )
        if min(self.size) < 1:
            raise self.fail(f"the top's planes are {self.size}; needed: at least 1 in each axis")
        return ((*shape[:2], *self.size),)

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        x = bottoms[0]
        if len(bottoms) == 1:
            return (x.repeat_interleave(self.factors[0], 2).repeat_interleave(self.factors[1], 3),)
        return (unpooled(self, x, bottoms[1].detach().flatten(2).long(), self.size, run),)


def unpooled(layer: Layer, x: Tensor, index: Tensor, size: Shape, run: Run) -> Tensor:
    """Planes of ``size``, 0 but for the values of ``x`` (N, C, H, W).

    Those go to the places that ``index`` (N, C, H*W) names.
    """
    places = size[0] * size[1]

    def refusal(index: float) -> LayerError:
        return layer.fail(
            f"index {index:.0f} found; needed: 0 to {places - 1},"
            f" inside the planes {size} of the top"
        )

    index = inside(index, places, run, refusal)
    planes: Tensor = apply(_Unpool, x.flatten(2), index, places)
    return planes.view(*x.shape[:2], *size)
