"""What losses share: their counts, the rules of labels, and what the sum is divided by."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from caffepy.errors import LayerError
from caffepy.layers.core.autograd import Context
from caffepy.layers.core.base import Layer, Run, Shape, canonical_axis, count, exactly
from caffepy.layers.core.places import inside
from caffepy.layers.core.traits import Gradients
from caffepy.proto import caffe_pb2

FULL = caffe_pb2.LossParameter.FULL
VALID = caffe_pb2.LossParameter.VALID
BATCH_SIZE = caffe_pb2.LossParameter.BATCH_SIZE
NONE = caffe_pb2.LossParameter.NONE
PRE_FIXED = caffe_pb2.LossParameter.PRE_FIXED


IGNORE = "; loss_param { ignore_label: %d } leaves it out"
"""Advice for a label that is no class."""


class Given(torch.autograd.Function):
    """A number whose gradient is given, whatever comes from above, or ``scaled`` by it."""

    @staticmethod
    def forward(ctx: Context, x: Tensor, value: Tensor, gradient: Tensor, scaled: bool) -> Tensor:
        ctx.save_for_backward(gradient)
        ctx.scaled = scaled
        return value.clone()

    @staticmethod
    def backward(ctx: Context, dloss: Tensor) -> tuple[Tensor, None, None, None]:
        (gradient,) = ctx.saved_tensors
        return gradient * dloss if ctx.scaled else gradient, None, None, None


class LossLayer(Layer):
    """Base of losses: predictions and labels in, a number of 0 axes out.

    No gradient goes to labels.
    """

    bottoms = exactly(2)
    is_loss = True
    gradients = Gradients(refused=(1,), unforced=(1,))

    def reshape(self, bottoms: Sequence[Shape]) -> tuple[Shape, ...]:
        """0 axes; both bottoms need the same first dim."""
        first = [shape[0] if shape else None for shape in bottoms[:2]]
        if None in first or first[0] != first[1]:
            raise self.fail(
                f"bottom 0 is {bottoms[0]} and bottom 1 {bottoms[1]}; needed: the same first dim"
            )
        return ((),)

    def check_axes(self, bottom: Shape) -> None:
        """At most 4 axes, as Caffe's older losses have it, but for C3D's."""
        if len(bottom) > 4 and not self.param.any_axes:
            raise self.fail(f"bottom 0 has {len(bottom)} axes; needed: at most 4")

    def check_label_count(self, bottoms: Sequence[Shape], needed: int) -> None:
        """One label for each prediction."""
        labels = count(bottoms[1])
        if labels != needed:
            raise self.fail(
                f"bottom 1 has {labels} labels; needed: {needed},"
                f" one for each prediction of bottom 0 {bottoms[0]}"
            )

    def check_labels(self, bottoms: Sequence[Shape], axis: int) -> tuple[int, int, int]:
        """Check the labels; returns axis of the classes, and how many predictions lie on each side.

        The axis is counted from the front. There must be a label for each prediction.
        """
        axis = canonical_axis(self, axis, len(bottoms[0]))
        outer = count(bottoms[0], 0, axis)
        inner = count(bottoms[0], axis + 1)
        self.check_label_count(bottoms, outer * inner)
        return axis, outer, inner


def normalization_mode(p: caffe_pb2.LossParameter, *, default: int = VALID) -> int:
    """``normalization`` of a LossParameter, or what its older ``normalize`` stands for."""
    if p.HasField("normalization"):
        return int(p.normalization)
    if p.HasField("normalize"):
        return VALID if p.normalize else BATCH_SIZE
    return default


def normalizer(
    mode: int, *, outer: int, inner: int, valid: Tensor | None, run: Run, fixed: float = 1.0
) -> Tensor | float:
    """What a summed loss is divided by, at least 1.

    By ``mode``: predictions (FULL), those not ignored (VALID), batch items, 1 (NONE), ``fixed``.

    ``valid``: which of the outer * inner labels count; None: all. Several ranks divide by the mean
    of their counts, so that the mean of their losses is that of one process, however the ignored
    labels fall.
    """
    if mode == VALID and valid is not None:
        total = valid.sum()
        return total.clamp(min=1) if run.mean_count is None else run.mean_count(total)
    # not by the batch: the mean over the ranks is to be the sum over all their batches
    if mode in (
        NONE,
        PRE_FIXED,
    ):
        return max(1.0, fixed if mode == PRE_FIXED else 1.0) / run.parts
    return float(max(1, outer if mode == BATCH_SIZE else outer * inner))


def label_indices(
    layer: Layer,
    labels: Tensor,
    classes: int,
    ignore: int | None,
    run: Run,
    *,
    what: str = "label",
    advice: str = "",
) -> tuple[Tensor, Tensor | None]:
    """Labels truncated to integers (ignored ones as 0), and which are not ignored (None: all).

    ``advice``: for the end of an error's line where no label is ignored, with ``%d`` for the label.

    Errors: LayerError for a label outside the classes; on a GPU later, see `inside`.
    """
    index = labels.detach().to(torch.int64)
    valid = None
    if ignore is not None:
        valid = index != ignore
        index = index * valid

    def refusal(label: float) -> LayerError:
        hint = advice % label if advice and ignore is None and math.isfinite(label) else ""
        return layer.fail(
            f"{what} {int(label) if math.isfinite(label) else label} found;"
            f" needed: 0 to {classes - 1}{hint}"
        )

    return inside(index, classes, run, refusal, values=labels), valid
