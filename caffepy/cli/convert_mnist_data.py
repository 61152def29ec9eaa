"""``convert_mnist_data``: MNIST's files to a database."""

from __future__ import annotations

import click

from caffepy.cli.backend_flag import backend_flag
from caffepy.cli.progress import progress_bar


@click.command("convert_mnist_data")
@backend_flag
@click.argument("image_file", metavar="INPUT_IMAGE_FILE")
@click.argument("label_file", metavar="INPUT_LABEL_FILE")
@click.argument("db_file", metavar="OUTPUT_DB_FILE")
def command(*, image_file: str, label_file: str, db_file: str, backend: str) -> None:
    """Convert MNIST's image and label files (unpacked) to a database.

    data/mnist/get_mnist.sh downloads them.
    """
    from caffepy.data.convert.mnist import convert

    with progress_bar("images") as progress:
        convert(image_file, label_file, db_file, backend, progress=progress)
