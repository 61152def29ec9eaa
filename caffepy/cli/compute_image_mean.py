"""``compute_image_mean``: the mean image of a database."""

from __future__ import annotations

import click

from caffepy.cli.backend_flag import backend_flag
from caffepy.cli.progress import progress_bar


@click.command("compute_image_mean")
@backend_flag
@click.argument("input_db", metavar="INPUT_DB")
@click.argument("output_file", metavar="[OUTPUT_FILE]", required=False, default="")
def command(*, input_db: str, output_file: str, backend: str) -> None:
    """Compute the mean image of a database, and tell the mean of each channel.

    The image is written to OUTPUT_FILE (binaryproto).
    """
    from caffepy.data.convert.mean import compute

    with progress_bar("images") as progress:
        compute(input_db, output_file, backend, progress=progress)
