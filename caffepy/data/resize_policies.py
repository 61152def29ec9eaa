"""The ``resize_param`` of a layer: none, SSD's one, or MobileNet-YOLO's several in turn."""

from __future__ import annotations

from collections.abc import Sequence

from caffepy.data.random import Mt19937
from caffepy.data.resize_policy import ResizePolicy, weighted
from caffepy.errors import DataError
from caffepy.proto import caffe_pb2

BATCHES_EACH = 10
"""Batches between two draws."""
SUM_ERROR = 0.01
"""How far from 1 the sum of the probabilities may be."""


class ResizePolicies:
    """The policy by which the images of a batch are resized, ``now``; None without resize_param.

    One of several is drawn by its ``prob`` at the first batch and at every tenth behind it. The
    first of them tells the shape before there is a batch. Where there is one, nothing is drawn, as
    in SSD.

    Source: ``AnnotatedDataLayer::load_batch`` of MobileNet-YOLO.
    """

    def __init__(self, params: Sequence[caffe_pb2.ResizeParameter]) -> None:
        """DataError for a policy without a size, or where several have no sum of 1."""
        self._policies = [ResizePolicy.from_proto(param) for param in params]
        self._chances = [float(param.prob) for param in params]
        self._number = 0
        self._batches = 0
        self._check_chances()

    @property
    def now(self) -> ResizePolicy | None:
        return self._policies[self._number] if self._policies else None

    @property
    def one_size(self) -> bool:
        """Whether images of all sizes come out in the same one, within a batch."""
        return all(policy.one_size for policy in self._policies)

    def begin_batch(self, random: Mt19937) -> None:
        """Choose the policy of the next batch."""
        if len(self._policies) > 1:
            if self._batches % BATCHES_EACH == 0:
                self._number = weighted(random, self._chances)
            self._batches += 1

    def state(self) -> list[int] | None:
        """The number of the policy, and of batches since it was drawn; None without several."""
        several = len(self._policies) > 1
        return [self._number, self._batches % BATCHES_EACH] if several else None

    def restore(self, state: list[int] | None) -> None:
        """Continue from `state`."""
        if state is not None and state[0] < len(self._policies):
            self._number, self._batches = state

    def _check_chances(self) -> None:
        if len(self._chances) < 2:
            return
        if not all(0 <= chance <= 1 for chance in self._chances):
            told = ", ".join(f"{chance:g}" for chance in self._chances)
            raise DataError(f"resize_param: prob is {told}; needed: from 0 to 1")
        if not abs(sum(self._chances) - 1) <= SUM_ERROR:
            raise DataError(
                f"resize_param is given {len(self._chances)} times, and the sum of prob is"
                f" {sum(self._chances):g}; needed: 1, as one of them is drawn"
            )
