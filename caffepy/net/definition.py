"""A net's message and the positions of its fields, as `compile` takes them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from caffepy.proto import caffe_pb2
from caffepy.proto.text import read_net

Where = Callable[..., str]


@dataclass(frozen=True)
class Definition:
    """A net as ``net.compile`` takes it.

    ``source``: the field or file that it comes from.
    """

    message: caffe_pb2.NetParameter
    where: Where
    source: str


def lone_definition(
    file: str, phase: int, *, level: int = 0, stages: Sequence[str] = ()
) -> Definition:
    """The net of ``file`` for a program without a solver.

    ``stages`` are added to those in the file.
    """
    message, places = read_net(file)
    message.state.phase = phase  # type: ignore[assignment]  # an int of the enum
    message.state.level = level
    message.state.stage.extend(stages)
    return Definition(message, places.where, file)
