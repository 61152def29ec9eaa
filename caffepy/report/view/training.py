"""A training log, or a file of ``-metrics``, as curves for the page, and what the log warned of."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from caffepy.errors import DataError
from caffepy.report.log_clock import created_year, timed
from caffepy.report.log_lines import STAMP, read_lines
from caffepy.report.metrics_file import is_metrics, read_metrics
from caffepy.report.plot_log import is_accuracy
from caffepy.report.training_log import ITERATION, LOSS, Series, TrainingLog, parse

LOSS_PANEL, ACCURACY_PANEL, RATE_PANEL, SPEED_PANEL = "loss", "accuracy", "rate", "speed"
MOST_POINTS = 3000
"""Of a curve in the page; of more the least and the largest of each stretch are kept."""
MOST_WARNINGS = 200
SEVERITIES = {"W": "warning", "E": "error", "F": "fatal"}
SPEED = re.compile(r"Iteration (?P<iteration>\d{1,18}) \((?P<rate>[-+.\deE]+) iter/s")
BATCH = re.compile(r"Top shape: (\d+) ")
ITER_SIZE = re.compile(r"^iter_size: (\d+)")


@dataclass
class Run:
    """One training.  ``seconds``: since its start, by iteration; ``speed``: by iteration, in ``unit``; ``warnings``: for the page."""

    log: TrainingLog = field(default_factory=TrainingLog)
    seconds: Series = field(default_factory=dict)
    speed: Series = field(default_factory=dict)
    unit: str = "images/s"
    warnings: list[dict[str, Any]] = field(default_factory=list)


def training_data(files: Mapping[str, str], *, running: bool = False) -> dict[str, Any]:
    """The runs of these files by name.  ``running``: one may have no number yet.  DataError where a file cannot be read or has none."""
    return {"runs": [run_data(name, read_run(path, running=running)) for name, path in files.items()]}


def read_run(path: str, *, running: bool = False) -> Run:
    """Read one file, a log or JSON lines."""
    if is_metrics(path):
        recorded = read_metrics(path)
        run = Run(recorded.log, recorded.seconds, recorded.speed)
    else:
        run = of_log(path)
    if not (running or run.log.loss or run.log.test):
        raise DataError(f"{path}: no line 'Iteration N, loss = x' or 'Test net output'; needed: the log of caffe train")
    return run


def of_log(path: str) -> Run:
    """The numbers of a glog file."""
    lines = read_lines(path)
    run = Run(parse(lines))
    run.seconds = clock(lines, path)
    run.speed = {int(m["iteration"]): rate for line in lines if (m := SPEED.search(line)) and (rate := positive(m["rate"]))}
    run.speed = run.speed or by_clock(run)
    images = images_of(lines)
    if images:
        run.speed = {at: rate * images for at, rate in run.speed.items()}
    else:
        run.unit = "iterations/s"
    run.warnings = warnings_of(lines)
    return run


def positive(text: str) -> float:
    """A speed; 0 where a log says none: the first lap of Caffe's logs has lasted no time."""
    try:
        value = float(text)
    except ValueError:
        return 0.0
    return value if math.isfinite(value) and value > 1e-6 else 0.0


def clock(lines: Sequence[str], path: str) -> Series:
    """Seconds since the start at each iteration's line of loss."""
    found: Series = {}
    for seconds, line in timed(lines, created_year(lines, path)) or []:
        if match := LOSS.search(line):
            found[int(match["iteration"])] = seconds
    return found


def by_clock(run: Run) -> Series:
    """Iterations a second between one line of loss and the next, tests among them, for logs that do not say it."""
    places = sorted(run.seconds.items())
    return {at: (at - before) / (now - then) for (before, then), (at, now) in itertools.pairwise(places) if now > then}


def images_of(lines: Sequence[str]) -> int:
    """Images of an iteration: the first batch that the log sets up, as often as iter_size says; 0 where it does not tell."""
    batch = next((int(match[1]) for line in lines if (match := BATCH.search(line))), 0)
    return batch * next((int(match[1]) for line in lines if (match := ITER_SIZE.match(line))), 1)


def warnings_of(lines: Sequence[str]) -> list[dict[str, Any]]:
    """Lines of a severity above info, equal ones once, with the iteration that the log was at first."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    iteration = None
    for line in lines:
        if match := ITERATION.search(line):
            iteration = int(match["iteration"])
        severity = SEVERITIES.get(line[:1])
        if severity and STAMP.match(line):
            text = line.partition("] ")[2]
            entry = found.setdefault((severity, text), {"severity": severity, "text": text, "iteration": iteration, "times": 0})
            entry["times"] += 1
    return list(found.values())[:MOST_WARNINGS]


def run_data(name: str, run: Run) -> dict[str, Any]:
    """One run for the page."""
    log = run.log
    curves = [curve(LOSS_PANEL, "training loss", log.loss)]
    for phase, outputs in (("test", log.test), ("train", log.train)):
        for output, series in outputs.items():
            accuracy = is_accuracy(output)
            # the loss of each iteration says little beside the smoothed one
            shown = phase == "test" or accuracy
            curves.append(curve(ACCURACY_PANEL if accuracy else LOSS_PANEL, f"{phase} {output}", series, shown=shown))
    curves += [curve(RATE_PANEL, "learning rate", log.rate), curve(SPEED_PANEL, run.unit, run.speed)]
    lost = [at for at, value in sorted(log.loss.items()) if not math.isfinite(value)]
    warnings = list(run.warnings)
    if lost:
        text = f"the training loss is no finite number at {len(lost)} of {len(log.loss)} lines, first at iteration {lost[0]}"
        warnings.insert(0, {"severity": "error", "text": text, "iteration": lost[0], "times": 1})
    seconds = thinned(sorted(run.seconds.items()))
    return {
        "name": name,
        "curves": [c for c in curves if c["x"]],
        "seconds": {"x": [at for at, _ in seconds], "y": [round(value, 3) for _, value in seconds]},
        "warnings": warnings,
        "iterations": max((at for c in curves for at in c["x"]), default=0),
    }


def curve(panel: str, label: str, series: Series, *, shown: bool = True) -> dict[str, Any]:
    """One curve; null where the value is no finite number."""
    points = thinned(sorted(series.items()))
    values = [value if math.isfinite(value) else None for _, value in points]
    return {"panel": panel, "label": label, "shown": shown, "x": [at for at, _ in points], "y": values}


def thinned(points: Sequence[tuple[int, float]]) -> Sequence[tuple[int, float]]:
    """All points, or of too many the least, the largest and the ones that are no number of each stretch, and the last."""
    if len(points) <= MOST_POINTS:
        return points
    stretch = math.ceil(len(points) / (MOST_POINTS // 2))
    kept: list[tuple[int, float]] = []
    for start in range(0, len(points), stretch):
        part = points[start : start + stretch]
        finite = [point for point in part if math.isfinite(point[1])]
        chosen = {min(finite, key=value_of), max(finite, key=value_of)} if finite else {part[0]}
        kept += sorted(chosen)
        if finite and len(finite) < len(part):
            kept.append(next(point for point in part if not math.isfinite(point[1])))
            kept.sort()
    return [*kept, points[-1]] if kept[-1] != points[-1] else kept


def value_of(point: tuple[int, float]) -> float:
    """A point's value."""
    return point[1]
