"""``upgrade_solver_proto_text``: a solver's ``solver_type: ADAM`` to ``type: "Adam"``."""

from __future__ import annotations

import click

from caffepy import log
from caffepy.cli.upgrading import done, unreadable
from caffepy.errors import CaffeError
from caffepy.proto import caffe_pb2
from caffepy.proto.output_files import refuse_overwriting
from caffepy.proto.text import read_text, write_text
from caffepy.proto.upgrade import solver_needs_upgrade, upgrade_solver

PLACE = "upgrade_solver_proto_text.cpp"


@click.command("upgrade_solver_proto_text")
@click.argument("old_solver_proto_file_in")
@click.argument("solver_proto_file_out")
def command(*, old_solver_proto_file_in: str, solver_proto_file_out: str) -> int:
    """Write a solver's prototxt in the present format. Exit code 2: the file is no solver."""
    refuse_overwriting(solver_proto_file_out, old_solver_proto_file_in)
    solver = caffe_pb2.SolverParameter()
    try:
        read_text(old_solver_proto_file_in, solver)
    except CaffeError as error:
        return unreadable(
            f"{PLACE}:30", old_solver_proto_file_in, "text file as SolverParameter", error
        )
    if not solver_needs_upgrade(solver):
        log.error(f"{PLACE}:43", f"File already in latest proto format: {old_solver_proto_file_in}")
    upgrade_solver(solver, old_solver_proto_file_in)
    write_text(solver_proto_file_out, solver)
    return done(f"{PLACE}:49", "SolverParameter text", solver_proto_file_out)
