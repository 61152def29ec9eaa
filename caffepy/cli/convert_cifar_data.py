"""``convert_cifar_data``: CIFAR-10's binary files to databases."""

from __future__ import annotations

import click

from caffepy.cli.progress import progress_bar


@click.command("convert_cifar_data")
@click.argument("input_folder", metavar="INPUT_FOLDER")
@click.argument("output_folder", metavar="OUTPUT_FOLDER")
@click.argument("db_type", metavar="DB_TYPE")
def command(*, input_folder: str, output_folder: str, db_type: str) -> None:
    """Convert CIFAR-10 to databases.

    data_batch_1.bin to data_batch_5.bin become cifar10_train_DB_TYPE, test_batch.bin becomes
    cifar10_test_DB_TYPE. DB_TYPE is lmdb or leveldb. The files are those of the "binary version" of
    https://www.cs.toronto.edu/~kriz/cifar.html, which data/cifar10/get_cifar10.sh downloads.
    """
    from caffepy.data.convert.cifar import convert

    with progress_bar("images") as progress:
        convert(input_folder, output_folder, db_type, progress=progress)
