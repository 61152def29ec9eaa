"""The eight charts of Caffe's ``plot_training_log.py``.

One quantity of several logs, against iterations or seconds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from caffepy import log
from caffepy.report.log_tables import Tables
from caffepy.report.plot_log import COLORS, DASHES, finish_panel, legend_text
from caffepy.report.training_log import number

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Chart:
    """What a chart shows: a column of the test or the train table.

    Against iterations, or ``seconds``.
    """

    quantity: str
    column: int
    train: bool = False
    seconds: bool = False

    @property
    def title(self) -> str:
        """Caffe's name of the chart."""
        return f"{self.quantity} vs. {'Seconds' if self.seconds else 'Iters'}"


CHARTS = [
    Chart(quantity, column, train, seconds)
    for quantity, column, train in (
        ("Test accuracy", 0, False),
        ("Test loss", 1, False),
        ("Train learning rate", 1, True),
        ("Train loss", 0, True),
    )
    for seconds in (False, True)
]
"""By Caffe's number."""


def points(chart: Chart, tables: Tables) -> list[tuple[float, float]]:
    """The points of a log in a chart; rows that lack the number are left out."""
    records = tables.train if chart.train else tables.test
    shown = []
    for record in records:
        text = record.values[chart.column]
        if text:
            shown.append((record.seconds if chart.seconds else record.iteration, number(text)))
    return shown


def draw_chart(chart: Chart, logs: Mapping[str, Tables]) -> Figure:
    """The figure of a chart, with a curve for each log by name.

    A log without a point in it is warned of.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 4.5), layout="constrained")
    axes = figure.subplots()
    for i, (name, tables) in enumerate(logs.items()):
        shown = points(chart, tables)
        if not shown:
            log.warning("plot_training_log.py:0", f"{name} has no {chart.quantity.lower()} to draw")
        color = COLORS[i % len(COLORS)]
        dash = DASHES[i // len(COLORS) % len(DASHES)]
        x = [at for at, _ in shown]
        y = [value for _, value in shown]
        axes.plot(x, y, color=color, linestyle=dash, linewidth=1.6, label=legend_text(name))
    axes.set_xlabel("Seconds" if chart.seconds else "Iters")
    axes.set_title(chart.title, loc="left", fontweight="bold")
    finish_panel(axes, chart.quantity)
    return figure
