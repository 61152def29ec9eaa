"""Pictures of trainings: the curves of one log or of several, against the iterations.

Upper panel: training loss and the losses of the test nets. Lower panel: accuracies of the test
nets, if there are any.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from caffepy.errors import DataError, UsageError
from caffepy.proto.atomic import atomic_write
from caffepy.report.training_log import Series, TrainingLog

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# told apart by colour-blind readers as well (Okabe and Ito)
TRAIN_COLOR = "#56B4E9"
COLORS = ("#D55E00", "#009E73", "#CC79A7", "#E69F00", "#0072B2")
DASHES = ("-", "--", ":", "-.")
FEW_POINTS = 60


@dataclass(frozen=True)
class Curve:
    """One line of a panel. ``dots``: mark its points."""

    label: str
    points: Sequence[tuple[int, float]]
    color: str
    dash: str = "-"
    width: float = 1.6
    alpha: float = 1.0
    dots: bool = False


def draw(logs: Mapping[str, TrainingLog], *, title: str, note: str = "") -> Figure:
    """The figure of training logs by name.

    With one log each of its curves has a colour, with several each log has one.
    """
    from matplotlib.figure import Figure

    losses: list[Curve] = []
    accuracies: list[Curve] = []
    for i, name in enumerate(logs):
        losses += curves(logs, name, i, accuracies=False)
        accuracies += curves(logs, name, i, accuracies=True)
    figure = Figure(figsize=(8, 7 if accuracies else 4.5), layout="constrained")
    panels = figure.subplots(2 if accuracies else 1, 1, sharex=True, squeeze=False)[:, 0]
    drops = rate_drops(next(iter(logs.values())).rate) if len(logs) == 1 else {}
    draw_panel(panels[0], losses, "loss", drops)
    if accuracies:
        draw_panel(panels[1], accuracies, "accuracy", drops)
    panels[-1].set_xlabel("iteration")
    panels[-1].locator_params(axis="x", integer=True)
    figure.align_ylabels()
    panels[0].set_title(f"{title} ({note})" if note else title, loc="left", fontweight="bold")
    return figure


def curves(
    logs: Mapping[str, TrainingLog],
    name: str,
    index: int,
    *,
    accuracies: bool,
) -> Iterator[Curve]:
    """The curves of log ``index`` in one panel; those without a finite value are left out."""
    log = logs[name]
    several = len(logs) > 1
    run = f"{name}: " if several else ""
    own = COLORS[index % len(COLORS)]
    points = finite(log.loss)
    if points and not accuracies:
        label = f"{run}training loss{last(points)}"
        if several:
            yield Curve(label, points, own, width=1.0, alpha=0.5, dots=len(points) == 1)
        else:
            yield Curve(label, points, TRAIN_COLOR, dots=len(points) == 1)
    wanted = [output for output in log.test if is_accuracy(output) == accuracies]
    shown = [output for output in wanted if finite(log.test[output])]
    for i, output in enumerate(shown):
        points = finite(log.test[output])
        color = own if several else COLORS[i % len(COLORS)]
        dash = DASHES[i % len(DASHES)] if several else "-"
        label = f"{run}test {output}{last(points)}"
        yield Curve(label, points, color, dash, dots=len(points) <= FEW_POINTS)


def finite(series: Series) -> list[tuple[int, float]]:
    """The points of a series in order, those that are no number left out."""
    return [(x, y) for x, y in sorted(series.items()) if math.isfinite(y)]


def last(points: Sequence[tuple[int, float]]) -> str:
    """The last value, for a legend."""
    return f", last {points[-1][1]:.4g}"


def draw_panel(axes: Axes, shown: Sequence[Curve], label: str, drops: Mapping[int, float]) -> None:
    """One panel: curves with a legend, and a line where the learning rate falls."""
    for curve in shown:
        x, y = zip(*curve.points, strict=True)
        dots = "o" if curve.dots else None
        (line,) = axes.plot(x, y, color=curve.color, linestyle=curve.dash, marker=dots)
        line.set(linewidth=curve.width, markersize=4)
        line.set(alpha=curve.alpha, label=legend_text(curve.label))
    for at, rate in drops.items():
        axes.axvline(at, color="0.6", linestyle=":", linewidth=1)
        text = axes.annotate(f" lr {rate:g}", (at, 1), xycoords=("data", "axes fraction"))
        text.set(va="top", ha="left", color="0.4", fontsize="small")
    finish_panel(axes, label)


def legend_text(name: str) -> str:
    """The name for a legend; matplotlib leaves out those that begin with an underscore."""
    return f" {name}" if name.startswith("_") else name


def finish_panel(axes: Axes, label: str) -> None:
    """Label, grid and legend of a panel."""
    axes.set_ylabel(label)
    axes.grid(True, color="0.9")
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.margins(x=0.02)
    if axes.lines:
        axes.legend(loc="best", frameon=False)


def is_accuracy(name: str) -> bool:
    """Whether an output counts hits (accuracy, top-5): these are drawn from 0 to 1."""
    name = name.lower()
    return "acc" in name or ("top" in name and "loss" not in name)


def rate_drops(rate: Series) -> dict[int, float]:
    """Iterations at which the learning rate falls by a third or more, with the new rate.

    Slow policies have none.
    """
    drops = {}
    for (_, old), (at, new) in itertools.pairwise(sorted(rate.items())):
        if new < old * 2 / 3:
            drops[at] = new
    return drops


def save(figure: Figure, path: str, *, dpi: int = 120, others: Collection[str] = ()) -> None:
    """Write the picture; its ending says the format.

    ``others``: endings that the caller writes by itself, for the message. Texts are drawn as they
    are: names of layers, blobs and files are no formulas, whatever dollars they have.
    Errors: UsageError for an unknown ending, DataError if it cannot be written.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.text import Text

    known = FigureCanvasAgg(figure).get_supported_filetypes()
    kind = Path(path).suffix.lower().removeprefix(".")
    if kind not in known:
        what = f"no picture can be written with the ending '{kind}'"
        raise UsageError(f"{path}: {what}; needed: one of {', '.join(sorted({*known, *others}))}")
    for text in figure.findobj(Text):
        text.set_parse_math(False)
    with atomic_write(path, error=DataError) as temporary:
        figure.savefig(temporary, dpi=dpi, format=kind)
