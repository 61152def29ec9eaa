"""``convert_mnist_siamese_data``: MNIST's files to a database of pairs."""

from __future__ import annotations

import click

from caffepy.cli.progress import progress_bar


@click.command("convert_mnist_siamese_data")
@click.argument("image_file", metavar="INPUT_IMAGE_FILE")
@click.argument("label_file", metavar="INPUT_LABEL_FILE")
@click.argument("db_file", metavar="OUTPUT_DB_FILE")
def command(*, image_file: str, label_file: str, db_file: str) -> None:
    """Convert MNIST's files to a LevelDB of random pairs of images.

    The label is 1 where both show the same digit, else 0.
    """
    from caffepy.data.convert.mnist import convert_siamese

    with progress_bar("pairs") as progress:
        convert_siamese(image_file, label_file, db_file, progress=progress)
