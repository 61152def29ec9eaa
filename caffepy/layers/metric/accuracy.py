"""How often the labelled class is among the best."""

# outer, inner = count of the axes before and after ``axis``; C classes (``axis``)

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from caffepy import log
from caffepy.layers.core.base import (
    Layer,
    Run,
    Shape,
    between,
    canonical_axis,
    count,
    exactly,
    is_readable,
)
from caffepy.layers.core.registry import register_layer
from caffepy.layers.core.traits import Gradients


@register_layer("Accuracy")
class AccuracyLayer(Layer):
    """Share of labels among the ``top_k`` highest scores.  Caffe type ``Accuracy``.

    Bottom: scores (outer..., C, inner...) float; labels, outer * inner of them, truncated to
            integers.
    Top:    () float; 0 if all labels are ignored. A label that is no class counts as a miss, and a
            warning tells of the first.
            [1] (optional) (C,) float: the same for each class, 0 for a class without labels.
    Params: none
    Proto:  accuracy_param { top_k, axis, ignore_label }
    Differs from torch: topk breaks ties; here another class with the same score counts as better. A
            score of NaN in the labelled class counts as correct. On a GPU there is no warning, as
            it would need a wait.
    Source: BVLC Caffe, accuracy_layer
    """

    bottoms = exactly(2)
    tops = between(1, 2)
    gradients = Gradients(backward=False)

    def setup(self, bottoms: Sequence[Shape]) -> None:
        p = self.param.accuracy_param
        self.top_k = int(p.top_k)
        self.ignore = int(p.ignore_label) if p.HasField("ignore_label") else None

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        """The accuracy without axes, and that of each class, (C,)."""
        scores, labels = bottoms
        self.axis = canonical_axis(self, self.param.accuracy_param.axis, len(scores))
        classes = scores[self.axis]
        predictions = count(scores) // max(1, scores[self.axis])
        if count(labels) != predictions:
            raise self.fail(
                f"bottom 1 has {count(labels)} labels; needed: {predictions},"
                f" one for each prediction of bottom 0 {scores}"
            )
        self.classes = classes
        if self.top_k > classes:
            raise self.fail(
                f"top_k is {self.top_k}; needed: at most the number of classes, {classes}"
            )
        return ((), (classes,))[: max(1, self.top_count)]

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        """Count correct predictions on the device of the scores."""
        scores = bottoms[0].detach()
        axis = self.axis
        labels = (
            bottoms[1].detach().reshape(*scores.shape[:axis], 1, *scores.shape[axis + 1 :]).long()
        )
        known = (labels >= 0) & (labels < scores.shape[axis])
        counted = torch.ones_like(known) if self.ignore is None else labels != self.ignore
        self._tell_unknown(bottoms[1].detach(), counted & ~known, run)
        index = labels * known
        rivals = (scores >= scores.gather(axis, index)).sum(axis, keepdim=True) - 1
        correct = ((rivals < self.top_k) & known & counted).to(scores.dtype)
        weight = counted.to(scores.dtype)
        accuracy = correct.sum() / weight.sum().clamp(min=1)
        if self.top_count < 2:
            return (accuracy,)
        classes = index.flatten()
        number = scores.shape[axis]
        hits = scores.new_zeros(number).index_add_(0, classes, correct.flatten())
        totals = scores.new_zeros(number).index_add_(0, classes, (weight * known).flatten())
        return (accuracy, hits / totals.clamp(min=1))

    def _tell_unknown(self, labels: Tensor, unknown: Tensor, run: Run) -> None:
        """Warn, once for the layer, if some of the ``labels`` that count are no class."""
        if "told" in run.state or not is_readable(labels) or not unknown.any():
            return
        run.state["told"] = True
        first = float(labels.flatten()[unknown.flatten()][0])
        integer = -(2**31) <= first < 2**31
        label = int(first) if integer else f"{first:g}"
        advice = f"; accuracy_param {{ ignore_label: {label} }} leaves it out" if integer else ""
        log.warning(
            "accuracy_layer.cpp:0",
            f"layer '{self.param.name}' (Accuracy): label {label} found,"
            f" where the classes are 0 to {self.classes - 1}: as in Caffe it"
            f" counts as a miss{advice}",
        )
