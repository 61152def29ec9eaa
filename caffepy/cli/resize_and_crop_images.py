"""``resize_and_crop_images``: pictures to squares of one size."""

from __future__ import annotations

import os
from typing import Any, cast

import click

from caffepy.cli.progress import progress_bar
from caffepy.errors import UsageError


@click.command("resize_and_crop_images")
@click.option(
    "-input",
    "--input",
    default="",
    metavar="LIST",
    help="File with the path of an image on each line.",
)
@click.option(
    "-input_folder", "--input_folder", default="", metavar="FOLDER", help="Where the images are."
)
@click.option(
    "-output_folder",
    "--output_folder",
    default="",
    metavar="FOLDER",
    help="Where the squares go, under the same names.",
)
@click.option(
    "-output_side_length",
    "--output_side_length",
    default=256,
    metavar="N",
    help="Side of the squares.",
)
@click.option("-image_lib", "--image_lib", default="opencv", metavar="NAME", help="OpenCV or PIL.")
@click.option(
    "-num_clients",
    "--num_clients",
    default=0,
    metavar="N",
    help="Threads; 0: one for each processor, 8 at most.",
)
@click.option(
    "-launch",
    "--launch",
    default="local",
    metavar="HOW",
    help="Accepted, without effect: threads of this process do the work.",
)
def command(*, launch: str, **flags: object) -> int:
    """Resize each image of a list to a shorter side of -output_side_length.

    Then the middle square is cut out.
    """
    from caffepy.data.convert.resize_and_crop import Options, convert

    options = Options(**cast("dict[str, Any]", flags))
    if not options.input:
        raise UsageError("Need a list of images: -input LIST")
    if os.path.realpath(options.output_folder) == os.path.realpath(options.input_folder):
        raise UsageError(
            "-output_folder is -input_folder: the images would be overwritten; name another folder"
        )
    with progress_bar("images") as progress:
        return 0 if convert(options, progress=progress) else 1
