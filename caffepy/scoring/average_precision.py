"""The average precision of a detector, from the outputs of DetectionEvaluate layers."""

# D detections of a class

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from caffepy import log
from caffepy.engine.output import Output
from caffepy.errors import SolverError
from caffepy.net.graph import Graph
from caffepy.proto.caffe_pb2 import SolverParameter
from caffepy.scoring.scores import Score, Totals

Values: TypeAlias = npt.NDArray[np.float64]
COLUMNS = 5
"""Of DetectionEvaluate's rows: image, or -1; label; score, or the count of objects; true; false."""


def eleven_points(precision: Values, recall: Values) -> float:
    """Mean, over recalls of 0, 0.1 ... 1, of the highest precision from there on (PASCAL VOC 2007).

    The search goes as in SSD, which looks only at detections up to where the point above began.
    """
    points = np.zeros(11)
    last = len(recall) - 1
    for j in reversed(range(11)):
        below = min(last, int(np.searchsorted(recall, j / 10)) - 1)
        points[j] = max(points[j], precision[below + 1 : last + 1].max(initial=0.0))
        if below >= 0:
            last = below
            if j:
                points[j - 1] = points[j]
    return float(points.mean())


def max_integral(precision: Values, recall: Values) -> float:
    """Area under the curve of the highest precision at this recall or above, in SSD's steps.

    Used by PASCAL VOC 2012 and ILSVRC.
    """
    highest = np.maximum.accumulate(precision[::-1])[::-1]
    return float(recall[0] * highest[0] + (np.diff(recall) * highest[:-1]).sum())


def integral(precision: Values, recall: Values) -> float:
    """Area under the curve of precision over recall."""
    return float((np.diff(recall, prepend=0.0) * precision).sum())


VERSIONS: dict[str, Callable[[Values, Values], float]] = {
    "11point": eleven_points,
    "MaxIntegral": max_integral,
    "Integral": integral,
}
"""By ``ap_version``."""
VERSION = "Integral"
"""Where no solver says otherwise."""


def average_precision(detections: Values, objects: int, version: str) -> float:
    """The average precision of one class; 0 without detections or objects.

    ``detections``: (D, 3), each a score, 1 for a true positive, and 1 for a false positive.
    ``objects``: how many there were. ``version``: of `VERSIONS`.
    """
    if not len(detections) or not objects:
        return 0.0
    best_first = np.argsort(-detections[:, 0], kind="stable")
    true, false = detections[best_first, 1:].cumsum(axis=0).T
    precision = _rounded(true / (true + false))
    recall = _rounded(true / objects)
    return VERSIONS[version](precision, recall)


def _rounded(values: Values) -> Values:
    """Round to float32: there 7 / 10 is less than 0.7, as in SSD."""
    return values.astype(np.float32).astype(np.float64)


class AveragePrecisions:
    """Collects the outputs of a test, like `Totals`.

    The score of an output is the mean of its classes' average precisions.
    ``each``: the log shows every class.  Source: SSD, Solver::TestDetection
    """

    def __init__(self, version: str, *, each: bool) -> None:
        self._version = version
        self._each = each
        self._rows: defaultdict[str, list[Values]] = defaultdict(list)

    def add(self, outputs: Sequence[Output]) -> None:
        """Add one batch's outputs.  Errors: SolverError if one is not DetectionEvaluate's."""
        for output in outputs:
            if output.data.dim() != 4 or output.data.shape[3] != COLUMNS:
                raise SolverError(
                    f"test output '{output.name}' is {tuple(output.data.shape)}; "
                    f'needed with eval_type "detection": (1, 1, rows, {COLUMNS}), '
                    "as DetectionEvaluate makes it, and no other output"
                )
            self._rows[output.name].append(output.data.reshape(-1, COLUMNS).double().cpu().numpy())

    def means(self, batches: int) -> list[Score]:
        """The score of each output."""
        return [self._score(name, np.concatenate(rows)) for name, rows in self._rows.items()]

    def _score(self, name: str, rows: Values) -> Score:
        is_count = rows[:, 0] == -1
        counts = rows[is_count]
        detections = rows[~is_count]
        # a detection of a difficult object is neither true nor false
        detections = detections[detections[:, 3:].any(axis=1)]
        labels = np.unique(counts[:, 1])
        total = 0.0
        for label in labels:
            own = detections[detections[:, 1] == label]
            if not len(own):
                log.warning("solver.cpp:524", f"Missing true_pos for label: {int(label)}")
                continue
            objects = int(counts[counts[:, 1] == label, 2].sum())
            precision = average_precision(own[:, 2:], objects, self._version)
            total += precision
            if self._each:
                log.info("solver.cpp:540", f"class{int(label)}: {log.number(precision)}")
        return Score(name, total / len(labels) if len(labels) else 0.0, 0.0)


class Summary:
    """What `caffepy test` ends with.

    This is the mean of each number of the outputs; or the average precisions, where all outputs are
    DetectionEvaluate's (``detects``) and their sizes change from batch to batch.
    """

    def __init__(self, graph: Graph) -> None:
        self._totals: Totals | None = Totals()
        self._precisions = AveragePrecisions(VERSION, each=False)
        makers = {value: node.type for node in graph.nodes for value in node.tops}
        types = {makers.get(value) for value in graph.outputs}
        self.detects = types == {"DetectionEvaluate"}

    def add(self, outputs: Sequence[Output]) -> None:
        """Add one batch's outputs.

        Errors: SolverError if they have another size than the first batch's, and are no detections.
        """
        if self.detects:
            self._precisions.add(outputs)
        if self._totals is None or (self.detects and not self._totals.takes(outputs)):
            self._totals = None
        else:
            self._totals.add(outputs)

    def means(self, batches: int) -> list[Score]:
        """The score of each number, or of each output."""
        if self._totals is not None:
            return self._totals.means(batches)
        log.info(
            "average_precision.py:0",
            "The batches have unlike numbers of detections; "
            f"of all of them, mean average precision ({VERSION}):",
        )
        return self._precisions.means(batches)


def check_detection(param: SolverParameter, *, file: str) -> None:
    """Errors: SolverError unless ``eval_type`` and ``ap_version`` are known."""
    if param.eval_type not in ("classification", "detection"):
        raise SolverError(
            f"{file}: Unknown evaluation type: {param.eval_type}; "
            "needed: classification or detection"
        )
    if param.ap_version not in VERSIONS:
        raise SolverError(
            f"{file}: Unknown ap_version: {param.ap_version}; needed: one of {', '.join(VERSIONS)}"
        )
