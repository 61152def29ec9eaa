"""Trainings as curves for the page, and the warnings in their logs."""

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
"""Of one curve, see `thinned`."""
MOST_WARNINGS = 200
SEVERITIES = {"W": "warning", "E": "error", "F": "fatal"}
SPEED = re.compile(r"Iteration (?P<iteration>\d{1,18}) \((?P<rate>[-+.\deE]+) iter/s")
LEAST_SPEED = 1e-6
"""In iterations a second. Caffe's first line of loss tells less, before any iteration."""
IMAGES_OF_RANKS = re.compile(r"= (\d+) images an iteration")
BATCH = re.compile(r"Top shape: (\d+) ")
ITER_SIZE = re.compile(r"^iter_size: (\d+)")


@dataclass
class Run:
    """One training.

    ``seconds``: since its start, by iteration.
    ``speed``: by iteration, in ``unit``.
    ``warnings``: in the form of `warnings_of`.
    """

    log: TrainingLog = field(default_factory=TrainingLog)
    seconds: Series = field(default_factory=dict)
    speed: Series = field(default_factory=dict)
    unit: str = "images/s"
    warnings: list[dict[str, Any]] = field(default_factory=list)


def training_data(files: Mapping[str, str], *, running: bool = False) -> dict[str, Any]:
    """The data of several runs, files by name.

    ``running``: a training may have no number yet. Otherwise, and for a file that cannot be read,
    this is a DataError.
    """
    return {
        "runs": [run_data(name, read_run(path, running=running)) for name, path in files.items()]
    }


def read_run(path: str, *, running: bool = False) -> Run:
    """The run of a log, or of a file of ``-metrics``."""
    if is_metrics(path):
        recorded = read_metrics(path)
        run = Run(recorded.log, recorded.seconds, recorded.speed)
    else:
        run = of_log(path)
    if not (running or run.log.loss or run.log.test):
        missing = "no line 'Iteration N, loss = x' or 'Test net output'"
        raise DataError(f"{path}: {missing}; needed: the log of caffe train")
    return run


def of_log(path: str) -> Run:
    """The run of a glog file."""
    lines = read_lines(path)
    run = Run(parse(lines))
    run.seconds = clock(lines, path)
    run.warnings = warnings_of(lines)
    iterations_per_s = logged_speed(lines) or clock_speed(run.seconds)
    images = images_of(lines)
    if not images:
        run.unit = "iterations/s"
    run.speed = {at: rate * (images or 1) for at, rate in iterations_per_s.items()}
    return run


def clock(lines: Sequence[str], path: str) -> Series:
    """Seconds since the start, at each line of loss."""
    found: Series = {}
    for seconds, line in timed(lines, created_year(lines, path)) or []:
        if match := LOSS.search(line):
            found[int(match["iteration"])] = seconds
    return found


def logged_speed(lines: Sequence[str]) -> Series:
    """Iterations a second, as the lines of loss tell them."""
    found: Series = {}
    for line in lines:
        if match := SPEED.search(line):
            try:
                rate = float(match["rate"])
            except ValueError:
                continue
            if LEAST_SPEED < rate < math.inf:
                found[int(match["iteration"])] = rate
    return found


def clock_speed(seconds: Series) -> Series:
    """Iterations a second between two lines of loss by their times, if a log does not tell it."""
    found: Series = {}
    for (before, then), (at, now) in itertools.pairwise(sorted(seconds.items())):
        if now > then:
            found[at] = (at - before) / (now - then)
    return found


def images_of(lines: Sequence[str]) -> int:
    """Images an iteration; 0 if the log does not tell.

    A log of several ranks says it. In others it is the first batch that is set up, times iter_size.
    """
    batch, passes = 0, 1
    for line in lines:
        if match := IMAGES_OF_RANKS.search(line):
            return int(match[1])
        if (match := BATCH.search(line)) and not batch:
            batch = int(match[1])
        elif match := ITER_SIZE.match(line):
            passes = int(match[1])
    return batch * passes


def warnings_of(lines: Sequence[str]) -> list[dict[str, Any]]:
    """Log lines of a severity above info.

    Equal ones are one entry: how many ``times``, and the last ``iteration`` named before the first
    of them, None if there was none.
    """
    found: dict[tuple[str, str], dict[str, Any]] = {}
    iteration = None
    for line in lines:
        if match := ITERATION.search(line):
            iteration = int(match["iteration"])
        severity = SEVERITIES.get(line[:1])
        if not (severity and STAMP.match(line)):
            continue
        text = line.partition("] ")[2]
        if (severity, text) not in found:
            found[severity, text] = warning(severity, text, iteration)
        found[severity, text]["times"] += 1
    return list(found.values())[:MOST_WARNINGS]


def warning(severity: str, text: str, iteration: int | None) -> dict[str, Any]:
    """An entry of the page's list of warnings that has not occurred yet."""
    return {"severity": severity, "text": text, "iteration": iteration, "times": 0}


def run_data(name: str, run: Run) -> dict[str, Any]:
    """The data of one run."""
    curves = [curve(LOSS_PANEL, "training loss", run.log.loss)]
    for phase, outputs in (("test", run.log.test), ("train", run.log.train)):
        for output, series in outputs.items():
            accuracy = is_accuracy(output)
            panel = ACCURACY_PANEL if accuracy else LOSS_PANEL
            # losses of single iterations are noise beside the smoothed training loss
            shown = phase == "test" or accuracy
            curves.append(curve(panel, f"{phase} {output}", series, shown=shown))
    curves.append(curve(RATE_PANEL, "learning rate", run.log.rate))
    curves.append(curve(SPEED_PANEL, run.unit, run.speed))
    curves = [made for made in curves if made["x"]]
    seconds = thinned(sorted(run.seconds.items()))
    return {
        "name": name,
        "curves": curves,
        "seconds": {"x": [at for at, _ in seconds], "y": [round(s, 3) for _, s in seconds]},
        "warnings": [*not_finite(run.log.loss), *run.warnings],
        "iterations": max((made["x"][-1] for made in curves), default=0),
    }


def not_finite(loss: Series) -> list[dict[str, Any]]:
    """A warning if the training loss is NaN or infinite anywhere."""
    places = [at for at, value in sorted(loss.items()) if not math.isfinite(value)]
    if not places:
        return []
    count = f"{len(places)} of {len(loss)} lines"
    text = f"the training loss is NaN or infinite in {count}, first at iteration {places[0]}"
    return [{**warning("error", text, places[0]), "times": 1}]


def curve(panel: str, label: str, series: Series, *, shown: bool = True) -> dict[str, Any]:
    """The data of one curve; null stands for NaN and infinity."""
    points = thinned(sorted(series.items()))
    return {
        "panel": panel,
        "label": label,
        "shown": shown,
        "x": [at for at, _ in points],
        "y": [value if math.isfinite(value) else None for _, value in points],
    }


def thinned(points: Sequence[tuple[int, float]]) -> Sequence[tuple[int, float]]:
    """At most about `MOST_POINTS` points that draw the same picture.

    Of each stretch the least and the largest value are kept, and the first that is not finite.
    The last point of all is kept, too.
    """
    if len(points) <= MOST_POINTS:
        return points
    stretch = math.ceil(len(points) / (MOST_POINTS // 2))
    kept: set[tuple[int, float]] = {points[-1]}
    for start in range(0, len(points), stretch):
        part = points[start : start + stretch]
        finite = [point for point in part if math.isfinite(point[1])]
        if finite:
            kept.add(min(finite, key=value_of))
            kept.add(max(finite, key=value_of))
        if len(finite) < len(part):
            kept.add(next(point for point in part if not math.isfinite(point[1])))
    return sorted(kept)


def value_of(point: tuple[int, float]) -> float:
    """The value of a point."""
    return point[1]
