"""A classification loss in which a matrix says how much each confusion costs."""

# outer, inner = count of the axes before and after ``axis``; C classes (``axis``)

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from caffepy.errors import WeightsError
from caffepy.layers.common.loss import (
    IGNORE,
    LossLayer,
    label_indices,
    normalization_mode,
    normalizer,
)
from caffepy.layers.common.neuron import check_engine
from caffepy.layers.core.autograd import Context, apply
from caffepy.layers.core.base import Run, Shape, between, count
from caffepy.layers.core.registry import log_creation, register_layer
from caffepy.layers.core.traits import Gradients
from caffepy.proto.weights import read_blob

LEAST_PROBABILITY = 1e-20


class _InfogainLoss(torch.autograd.Function):
    """The loss of scores (outer, C, inner).

    Its gradient is sum(row) * probability - row, also where the probability was clamped.
    """

    @staticmethod
    def forward(ctx: Context, scores: Tensor, rows: Tensor, divisor: Tensor | float) -> Tensor:
        probability = scores.softmax(1)
        ctx.save_for_backward(probability, rows)
        ctx.divisor = divisor
        return -(rows * probability.clamp(min=LEAST_PROBABILITY).log()).sum() / divisor

    @staticmethod
    def backward(ctx: Context, dloss: Tensor) -> tuple[Tensor, None, None]:
        probability, rows = ctx.saved_tensors
        return (
            (probability * rows.sum(1, keepdim=True) - rows).mul_(dloss / ctx.divisor),
            None,
            None,
        )


@register_layer("InfogainLoss")
class InfogainLossLayer(LossLayer):
    """Log of the softmax, weighted by the label's row of a matrix.  Caffe type ``InfogainLoss``.

    Bottom: scores (outer..., C, inner...) float; labels, outer * inner of them, truncated to
            integers; [2] (optional) the matrix, C * C values, row = label.
    Top:    () float; minus the sum over labels and classes of matrix[label, class] *
            log(max(probability, 1e-20)), divided by the normaliser of SoftmaxWithLoss. [1]
            (optional; loss_weight must then be given twice) the softmax, without gradient.
    Params: none
    Proto:  infogain_loss_param { source (a BlobProto file, where there is no third bottom), axis },
            loss_param { ignore_label, normalization }
    Differs from torch: cross_entropy with class probabilities, clamped.
    Source: BVLC Caffe, infogain_loss_layer
    """

    bottoms = between(2, 3)
    tops = between(1, 2)
    gradients = Gradients(refused=(1, 2), unforced=(1,))

    def setup(self, bottoms: Sequence[Shape]) -> None:
        """Read the fields, and the matrix unless it is a bottom."""
        log_creation(self.param)  # the Softmax inside
        check_engine(self, self.param.softmax_param)
        p = self.param.loss_param
        source = self.param.infogain_loss_param
        if p.HasField("normalize"):
            raise self.fail(
                "loss_param.normalize is given, which this layer does not take;"
                " needed: loss_param.normalization"
            )
        self.mode = normalization_mode(p)
        self.ignore = int(p.ignore_label) if p.HasField("ignore_label") else None
        self.matrix: Tensor | None = None
        if len(bottoms) < 3:
            if not source.source:
                raise self.fail(
                    "there is no matrix; needed: infogain_loss_param.source, or a third bottom"
                )
            if self.offline:
                return
            try:
                self.matrix = torch.from_numpy(read_blob(source.source).copy())
            except WeightsError as e:
                raise self.fail(f"infogain_loss_param.source: {e}") from None

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        """A loss without axes, and a top with the shape of the scores."""
        (loss,) = super().reshape(bottoms)
        self.axis, self.outer, self.inner = self.check_labels(
            bottoms, self.param.infogain_loss_param.axis
        )
        classes = bottoms[0][self.axis]
        values = None  # offline there may be no matrix at all
        if self.matrix is not None:
            values = self.matrix.numel()
        elif len(bottoms) > 2:
            values = count(bottoms[2])
        if values not in (None, classes**2):
            raise self.fail(
                f"the matrix has {values} values; needed: {classes**2}, for {classes} classes"
            )
        return (loss, bottoms[0])[: max(1, self.top_count)]

    def forward(
        self, bottoms: Sequence[Tensor], blobs: Sequence[Tensor], run: Run
    ) -> tuple[Tensor, ...]:
        """The loss of scores and labels, and the softmax."""
        classes = bottoms[0].shape[self.axis]
        scores = bottoms[0].reshape(self.outer, classes, self.inner)
        read = self.matrix
        matrix = (
            bottoms[2].detach() if read is None else run.constant("matrix", scores, lambda: read)
        )
        matrix = matrix.reshape(classes, classes)
        index, valid = label_indices(
            self,
            bottoms[1].reshape(self.outer, self.inner),
            classes,
            self.ignore,
            run,
            advice=IGNORE,
        )
        rows = matrix[index].transpose(1, 2)
        if valid is not None:
            ignored = ~valid.unsqueeze(1)
            # A NaN of an ignored label does not count.
            rows = rows.masked_fill(ignored, 0)
            scores = scores.masked_fill(ignored, 0)
        divisor = normalizer(self.mode, outer=self.outer, inner=self.inner, valid=valid, run=run)
        loss = apply(_InfogainLoss, scores, rows, divisor)
        if self.top_count < 2:
            return (loss,)
        return (loss, bottoms[0].detach().softmax(self.axis))
