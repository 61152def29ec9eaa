"""``caffepy draw_net``: a picture of a net."""

from __future__ import annotations

import click

from caffepy import log
from caffepy.errors import UsageError


@click.command("draw_net")
@click.option("-rankdir", "--rankdir", default="TB", metavar="WAY", help="TB: from top to bottom, LR: from left to right, BT and RL: back.")
@click.option("-phase", "--phase", default="ALL", metavar="PHASE", help="Layers of this phase: TRAIN, TEST or ALL.")
@click.option("-display_lrm/-nodisplay_lrm", "--display_lrm/--nodisplay_lrm", default=False, help="Show learning rate multipliers.")
@click.argument("input_net_proto_file", metavar="NET")
@click.argument("output_image_file", metavar="PICTURE")
def command(*, input_net_proto_file: str, output_image_file: str, rankdir: str, phase: str, display_lrm: bool) -> None:
    """Draw a net's prototxt. PICTURE's ending says the format: svg, dot (for graphviz), png, pdf."""
    from caffepy.proto.output_files import refuse_overwriting
    from caffepy.proto.text import read_net
    from caffepy.report.draw import ALL, PHASES, draw_net_to_file

    if phase not in (*PHASES, ALL):
        raise UsageError(f"-phase {phase}: needed: TRAIN, TEST or ALL")
    refuse_overwriting(output_image_file, input_net_proto_file)
    log.sink.min_level = max(log.sink.min_level, log.WARNING)
    net, _ = read_net(input_net_proto_file)
    draw_net_to_file(net, output_image_file, rankdir=rankdir, phase=phase, display_lrm=display_lrm)
    print(output_image_file)
