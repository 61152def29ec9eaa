"""``upgrade_net_proto_binary``: a caffemodel of an earlier format to the present one."""

from __future__ import annotations

import click
from google.protobuf.message import Message
from google.protobuf.unknown_fields import UnknownFieldSet

from caffepy import log
from caffepy.cli.upgrading import done, unreadable, upgraded_net
from caffepy.errors import CaffeError
from caffepy.proto import caffe_pb2
from caffepy.proto.atomic import read_whole
from caffepy.proto.c3d import not_here
from caffepy.proto.output_files import refuse_overwriting
from caffepy.proto.weights import net_in, write_net_message, write_unchanged

TYPE = caffe_pb2.V1LayerParameter.TYPE_FIELD_NUMBER
LAST_OF_BVLC = caffe_pb2.V1LayerParameter.DECONVOLUTION
FIRST_OF_TEXT = 20001
"""Types from there on are for prototxts, and for what the numbers in files of C3D mean."""
PLACE = "upgrade_net_proto_binary.cpp"


@click.command("upgrade_net_proto_binary")
@click.argument("v0_net_proto_file_in")
@click.argument("net_proto_file_out")
def command(*, v0_net_proto_file_in: str, net_proto_file_out: str) -> int:
    """Write a caffemodel in the present format.

    Exit code 1: something has no place in it, 2: the file is no caffemodel.
    """
    refuse_overwriting(net_proto_file_out, v0_net_proto_file_in)
    try:
        data = read_whole(v0_net_proto_file_in)
        net = net_in(data, v0_net_proto_file_in)
    except CaffeError as error:
        return unreadable(f"{PLACE}:30", v0_net_proto_file_in, "binary file as NetParameter", error)
    upgraded, complete = upgraded_net(net, v0_net_proto_file_in, f"{PLACE}:43")
    nameless = tell_numbers(net)
    if upgraded is net:
        # forks' fields too, whatever number they stand at
        write_unchanged(net_proto_file_out, data)
    else:
        write_net_message(net_proto_file_out, upgraded)
    complete = complete and not nameless
    return done(f"{PLACE}:48", "NetParameter binary", net_proto_file_out, complete=complete)


def tell_numbers(net: caffe_pb2.NetParameter) -> bool:
    """Tell which V1 layers have a type that is not BVLC Caffe's: each fork numbers its own.

    Returns whether the number of some layer has no name.
    """
    numbers = [(layer.name, _number(layer)) for layer in net.layers]
    nameless = [name for name, number in numbers if number and not not_here(number)]
    if nameless:
        log.error(
            f"{PLACE}:0",
            f"no type for {', '.join(nameless)}: its number is a fork's own;"
            " write the type into the upgraded prototxt",
        )
    for name, number in numbers:
        if not_here(number):
            log.error(
                f"{PLACE}:0",
                f"no type for {name}: C3D's {not_here(number)} is not here;"
                " needed: the net without this layer",
            )
    for layer in net.layers:
        if LAST_OF_BVLC < layer.type < FIRST_OF_TEXT:
            name = caffe_pb2.V1LayerParameter.LayerType.Name(layer.type)
            log.warning(
                f"{PLACE}:0",
                f"layer '{layer.name}': type {layer.type} is taken for {name};"
                " forks use such a number for others too",
            )
    return any(number for _, number in numbers)


def _number(layer: Message) -> int:
    """That of a layer's type if the schema has no name for it, else 0."""
    fields = UnknownFieldSet(layer)
    return next((fields[i].data for i in range(len(fields)) if fields[i].field_number == TYPE), 0)
