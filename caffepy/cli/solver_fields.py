"""Fields of a solver that were given as flags: what to write in their place."""

from __future__ import annotations

from caffepy.cli.commands import ACTIONS, COMMANDS
from caffepy.cli.options import flags_of
from caffepy.errors import nearest_name


def field_advice(name: str, near: str, command: str) -> str:
    """What to do in place of a flag ``name`` that no command knows.

    ``near``: what to say of a flag with a near name. It is returned where no field has this name.
    ``command``: the one that was called, such as ``train``; empty where none is known.
    """
    if command and command not in ACTIONS:
        return near
    from caffepy.proto import caffe_pb2
    from caffepy.proto.overrides import MEANT

    # a list, as protobuf's own mapping cannot be asked for bytes that are no UTF-8
    known = list(caffe_pb2.SolverParameter.DESCRIPTOR.fields_by_name)
    field = name if name in known else MEANT.get(name, "")
    if others := commands_with(name) if command == "train" and field else []:
        return f"; it is a flag of {', '.join(others)}, not of train"
    if field:
        whose = "of the solver" if field in known else "of the net's data layer"
        who = "" if command == "train" else ", which caffepy train takes as"
        return f"; it is a field {whose}{who or ':'} -set {field}=VALUE"
    near_field = "" if near or command != "train" else nearest_name(name, known)
    return (
        f"; nearest: the solver's field '{near_field}': -set {near_field}=VALUE"
        if near_field
        else near
    )


def commands_with(flag: str) -> list[str]:
    """The commands that have a flag of this name."""
    return [name for name, entry in COMMANDS.items() if flag in flags_of(entry.load())]
