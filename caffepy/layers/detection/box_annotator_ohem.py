"""Which boxes are hard enough to learn from."""

# N boxes, C values of a box

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from caffepy.layers.core.base import Layer, Run, Shape, count, exactly
from caffepy.layers.core.registry import register_layer
from caffepy.layers.core.traits import Gradients


@register_layer("BoxAnnotatorOHEM")
class BoxAnnotatorOHEMLayer(Layer):
    """Labels and weights of the boxes with the highest losses.  Caffe type ``BoxAnnotatorOHEM``.

    Bottom: boxes (N, 5[, 1, 1]) float, index of the picture first; loss of each box (N); labels
            (N); box weights (N, C[, 1, 1]).
    Top:    labels (N, 1, 1, 1) and box weights (N, C, 1, 1). The ``roi_per_img`` boxes of each
            picture with the highest losses keep theirs; all others get ignore_label and weights 0.
    Params: none
    Proto:  box_annotator_ohem_param { roi_per_img, ignore_label }
    Differs from torch: no counterpart. Of equal losses the earlier box is kept. No gradient.
    Source: R-FCN, box_annotator_ohem_layer; Shrivastava et al. 2016
    """

    fork_fields = frozenset({"LayerParameter.box_annotator_ohem_param"})
    bottoms = exactly(4)
    tops = exactly(2)
    gradients = Gradients(backward=False)

    def setup(self, bottoms: Sequence[Shape]) -> None:
        if self.param.box_annotator_ohem_param.roi_per_img < 1:
            raise self.fail("roi_per_img is 0; needed: at least 1")

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        boxes, losses, labels, weights = bottoms
        if len(boxes) < 2 or boxes[1] != 5 or count(boxes, 2) != 1:
            raise self.fail(
                f"bottom 0 is {boxes}; needed: (N, 5), the picture and four edges of each box"
            )
        if (
            count(losses) != boxes[0]
            or count(labels) != boxes[0]
            or weights[:1] != boxes[:1]
            or any(n != 1 for n in weights[2:])
        ):
            raise self.fail(
                f"the bottoms are {', '.join(map(str, bottoms))}; needed: {boxes[0]} losses,"
                " labels and rows of weights"
            )
        return ((boxes[0], 1, 1, 1), (*weights, 1, 1, 1)[:4])

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        """Keep a box if fewer than ``roi_per_img`` boxes of its picture come before it."""
        p = self.param.box_annotator_ohem_param
        boxes, losses, labels, weights = (bottom.detach() for bottom in bottoms)
        picture = boxes.reshape(len(boxes), 5)[:, 0].long()
        loss = losses.flatten()
        order = torch.arange(len(loss), device=loss.device)
        before = (loss > loss.unsqueeze(1)) | (
            (loss == loss.unsqueeze(1)) & (order < order.unsqueeze(1))
        )
        kept = (before & (picture == picture.unsqueeze(1))).sum(1) < p.roi_per_img
        kept = kept.view(-1, 1, 1, 1)
        weights = weights.reshape((*weights.shape, 1, 1, 1)[:4])
        return (labels.reshape(kept.shape).masked_fill(~kept, p.ignore_label), weights * kept)
