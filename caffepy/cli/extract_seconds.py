"""``extract_seconds``: when the iterations of a training were, in seconds since it began."""

from __future__ import annotations

import click


@click.command("extract_seconds")
@click.argument("input_file")
@click.argument("output_file")
def command(*, input_file: str, output_file: str) -> None:
    """Write the seconds since the training began for each line of a log that names an iteration."""
    from caffepy.report.log_clock import write_seconds

    write_seconds(input_file, output_file)
