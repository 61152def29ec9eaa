"""``caffepy draw_net``: a picture of a net."""

from __future__ import annotations

import click

from caffepy import log
from caffepy.cli.commands import TooFewArguments
from caffepy.cli.picture import out_flag
from caffepy.errors import UsageError


@click.command("draw_net")
@out_flag("Picture to write, in place of the argument PICTURE.")
@click.option(
    "-rankdir",
    "--rankdir",
    default="TB",
    metavar="WAY",
    help="TB: from top to bottom, LR: from left to right, BT and RL: back.",
)
@click.option(
    "-phase",
    "--phase",
    default="ALL",
    metavar="PHASE",
    help="Layers of this phase: TRAIN, TEST or ALL.",
)
@click.option(
    "-display_lrm/-nodisplay_lrm",
    "--display_lrm/--nodisplay_lrm",
    default=False,
    help="Show learning rate multipliers.",
)
@click.argument("input_net_proto_file", metavar="NET")
@click.argument("output_image_file", metavar="PICTURE", required=False, default="")
def command(
    *,
    input_net_proto_file: str,
    output_image_file: str,
    out: str,
    rankdir: str,
    phase: str,
    display_lrm: bool,
) -> None:
    """Draw a net's prototxt.

    PICTURE's ending says the format: svg, dot (for graphviz), png, pdf.
    """
    from caffepy.proto.output_files import refuse_overwriting
    from caffepy.proto.text import read_net
    from caffepy.report.draw import ALL, PHASES, draw_net_to_file

    if out and output_image_file:
        raise UsageError(
            f"-out {out}: the picture is named as {output_image_file} too; needed: one of them"
        )
    picture = out or output_image_file
    if not picture:
        raise TooFewArguments
    if phase not in (*PHASES, ALL):
        raise UsageError(f"-phase {phase}: needed: TRAIN, TEST or ALL")
    refuse_overwriting(picture, input_net_proto_file)
    log.sink.min_level = max(log.sink.min_level, log.WARNING)
    net, _ = read_net(input_net_proto_file)
    draw_net_to_file(net, picture, rankdir=rankdir, phase=phase, display_lrm=display_lrm)
    print(picture)
