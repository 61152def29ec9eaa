"""``parse_log``: the numbers of a training log as tables."""

from __future__ import annotations

import click


@click.command("parse_log")
@click.option(
    "-verbose/-noverbose", "--verbose/--noverbose", default=False, help="Say what is written."
)
@click.option(
    "-delimiter",
    "--delimiter",
    default=",",
    metavar="CHARACTER",
    help="What stands between the columns.",
)
@click.option(
    "-columns/-nocolumns",
    "--columns/--nocolumns",
    default=False,
    help="The tables of parse_log.sh, columns side by side.",
)
@click.argument("logfile_path")
@click.argument("output_dir", required=False, default=".")
def command(
    *, logfile_path: str, output_dir: str, verbose: bool, delimiter: str, columns: bool
) -> None:
    """Write the train and test outputs in a log of caffe train as tables.

    They go to OUTPUT_DIR/<log's name>.train and .test.
    """
    from caffepy.errors import UsageError
    from caffepy.report import log_tables, parse_log

    if columns:
        log_tables.write_tables(logfile_path, output_dir)
        return
    if len(delimiter) != 1 or delimiter in '\r\n"':
        raise UsageError(
            f"-delimiter {delimiter!r}: needed: one character, no quote and no line end"
        )
    for name, rows in parse_log.write_tables(logfile_path, output_dir, delimiter=delimiter).items():
        if verbose:
            print(f"Wrote {name}" if rows else f"Not writing {name}; no lines to write")
