"""``create_label_map``: a list of classes to a label map."""

from __future__ import annotations

import click


@click.command("create_label_map")
@click.option(
    "-include_background/-noinclude_background",
    "--include_background/--noinclude_background",
    default=False,
    help="Put none_of_the_above before the others, as class 0.",
)
@click.option(
    "-delimiter",
    "--delimiter",
    default=" ",
    metavar="CHARACTERS",
    help="Each of these ends a field of a line.",
)
@click.argument("mapfile", metavar="MAPFILE")
@click.argument("outfile", metavar="OUTFILE")
def command(*, mapfile: str, outfile: str, include_background: bool, delimiter: str) -> None:
    """Write names and numbers of classes as a label map, for convert_annoset and DetectionOutput.

    MAPFILE has a line for each class: its name, and perhaps its number and the name to show.
    """
    from caffepy.data.label_map import write_label_map

    write_label_map(mapfile, outfile, background=include_background, delimiter=delimiter)
