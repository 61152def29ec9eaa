"""``batch_sampler``: random crops that overlap enough with the objects of an image, as in SSD."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from caffepy.data.objects import Box, coverage, jaccard
from caffepy.data.random import Mt19937
from caffepy.errors import DataError
from caffepy.float32 import round32
from caffepy.proto import caffe_pb2

Overlap = Callable[[Box, Box], float]

OVERLAPS: dict[str, Overlap] = {
    "jaccard_overlap": jaccard,
    "sample_coverage": coverage,
    "object_coverage": lambda sample, item: coverage(item, sample),
}

JITTER_CASES = np.cumsum(np.array([0.2, 0.2, 0.6], np.float32), dtype=np.float32)
"""Upper bounds of the draws for: no jitter, half of it, all of it."""


class BatchSamplers:
    """All samplers of a layer: each adds the crops that it finds, and one of all is taken."""

    def __init__(self, params: Sequence[caffe_pb2.BatchSampler]) -> None:
        """``params``: BatchSampler messages.

        DataError for sizes and shapes that no crop can have.
        """
        self._samplers = [BatchSampler(param, i) for i, param in enumerate(params)]

    def pick(self, random: Mt19937, boxes: Sequence[Box]) -> Box | None:
        """A crop for an image with these objects; None for the whole image."""
        crops = [box for sampler in self._samplers for box in sampler.sample(random, boxes)]
        return crops[random.draw() % len(crops)] if crops else None


class JitterSampler:
    """A crop at any place, or the whole image, as MobileNet-YOLO trains on it.

    The sides are at least 1 - ``jitter`` in 3 of 5 cases, and 1 - half of it in 1 of 5.
    ``in_shape``: whether both sides are equal.

    Source: ``GenerateJitterSamples``.
    """

    def __init__(self, jitter: float, *, in_shape: Callable[[], bool]) -> None:
        """DataError unless something of the image is left."""
        if not 0 <= jitter < 1:
            raise DataError(
                f"annotated_data_param.yolo_data_jitter is {jitter:g}; needed: 0 or more, below 1"
            )
        self._jitter = jitter
        self._in_shape = in_shape

    def pick(self, random: Mt19937, boxes: Sequence[Box]) -> Box:
        """A crop.

        The first draw chooses the case. The last one is SSD's choice among the crops, though there
        is only one.
        """
        case = int(
            np.searchsorted(JITTER_CASES, np.float32(random.between(0, float(JITTER_CASES[-1]))))
        )
        box = 0.0, 0.0, 1.0, 1.0
        if case:
            box = self._draw(
                random, round32(1 - round32(self._jitter / 2 if case == 1 else self._jitter))
            )
        random.draw()
        return box

    def _draw(self, random: Mt19937, least: float) -> Box:
        width = random.between(least, 1)
        height = width if self._in_shape() else random.between(least, 1)
        left, top = random.between(0, round32(1 - width)), random.between(0, round32(1 - height))
        return left, top, round32(left + width), round32(top + height)


class BatchSampler:
    """Crops of one kind.

    Up to ``max_trials`` crops are drawn until ``max_sample`` of them satisfy the constraint.

    Source: ``GenerateSamples``, ``SampleBBox``.
    """

    def __init__(self, param: caffe_pb2.BatchSampler, place: int) -> None:
        where = f"annotated_data_param.batch_sampler {place}"
        sampler = param.sampler
        if not 0 < sampler.min_scale <= sampler.max_scale <= 1:
            raise DataError(
                f"{where}: scale is {sampler.min_scale:g} to {sampler.max_scale:g}; needed:"
                " above 0, in order, at most 1"
            )
        if not 0 < sampler.min_aspect_ratio <= sampler.max_aspect_ratio < math.inf:
            found = f"{sampler.min_aspect_ratio:g} to {sampler.max_aspect_ratio:g}"
            raise DataError(f"{where}: aspect_ratio is {found}; needed: above 0 and in order")
        self._scales = sampler.min_scale, sampler.max_scale
        self._ratios = sampler.min_aspect_ratio, sampler.max_aspect_ratio
        self._trials = int(param.max_trials) if param.use_original_image else 0
        self._most = int(param.max_sample) if param.HasField("max_sample") else self._trials
        limits = (
            _limit(param.sample_constraint, name, overlap) for name, overlap in OVERLAPS.items()
        )
        # Of several limits SSD's code uses only the first.
        self._limit = next((limit for limit in limits if limit), None)

    def sample(self, random: Mt19937, boxes: Sequence[Box]) -> list[Box]:
        """Crops that satisfy the constraint."""
        crops: list[Box] = []
        for _ in range(self._trials):
            if len(crops) >= self._most:
                break
            box = self._draw(random)
            if self._satisfies(box, boxes):
                crops.append(box)
        return crops

    def _satisfies(self, box: Box, boxes: Sequence[Box]) -> bool:
        """Whether the limit, if there is one, holds for any of the objects."""
        return self._limit is None or any(self._limit(box, other) for other in boxes)

    def _draw(self, random: Mt19937) -> Box:
        scale, ratio = random.between(*self._scales), random.between(*self._ratios)
        area = scale * scale
        root = _root(min(max(ratio, round32(area)), round32(1 / area)))
        # Rounding can make a side a little longer than the image, where SSD ends the program.
        width = min(1.0, round32(scale * root))
        height = min(1.0, round32(scale / root))
        left, top = random.between(0, round32(1 - width)), random.between(0, round32(1 - height))
        return left, top, round32(left + width), round32(top + height)


def _limit(
    constraint: caffe_pb2.SampleConstraint, name: str, overlap: Overlap
) -> Callable[[Box, Box], bool] | None:
    """A test of the overlap of a crop with an object; None if the constraint does not limit it."""
    low, high = (f"{end}_{name}" for end in ("min", "max"))
    if not constraint.HasField(low) and not constraint.HasField(high):
        return None
    least = getattr(constraint, low) if constraint.HasField(low) else -math.inf
    most = getattr(constraint, high) if constraint.HasField(high) else math.inf
    return lambda box, other: least <= overlap(box, other) <= most


def _root(value: float) -> float:
    return round32(math.sqrt(value))
