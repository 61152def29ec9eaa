"""The usual classification loss."""

# outer, inner = count of the axes before and after ``axis``; C classes (``axis``)

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

import torch
import torch.nn.functional as F
from torch import Tensor

from caffepy.layers.common.cross_entropy import LOG_FLT_MIN, SoftmaxLoss, losses_of_labels
from caffepy.layers.common.loss import (
    IGNORE,
    LossLayer,
    label_indices,
    normalization_mode,
    normalizer,
)
from caffepy.layers.common.neuron import check_engine
from caffepy.layers.core.autograd import apply
from caffepy.layers.core.base import Forward, Run, Shape, is_readable
from caffepy.layers.core.registry import log_creation, register_layer

NO_LABEL = 2**63 - 1
"""An ignore_index that no label equals: no float has this value."""


def _cross_entropy(scores: Tensor, labels: Tensor) -> Tensor:
    """The sum of the losses. IndexError for a label that is no class."""
    return F.cross_entropy(
        scores, labels.reshape(-1).long(), reduction="sum", ignore_index=NO_LABEL
    )


@register_layer("SoftmaxWithLoss")
class SoftmaxWithLossLayer(LossLayer):
    """Minus the log of the softmax of the labelled class.  Caffe type ``SoftmaxWithLoss``.

    Bottom: scores (outer..., C, inner...) float; labels, outer * inner of them, truncated to
            integers.
    Top:    () float; the sum over labels that are not ignored, divided by the normaliser: their
            number (VALID), outer * inner (FULL), outer (BATCH_SIZE), 1 (NONE) or
            pre_fixed_normalizer (PRE_FIXED), and at least 1. Probabilities are clamped to at least
            FLT_MIN. With weight_by_label_freqs the loss of each label is multiplied by the weight
            of its class; the normaliser is not.
    Params: none
    Proto:  loss_param { ignore_label, normalization | normalize, pre_fixed_normalizer,
            weight_by_label_freqs, class_weighting (one a class) }, softmax_param { axis, engine }
    Differs from torch: cross_entropy does not clamp, gives NaN where all labels are ignored (here
            0), and divides by the sum of the weights. Caffe's second top never worked and is
            refused.
    Source: BVLC Caffe, softmax_loss_layer; the weights: SegNet
    """

    fork_fields: ClassVar[frozenset[str]] = frozenset(
        f"LossParameter.{name}"
        for name in (
            "NormalizationMode.PRE_FIXED",
            "pre_fixed_normalizer",
            "weight_by_label_freqs",
            "class_weighting",
        )
    )

    def setup(self, bottoms: Sequence[Shape]) -> None:
        log_creation(self.param)  # the Softmax inside
        p = self.param.loss_param
        check_engine(self, self.param.softmax_param)
        self.ignore = int(p.ignore_label) if p.HasField("ignore_label") else None
        self.mode = normalization_mode(p)

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        tops = super().reshape(bottoms)
        p = self.param.loss_param
        self.axis, self.outer, self.inner = self.check_labels(
            bottoms, self.param.softmax_param.axis
        )
        self.batches = replace(self.batches, traceable=self._is_plain(bottoms[0]))
        classes = bottoms[0][self.axis]
        if p.weight_by_label_freqs and len(p.class_weighting) < classes:
            raise self.fail(
                f"class_weighting is given {len(p.class_weighting)} times; needed: {classes} times,"
                " once for each class"
            )
        return tops

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        """The loss of scores and labels."""
        scores = bottoms[0]
        p = self.param.loss_param
        index, valid = self.labels(bottoms, run)
        divisor = normalizer(
            self.mode,
            outer=self.outer,
            inner=self.inner,
            valid=valid,
            run=run,
            fixed=p.pre_fixed_normalizer,
        )
        weight = None
        if p.weight_by_label_freqs:
            of_classes = run.constant(
                "weights", scores, lambda: torch.tensor(list(p.class_weighting))
            )
            weight = of_classes[index]
        return (apply(SoftmaxLoss, scores, index, weight, valid, divisor, self.axis),)

    def prepared(self, bottoms: Sequence[Shape]) -> Forward:
        """Torch's cross_entropy where it computes the same, which is faster.

        That is for scores with two axes, without an ignore_label or weights, without a gradient,
        and where no probability is clamped.
        """
        if not self._is_plain(bottoms[0]):
            return self.forward
        mode = self.mode
        fixed = self.param.loss_param.pre_fixed_normalizer

        def forward(x: Sequence[Tensor], blobs: Sequence[Tensor], run: Run) -> tuple[Tensor, ...]:
            scores, labels = x
            divisor = normalizer(mode, outer=self.outer, inner=1, valid=None, run=run, fixed=fixed)
            if run.recorded is not None:
                loss = _cross_entropy(scores, labels)
                run.recorded.append((loss, -LOG_FLT_MIN))
                if divisor == 1.0:
                    return (loss,)
                # an operator that oneDNN does not know, as it gives a single number an axis
                return (torch.addcdiv(torch.tensor(0.0), loss, torch.as_tensor(divisor)),)
            if scores.requires_grad or not is_readable(scores):
                return self.forward(x, blobs, run)
            try:
                loss = _cross_entropy(scores, labels)
            except IndexError:  # a label that is no class; our own error says which
                return self.forward(x, blobs, run)
            if not loss.item() < -LOG_FLT_MIN:
                return self.forward(x, blobs, run)
            return (loss if divisor == 1.0 else loss / divisor,)

        return forward

    def _is_plain(self, scores: Shape) -> bool:
        """Whether torch's cross_entropy computes all tops where no probability is clamped."""
        return (
            len(scores) == 2
            and self.top_count <= 1
            and self.axis == 1
            and self.ignore is None
            and not self.param.loss_param.weight_by_label_freqs
        )

    def labels(self, bottoms: Sequence[Tensor], run: Run) -> tuple[Tensor, Tensor | None]:
        """The labels (outer..., 1, inner...) as integers, and which are not ignored (None: all)."""
        scores = bottoms[0]
        axis = self.axis
        labels = bottoms[1].reshape(*scores.shape[:axis], 1, *scores.shape[axis + 1 :])
        return label_indices(self, labels, scores.shape[axis], self.ignore, run, advice=IGNORE)

    def each(self, bottoms: Sequence[Tensor], run: Run) -> Tensor:
        """The loss of each label, (outer..., 1, inner...), without gradient; 0 if it is ignored."""
        index, valid = self.labels(bottoms, run)
        return losses_of_labels(
            bottoms[0].detach().log_softmax(self.axis), index, None, valid, self.axis
        )
