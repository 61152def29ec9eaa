"""``caffepy plot``: the curves of trainings as a picture."""

from __future__ import annotations

from pathlib import Path

import click

from caffepy.errors import UsageError


@click.command("plot")
@click.option("-out", "--out", default="training.png", metavar="FILE", help="Picture to write; its ending says the format: png, svg, pdf.")
@click.option("-title", "--title", default="", help="What was trained; without it the names of the logs.")
@click.option("-note", "--note", default="", help="A remark beside the title, such as what data it was.")
@click.argument("logs", nargs=-1, required=True, metavar="LOG...")
def command(*, logs: tuple[str, ...], out: str, title: str, note: str) -> None:
    """Draw losses and accuracies of one or more logs of caffe train against the iterations."""
    from caffepy.proto.output_files import refuse_overwriting
    from caffepy.report.plot_log import draw, save
    from caffepy.report.training_log import read_training_log

    refuse_overwriting(out, *logs)
    names = log_names(logs)
    save(draw({name: read_training_log(path) for name, path in names.items()}, title=title or ", ".join(names), note=note), out)
    print(out)


def log_names(paths: tuple[str, ...]) -> dict[str, str]:
    """A name for each log: its file's without ending, with as many of its folders before it as tell it from the others."""
    if len(set(paths)) != len(paths):
        raise UsageError("a log is given twice")
    parts = [Path(path).with_suffix("").parts for path in paths]
    for depth in range(1, max(map(len, parts)) + 1):
        names = ["/".join(part[-depth:]) for part in parts]
        if len(set(names)) == len(names):
            return dict(zip(names, paths, strict=True))
    return {path: path for path in paths}
