"""The definition of a solver, read from its prototxt."""

from __future__ import annotations

from collections.abc import Sequence

from caffepy.proto.caffe_pb2 import SolverParameter
from caffepy.proto.text import SourceMap, read_solver
from caffepy.proto.upgrade import set_snapshot_prefix


def load_solver(path: str, sets: Sequence[str] = ()) -> tuple[SolverParameter, SourceMap]:
    """A solver as Caffe reads it, upgraded and with its snapshot_prefix; and its fields' places.

    ``sets``: fields set from outside the file, as `read_solver` takes them.
    """
    param, places = read_solver(path, sets)
    set_snapshot_prefix(param, path)
    return param, places
