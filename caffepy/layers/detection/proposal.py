"""Faster R-CNN's scores and offsets of anchors become regions."""

# A anchors at a place, H W, P proposals A * H * W, R regions

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from caffepy.layers.common.boxes import BLOCK, unsuppressed, unsuppressed_together
from caffepy.layers.core.base import Layer, Run, Shape, between, count, exactly, is_readable
from caffepy.layers.core.registry import register_layer
from caffepy.layers.core.traits import Device, Gradients

HALF = np.float32(0.5)
ONE = np.float32(1)


@register_layer("Proposal")
class ProposalLayer(Layer):
    """Regions that may hold an object, after suppression.  Caffe type ``Proposal``.

    Bottom: scores (1, 2 * A, H, W) float, those of the background first; offsets (1, 4 * A, H, W)
            in x, y, log width, log height; height and width of the picture and the scale of each,
            (4,) or more numbers.
    Top:    (R, 5) float: 0, xmin, ymin, xmax, ymax in pixels, by falling score. R depends on the
            values and is at most post_nms_topn (which the shape rule says). [1] (R,) their scores;
            0 for a region with a side below min_size times the picture's scale.
    Params: none
    Proto:  proposal_param { feat_stride, base_size, min_size, ratio, scale, pre_nms_topn,
            post_nms_topn, nms_thresh }; A is the number of ratios times that of scales
    Differs from torch: no counterpart. Regions of equal scores keep their order; in PVANet it is
            that of its quicksort. happynear/caffe-windows has the same fields, but rounds the sides
            of anchors after scaling, not before. With a GPU the host waits once, for the number of
            regions.
    Source: PVANet, proposal_layer and nms, as in openvinotoolkit/training_toolbox_caffe; Ren et al.
            2015
    """

    fork_fields = frozenset(
        {
            "LayerParameter.proposal_param",
            *(
                f"ProposalParameter.{name}"
                for name in (
                    "base_size",
                    "min_size",
                    "ratio",
                    "scale",
                    "post_nms_topn",
                    "nms_thresh",
                )
            ),
        }
    )
    bottoms = exactly(3)
    tops = between(1, 2)
    gradients = Gradients(backward=False)
    device = Device(on_host=True, shaped_by_values=True)

    def setup(self, bottoms: Sequence[Shape]) -> None:
        """The anchors, (A, 4)."""
        p = self.param.proposal_param
        if not p.ratio or not p.scale:
            raise self.fail(
                f"{len(p.ratio)} ratio and {len(p.scale)} scale are given;"
                " needed: at least one of each"
            )
        for name in ("feat_stride", "pre_nms_topn", "post_nms_topn"):
            if getattr(p, name) < 1:
                raise self.fail(f"{name} is {getattr(p, name)}; needed: at least 1")
        center = HALF * (np.float32(p.base_size) - ONE)
        anchors = []
        for ratio in np.array(p.ratio, np.float32):
            width = np.floor(np.sqrt(np.float32(p.base_size**2) / ratio) + HALF)
            height = np.floor(width * ratio + HALF)
            for scale in np.array(p.scale, np.float32):
                x = HALF * (width * scale - ONE)
                y = HALF * (height * scale - ONE)
                anchors.append([center - x, center - y, center + x, center + y])
        self.anchors = np.array(anchors, np.float32)

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        """The shape for the largest possible number of regions."""
        scores, offsets, picture = bottoms
        number = len(self.anchors)
        if len(scores) != 4 or scores[:2] != (1, 2 * number):
            raise self.fail(
                f"bottom 0 is {scores}; needed: (1, {2 * number}, height, width),"
                f" two scores for each of {number} anchors"
            )
        if offsets != (1, 4 * number, *scores[2:]):
            raise self.fail(
                f"bottom 1 is {offsets}; needed: {(1, 4 * number, *scores[2:])},"
                f" four offsets for each of {number} anchors"
            )
        if count(picture) < 4:
            raise self.fail(
                f"bottom 2 is {picture}; needed: at least 4 numbers, height,"
                " width and the scales of both"
            )
        most = int(self.param.proposal_param.post_nms_topn)
        return ((most, 5), (most,))[: self.top_count]

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        """Move the anchors, sort them by score and suppress those that overlap better ones."""
        p = self.param.proposal_param
        scores, offsets, picture = (x.detach().float() for x in bottoms)
        height, width, scale_y, scale_x = picture.reshape(-1)[:4].unbind()
        boxes = self._boxes(offsets[0], run)
        boxes = torch.minimum(boxes, torch.stack([width, height] * 2) - 1).clamp(min=0)
        sides = boxes[:, 2:] - boxes[:, :2] + 1
        large = (sides >= p.min_size * torch.stack([scale_x, scale_y])).all(1)
        score = scores[0, len(self.anchors) :].permute(1, 2, 0).reshape(-1) * large
        order = (-score).argsort(stable=True)[: p.pre_nms_topn]
        kept = order[self._unsuppressed(boxes[order])]
        regions = torch.cat([boxes.new_zeros(len(kept), 1), boxes[kept]], 1)
        return tuple(made.to(bottoms[0]) for made in (regions, score[kept]))[: self.top_count]

    def _boxes(self, offsets: Tensor, run: Run) -> Tensor:
        """The anchors at all places, moved, (P, 4)."""
        height, width = offsets.shape[1:]
        stride = self.param.proposal_param.feat_stride
        y = torch.arange(height, device=offsets.device, dtype=torch.float32) * stride
        x = torch.arange(width, device=offsets.device, dtype=torch.float32) * stride
        places = torch.stack(torch.meshgrid(x, y, indexing="xy") * 2, -1)
        boxes = (
            places.unsqueeze(2)
            + run.constant("anchors", offsets, lambda: torch.from_numpy(self.anchors))
        ).reshape(-1, 4)
        moved = offsets.reshape(-1, 4, height, width).permute(2, 3, 0, 1).reshape(-1, 4)
        sides = boxes[:, 2:] - boxes[:, :2] + 1
        centers = moved[:, :2] * sides + (boxes[:, :2] + sides / 2)
        halves = moved[:, 2:].exp() * sides / 2
        return torch.cat([centers - halves, centers + halves], 1)

    def _unsuppressed(self, boxes: Tensor) -> Tensor:
        """Indices of the boxes that overlap no earlier box too much; they come by falling score."""
        p = self.param.proposal_param
        if is_readable(boxes):
            return unsuppressed(boxes, _common_part, p.nms_thresh, most=p.post_nms_topn)
        over = torch.cat(
            [_common_part(block.unsqueeze(1), boxes) > p.nms_thresh for block in boxes.split(BLOCK)]
        )
        kept, (number,) = unsuppressed_together(over, torch.ones_like(over[0]), torch.sum)
        return (~kept).byte().argsort(stable=True)[: min(number, p.post_nms_topn)]


def _common_part(a: Tensor, b: Tensor) -> Tensor:
    """Intersection over union of boxes that broadcast, in pixels with both ends included."""
    low = torch.maximum(a[..., :2], b[..., :2])
    high = torch.minimum(a[..., 2:], b[..., 2:])
    width, height = (high - low).unbind(-1)
    shared = ((width + 1) * (height + 1)).masked_fill((width < 0) | (height < 0), 0)
    return (shared / (_area(a) + _area(b) - shared)).nan_to_num(0.0)


def _area(box: Tensor) -> Tensor:
    return (box[..., 2] - box[..., 0] + 1) * (box[..., 3] - box[..., 1] + 1)
