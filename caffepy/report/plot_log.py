"""Draws the curve of a training: ``python3 -m caffepy.report.plot_log LOG PICTURE [--title TEXT] [--note TEXT]``.

Upper panel: training loss and the losses of the test net. Lower panel: accuracies of the test net, if it has any.
"""

from __future__ import annotations

import argparse
import itertools
import math
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from caffepy.errors import CaffeError
from caffepy.report.training_log import Series, TrainingLog, read_training_log

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# told apart by colour-blind readers as well (Okabe and Ito)
TRAIN_COLOR = "#56B4E9"
TEST_COLORS = ("#D55E00", "#009E73", "#CC79A7", "#E69F00", "#0072B2")


def main(argv: Sequence[str] | None = None) -> int:
    """The program; its exit code."""
    parser = argparse.ArgumentParser(prog="plot_log", description="Draw loss and accuracy of a training against its iterations.")
    parser.add_argument("log", help="log of caffe train")
    parser.add_argument("picture", help="file to write; its ending says the format (.png, .pdf, .svg)")
    parser.add_argument("--title", default="", help="what was trained (default: the log's name)")
    parser.add_argument("--note", default="", help="a remark beside the title, such as what data it was")
    asked = parser.parse_args(argv)
    try:
        log = read_training_log(asked.log)
        save(draw(log, title=asked.title or Path(asked.log).stem, note=asked.note), asked.picture)
    except ModuleNotFoundError as error:
        print(f"plot_log: the Python package '{error.name}' is missing; pip install {error.name}", file=sys.stderr)
        return 1
    except (CaffeError, OSError, ValueError) as error:
        print(f"plot_log: {error}", file=sys.stderr)
        return 1
    return 0


def draw(log: TrainingLog, *, title: str, note: str = "") -> Figure:
    """The figure of a training log."""
    from matplotlib.figure import Figure

    accuracies = {name: series for name, series in log.test.items() if is_accuracy(name)}
    losses = {name: series for name, series in log.test.items() if not is_accuracy(name)}
    figure = Figure(figsize=(8, 7 if accuracies else 4.5), layout="constrained")
    panels = figure.subplots(2 if accuracies else 1, 1, sharex=True, squeeze=False)[:, 0]
    curves = [("training loss", log.loss, TRAIN_COLOR)] if log.loss else []
    curves += [(f"test {name}", series, TEST_COLORS[i % len(TEST_COLORS)]) for i, (name, series) in enumerate(losses.items())]
    draw_panel(panels[0], curves, "loss", rate_drops(log.rate))
    if accuracies:
        curves = [(f"test {name}", series, TEST_COLORS[i % len(TEST_COLORS)]) for i, (name, series) in enumerate(accuracies.items())]
        draw_panel(panels[1], curves, "accuracy", rate_drops(log.rate))
    panels[-1].set_xlabel("iteration")
    figure.align_ylabels()
    panels[0].set_title(f"{title} ({note})" if note else title, loc="left", fontweight="bold")
    return figure


def draw_panel(axes: Axes, curves: Sequence[tuple[str, Series, str]], label: str, drops: Mapping[int, float]) -> None:
    """One panel: curves with the last value of each beside it in the legend, and a line where the learning rate falls."""
    for name, series, color in curves:
        points = [(x, y) for x, y in sorted(series.items()) if math.isfinite(y)]
        if not points:
            continue
        x, y = zip(*points, strict=True)
        dots = "o" if name.startswith("test") and len(x) <= 60 else None
        axes.plot(x, y, color=color, marker=dots, markersize=4, linewidth=1.6, label=f"{name}, last {y[-1]:.4g}")
    for at, rate in drops.items():
        axes.axvline(at, color="0.6", linestyle=":", linewidth=1)
        axes.annotate(f" lr {rate:g}", (at, 1), xycoords=("data", "axes fraction"), va="top", ha="left", color="0.4", fontsize="small")
    axes.set_ylabel(label)
    axes.grid(True, color="0.9")
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.margins(x=0.02)
    if axes.lines:
        axes.legend(loc="best", frameon=False)


def is_accuracy(name: str) -> bool:
    """Whether an output counts hits (accuracy, top-5) and so belongs on a scale from 0 to 1, not with the losses."""
    name = name.lower()
    return "acc" in name or ("top" in name and "loss" not in name)


def rate_drops(rate: Series) -> dict[int, float]:
    """Iterations where the learning rate falls by a third or more at once, with the new rate; slow policies have none."""
    return {at: new for (_, old), (at, new) in itertools.pairwise(sorted(rate.items())) if new < old * 2 / 3}


def save(figure: Figure, path: str) -> None:
    """Write the picture aside and rename it."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    FigureCanvasAgg(figure)
    target = Path(path)
    aside = target.with_name(f".{target.stem}.tmp{target.suffix or '.png'}")
    figure.savefig(aside, dpi=120)
    aside.replace(target)


if __name__ == "__main__":
    sys.exit(main())
