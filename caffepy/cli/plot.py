"""``caffepy plot``: the curves of trainings as a picture."""

from __future__ import annotations

from pathlib import Path

import click

from caffepy.cli.picture import out_flag, picture_among
from caffepy.errors import UsageError

DEFAULT = "training.png"


@click.command("plot")
@out_flag(f"Picture to write; its ending says the format: png, svg, pdf. By default {DEFAULT}.")
@click.option(
    "-title", "--title", default="", help="What was trained; without it the names of the logs."
)
@click.option(
    "-note", "--note", default="", help="A remark beside the title, such as what data it was."
)
@click.argument("logs", nargs=-1, required=True, metavar="LOG...")
def command(*, logs: tuple[str, ...], out: str, title: str, note: str) -> None:
    """Draw losses and accuracies of one or more trainings against the iterations.

    A LOG is the log of caffe train, or a file of its -metrics. The picture may be the last argument
    as well.
    """
    from caffepy.proto.output_files import refuse_overwriting
    from caffepy.report.metrics_file import read_training
    from caffepy.report.plot_log import draw, save

    picture, logs = picture_among(logs, out)
    picture = picture or DEFAULT
    refuse_overwriting(picture, *logs)
    names = log_names(logs)
    trainings = {name: read_training(path) for name, path in names.items()}
    save(draw(trainings, title=title or ", ".join(names), note=note), picture)
    print(picture)


def log_names(paths: tuple[str, ...]) -> dict[str, str]:
    """A name for each log, and its path.

    The name is that of the file without ending, with its folders where others have the same.
    """
    if len(set(paths)) != len(paths):
        raise UsageError("a log is given twice")
    parts = [Path(path).with_suffix("").parts for path in paths]
    for depth in range(1, max(map(len, parts)) + 1):
        names = ["/".join(part[-depth:]) for part in parts]
        if len(set(names)) == len(names):
            return dict(zip(names, paths, strict=True))
    return {path: path for path in paths}
