"""``plot_training_log``: one of Caffe's eight charts of training logs."""

from __future__ import annotations

import click

from caffepy.cli.commands import TooFewArguments
from caffepy.cli.picture import out_flag, picture_among
from caffepy.errors import UsageError


@click.command("plot_training_log")
@out_flag("Picture to write, in place of the argument PICTURE; its ending says the format.")
@click.argument("chart_type")
@click.argument("files", nargs=-1, required=True, metavar="PICTURE LOG...")
def command(*, chart_type: str, files: tuple[str, ...], out: str) -> None:
    """Draw a chart of one or more logs of caffe train.

    CHART_TYPE is a number: 0, 1: test accuracy, 2, 3: test loss, 4, 5: learning rate, 6, 7:
    training loss; even against iterations, odd against seconds. The picture may be the last
    argument as well.
    """
    from caffepy.cli.plot import log_names
    from caffepy.proto.output_files import refuse_overwriting
    from caffepy.report.log_tables import read_tables
    from caffepy.report.plot_chart import CHARTS, draw_chart
    from caffepy.report.plot_log import save

    picture, logs = picture_among(files, out)
    if not picture:
        picture, logs = files[0], files[1:]  # as in Caffe, whatever its name
    if not logs:
        raise TooFewArguments
    refuse_overwriting(picture, *logs)
    if chart_type not in map(str, range(len(CHARTS))):
        raise UsageError(f"{chart_type} is no valid chart type; needed: 0 to {len(CHARTS) - 1}")
    chart = CHARTS[int(chart_type)]
    tables = {name: read_tables(path) for name, path in log_names(logs).items()}
    save(draw_chart(chart, tables), picture)
