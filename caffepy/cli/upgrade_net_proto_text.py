"""``upgrade_net_proto_text``: a net's prototxt of any earlier format to the present one."""

from __future__ import annotations

import click

from caffepy.cli.upgrading import done, unreadable, upgraded_net
from caffepy.errors import CaffeError
from caffepy.proto import caffe_pb2
from caffepy.proto.output_files import refuse_overwriting
from caffepy.proto.text import read_text, write_text

PLACE = "upgrade_net_proto_text.cpp"


@click.command("upgrade_net_proto_text")
@click.argument("v0_net_proto_file_in")
@click.argument("net_proto_file_out")
def command(*, v0_net_proto_file_in: str, net_proto_file_out: str) -> int:
    """Write a net's prototxt in the present format.

    Exit code 1: something has no place in it, 2: the file is no net.
    """
    refuse_overwriting(net_proto_file_out, v0_net_proto_file_in)
    net = caffe_pb2.NetParameter()
    try:
        places = read_text(v0_net_proto_file_in, net)
    except CaffeError as error:
        return unreadable(f"{PLACE}:30", v0_net_proto_file_in, "text file as NetParameter", error)
    upgraded, complete = upgraded_net(net, v0_net_proto_file_in, f"{PLACE}:43", places.where)
    write_text(net_proto_file_out, upgraded)
    return done(f"{PLACE}:49", "NetParameter text", net_proto_file_out, complete=complete)
