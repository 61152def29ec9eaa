"""``get_image_size``: names and sizes of images."""

from __future__ import annotations

import click

from caffepy.cli.progress import progress_bar


@click.command("get_image_size")
@click.option(
    "-name_id_file",
    "--name_id_file",
    default="",
    metavar="FILE",
    help="Lines 'name number'; the number is written for a name.",
)
@click.argument("rootfolder", metavar="ROOTFOLDER/")
@click.argument("listfile", metavar="LISTFILE")
@click.argument("outfile", metavar="OUTFILE")
def command(*, rootfolder: str, listfile: str, outfile: str, name_id_file: str) -> None:
    """Write the sizes of images, 'name height width' each.

    That is the name_size_file of DetectionOutput and DetectionEvaluate. LISTFILE has a line for
    each image: its name and that of its annotation file, which is not read.
    """
    from caffepy.data.convert.image_sizes import write_sizes

    with progress_bar("images") as progress:
        write_sizes(rootfolder, listfile, outfile, name_id_file=name_id_file, progress=progress)
