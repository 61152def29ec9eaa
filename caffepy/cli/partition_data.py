"""``partition_data``: a database as several, one for each rank."""

from __future__ import annotations

import click

from caffepy.cli.backend_flag import backend_flag
from caffepy.cli.progress import progress_bar


@click.command("partition_data")
@backend_flag
@click.option(
    "-num_partitions",
    "--num_partitions",
    required=True,
    type=int,
    metavar="N",
    help="How many databases to make.",
)
@click.argument("db", metavar="DB")
def command(*, db: str, num_partitions: int, backend: str) -> None:
    """Write the records of DB in turn to N new databases, DB_0, DB_1 and so on.

    They are for train -shard files.
    """
    from caffepy.data.convert.partition import partition

    with progress_bar("records") as progress:
        partition(db, num_partitions, backend, progress=progress)
