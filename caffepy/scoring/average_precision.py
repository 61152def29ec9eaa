"""The average precision of a detector for each class, summed up from the outputs of DetectionEvaluate layers."""

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


def eleven_points(precision: Values, recall: Values) -> float:
    """Mean, over recalls of 0, 0.1 ... 1, of the highest precision from there on (PASCAL VOC 2007).

    As in SSD, below a recall that the first detection reaches, those that lie above the one before are forgotten.
    """
    points, last = np.zeros(11), len(recall) - 1
    for j in reversed(range(11)):
        below = min(last, int(np.searchsorted(recall, j / 10)) - 1)
        points[j] = max(points[j], precision[below + 1 : last + 1].max(initial=0.0))
        if below >= 0:
            last = below
            if j:
                points[j - 1] = points[j]
    return float(points.mean())


def max_integral(precision: Values, recall: Values) -> float:
    """Area under the curve of the highest precision of this recall and all above (PASCAL VOC 2012, ILSVRC), as SSD takes its steps."""
    highest = np.maximum.accumulate(precision[::-1])[::-1]
    return float(recall[0] * highest[0] + (np.diff(recall) * highest[:-1]).sum())


def integral(precision: Values, recall: Values) -> float:
    """Area under the curve as it is."""
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
    """``detections``: (D, 3), each a score, 1 if it is a true positive, 1 if it is a false one; of ``objects``. 0 without either."""
    if not len(detections) or not objects:
        return 0.0
    true, false = detections[np.argsort(-detections[:, 0], kind="stable"), 1:].cumsum(axis=0).T
    return VERSIONS[version](_rounded(true / (true + false)), _rounded(true / objects))


def _rounded(values: Values) -> Values:
    """To float32, which makes a recall of 7 by 10 less than 0.7, as in SSD."""
    return values.astype(np.float32).astype(np.float64)


class AveragePrecisions:
    """Collects outputs of a test like `Totals`: the score of each is the mean average precision over its classes.

    ``each``: the log shows every class.  Source: SSD, Solver::TestDetection
    """

    def __init__(self, version: str, *, each: bool) -> None:
        self._version, self._each = version, each
        self._rows: defaultdict[str, list[Values]] = defaultdict(list)

    def add(self, outputs: Sequence[Output]) -> None:
        """Add one batch's outputs.  SolverError if one is not DetectionEvaluate's."""
        for output in outputs:
            if output.data.dim() != 4 or output.data.shape[3] != COLUMNS:
                raise SolverError(
                    f"test output '{output.name}' is {tuple(output.data.shape)}; needed with eval_type \"detection\": (1, 1, rows, "
                    f"{COLUMNS}), as DetectionEvaluate makes it, and no other output"
                )
            self._rows[output.name].append(output.data.reshape(-1, COLUMNS).double().cpu().numpy())

    def means(self, batches: int) -> list[Score]:
        """The score of each output."""
        return [
            Score(name, self._mean(np.concatenate(rows)), 0.0) for name, rows in self._rows.items()
        ]

    def _mean(self, rows: Values) -> float:
        counts, found = rows[rows[:, 0] == -1], rows[rows[:, 0] != -1]
        found = found[found[:, 3:].any(axis=1)]  # neither true nor false: of a difficult object
        labels, total = np.unique(counts[:, 1]), 0.0
        for label in labels:
            own = found[found[:, 1] == label]
            if not len(own):
                log.warning("solver.cpp:524", f"Missing true_pos for label: {int(label)}")
                continue
            precision = average_precision(
                own[:, 2:], int(counts[counts[:, 1] == label, 2].sum()), self._version
            )
            total += precision
            if self._each:
                log.info("solver.cpp:540", f"class{int(label)}: {log.number(precision)}")
        return total / len(labels) if len(labels) else 0.0


class Summary:
    """What `caffepy test` ends with: the mean of each number of the outputs; average precisions where their count changes.

    ``detects``: every output is a DetectionEvaluate layer's, whose count that is.
    """

    def __init__(self, graph: Graph) -> None:
        made = {value: node.type for node in graph.nodes for value in node.tops}
        self._totals: Totals | None = Totals()
        self._precisions = AveragePrecisions(VERSION, each=False)
        self.detects = bool(graph.outputs) and all(
            made.get(value) == "DetectionEvaluate" for value in graph.outputs
        )

    def add(self, outputs: Sequence[Output]) -> None:
        """Add one batch's outputs. SolverError if they have another size than the first batch's and are no detections."""
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
            f"The batches have unlike numbers of detections; of all of them, mean average precision ({VERSION}):",
        )
        return self._precisions.means(batches)


def check_detection(param: SolverParameter, *, file: str) -> None:
    """SolverError unless ``eval_type`` and ``ap_version`` are known."""
    if param.eval_type not in ("classification", "detection"):
        raise SolverError(
            f"{file}: Unknown evaluation type: {param.eval_type}; needed: classification or detection"
        )
    if param.ap_version not in VERSIONS:
        raise SolverError(
            f"{file}: Unknown ap_version: {param.ap_version}; needed: one of {', '.join(VERSIONS)}"
        )
