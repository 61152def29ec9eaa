"""``convert_annoset``: images and their annotations to a database."""

from __future__ import annotations

from typing import Any, cast

import click

from caffepy.cli.convert_imageset import image_flags
from caffepy.cli.progress import progress_bar


@click.command("convert_annoset")
@image_flags
@click.option(
    "-anno_type",
    "--anno_type",
    default="classification",
    metavar="NAME",
    help="What is stored: classification or detection.",
)
@click.option(
    "-label_type",
    "--label_type",
    default="xml",
    metavar="NAME",
    help="Form of the annotation files: xml, json or txt.",
)
@click.option(
    "-label_map_file",
    "--label_map_file",
    default="",
    metavar="FILE",
    help="Names and numbers of the classes.",
)
@click.option(
    "-check_label/-nocheck_label",
    "--check_label/--nocheck_label",
    default=False,
    help="No name may come twice in the label map.",
)
@click.option(
    "-min_dim",
    "--min_dim",
    type=int,
    default=0,
    metavar="N",
    help="Enlarge images whose shorter side is shorter than this.",
)
@click.option(
    "-max_dim",
    "--max_dim",
    type=int,
    default=0,
    metavar="N",
    help="Then shrink those whose longer side is longer than this.",
)
@click.argument("rootfolder", metavar="ROOTFOLDER/")
@click.argument("listfile", metavar="LISTFILE")
@click.argument("db_name", metavar="DB_NAME")
def command(*, rootfolder: str, listfile: str, db_name: str, **flags: object) -> None:
    """Convert images with boxes to an LMDB or LevelDB, for AnnotatedData.

    LISTFILE has a line for each image: its name and that of its annotation file (detection), or an
    integer label (classification). ROOTFOLDER/ is put before each name as it is, so it ends with a
    slash. In txt files a box is a label's number, xmin, ymin, xmax, ymax in pixels. Images that
    cannot be read are named, left out, and counted at the end.
    """
    from caffepy.data.convert.annoset import AnnosetOptions, convert

    with progress_bar("images") as progress:
        convert(
            rootfolder,
            listfile,
            db_name,
            AnnosetOptions(**cast("dict[str, Any]", flags)),
            progress=progress,
        )
