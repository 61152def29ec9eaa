"""How well a picture's pixels are classified."""

# N batch, C classes, H W

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from caffepy.layers.common.loss import label_indices
from caffepy.layers.core.base import Layer, Run, Shape, exactly
from caffepy.layers.core.registry import register_layer
from caffepy.layers.core.state import state_tensors
from caffepy.layers.core.traits import Gradients
from caffepy.proto import caffe_pb2


@register_layer("SegAccuracy")
class SegAccuracyLayer(Layer):
    """Pixel accuracy, mean recall and mean intersection over union.  Caffe type ``SegAccuracy``.

    Bottom: scores (N, C, H, W) float; labels (N, 1, H, W) float, truncated to integers.
    Top:    (1, 1, 1, 3) float: the share of pixels that are predicted right; the mean recall of the
            classes that have labels; the mean intersection over union of all classes (1 for a class
            that is neither labelled nor predicted).
    Params: none
    Proto:  seg_accuracy_param { ignore_label (any number of them), reset (false: each pass counts
            all passes before it, too) }
    Differs from torch: of equal scores the class with the larger index is predicted. No gradient.
    Source: DeepLab and PSPNet, seg_accuracy_layer
    """

    fork_fields = frozenset({"LayerParameter.seg_accuracy_param"})
    bottoms = exactly(2)
    gradients = Gradients(backward=False)

    @classmethod
    def remembers(cls, param: caffe_pb2.LayerParameter) -> bool:
        return True

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        scores, labels = bottoms
        if len(scores) != 4 or labels != (scores[0], 1, *scores[2:]):
            raise self.fail(
                f"the bottoms are {scores} and {labels}; needed: (N, C, H, W) and (N, 1, H, W)"
            )
        return ((1, 1, 1, 3),)

    def state_shapes(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        """The counts of label and prediction, unless each pass starts from zeros."""
        classes = bottoms[0][1]
        return () if self.param.seg_accuracy_param.reset else ((classes, classes),)

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        """Count the pixels of each label and prediction, (C, C)."""
        p = self.param.seg_accuracy_param
        scores = bottoms[0].detach()
        classes = scores.shape[1]
        labels = bottoms[1].detach().flatten().long()
        counted = torch.ones_like(labels, dtype=torch.bool)
        for ignored in p.ignore_label:
            counted &= labels != ignored
        labels, _ = label_indices(self, labels * counted, classes, None, run)
        predicted = classes - 1 - scores.flip(1).argmax(1).flatten()
        table = scores.new_zeros(classes * classes).index_add_(
            0, labels * classes + predicted, counted.to(scores.dtype)
        )
        if not p.reset:
            (total,) = state_tensors(run, ((classes, classes),), table.device, table.dtype)
            table = total.add_(table.view(total.shape)).clone()
        table = table.view(classes, classes)
        hits = table.diagonal()
        labelled = table.sum(1)
        per_prediction = table.sum(0)
        united = labelled + per_prediction - hits
        recall = (hits / labelled.clamp(min=1)).sum() / (labelled > 0).sum().clamp(min=1)
        iou = torch.where(united > 0, hits / united.clamp(min=1), torch.ones_like(hits)).mean()
        return (torch.stack((hits.sum() / table.sum().clamp(min=1), recall, iou)).view(1, 1, 1, 3),)
