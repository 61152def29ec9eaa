"""``convert_imageset``: images and a list of labels to a database."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import click

from caffepy.cli.backend_flag import backend_flag
from caffepy.cli.progress import progress_bar

FLAGS = (
    click.option(
        "-gray/-nogray", "--gray/--nogray", default=False, help="Read the images in grayscale."
    ),
    click.option(
        "-shuffle/-noshuffle",
        "--shuffle/--noshuffle",
        default=False,
        help="Shuffle the order of the images.",
    ),
    backend_flag,
    click.option(
        "-resize_width",
        "--resize_width",
        type=int,
        default=0,
        metavar="N",
        help="Width to resize to; 0: as they are.",
    ),
    click.option(
        "-resize_height",
        "--resize_height",
        type=int,
        default=0,
        metavar="N",
        help="Height to resize to; 0: as they are.",
    ),
    click.option(
        "-check_size/-nocheck_size",
        "--check_size/--nocheck_size",
        default=False,
        help="All images must have the same size.",
    ),
    click.option(
        "-encoded/-noencoded",
        "--encoded/--noencoded",
        default=False,
        help="Store encoded images (jpg, png) in place of pixels.",
    ),
    click.option(
        "-encode_type",
        "--encode_type",
        default="",
        metavar="EXT",
        help="What to encode as (png, jpg, ...); implies -encoded.",
    ),
    click.option(
        "-skip_bad/-noskip_bad",
        "--skip_bad/--noskip_bad",
        default=True,
        help="Leave out images that cannot be read; if not, they are fatal.",
    ),
)


def image_flags(function: Callable[..., Any]) -> Callable[..., Any]:
    """Decorator: the flags of programs that store images."""
    for flag in reversed(FLAGS):
        function = flag(function)
    return function


@click.command("convert_imageset")
@image_flags
@click.argument("rootfolder", metavar="ROOTFOLDER/")
@click.argument("listfile", metavar="LISTFILE")
@click.argument("db_name", metavar="DB_NAME")
def command(*, rootfolder: str, listfile: str, db_name: str, **flags: object) -> None:
    """Convert a set of images to an LMDB or LevelDB.

    LISTFILE has a line for each image: its name, a space, an integer label. ROOTFOLDER/ is put
    before each name as it is, so it ends with a slash. Images that cannot be read are named, left
    out, and counted at the end.
    """
    from caffepy.data.convert.imageset import Options, convert

    with progress_bar("images") as progress:
        convert(
            rootfolder,
            listfile,
            db_name,
            Options(**cast("dict[str, Any]", flags)),
            progress=progress,
        )
