"""The flags of commands that look at a net without running its data layers."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from caffepy import log
from caffepy.errors import LayerError, UsageError

if TYPE_CHECKING:
    from caffepy.net.graph import Graph

PHASES = ("TRAIN", "TEST")


@dataclass(frozen=True)
class NetChoice:
    """Which layers of a net are meant, and the shapes of what its data layers give."""

    phase: str
    level: int
    stage: str
    shape: tuple[str, ...]

    def graph(self, file: str, *, keep_open: bool = False) -> tuple[Graph, list[str]]:
        """The compiled net of a prototxt, and what was assumed about its data.

        The log keeps to warnings from then on.
        ``keep_open``: the caller closes the data layers' sources, and may read from them.
        """
        from caffepy.net import compile as compile_net
        from caffepy.net import reshaped
        from caffepy.net.definition import lone_definition
        from caffepy.proto.wrong_kind import SolverGiven
        from caffepy.report.offline import Shapes, parse_shape, python_advice
        from caffepy.solver.setup.nets import definition_in

        if self.phase not in PHASES:
            raise UsageError(f"-phase {self.phase}: needed: TRAIN or TEST")
        log.sink.min_level = max(log.sink.min_level, log.WARNING)
        shapes = Shapes(dict(parse_shape(text) for text in self.shape))
        phase = PHASES.index(self.phase)
        stages = tuple(filter(None, self.stage.split(",")))
        try:
            definition = lone_definition(file, phase, level=self.level, stages=stages)
        except SolverGiven as given:
            log.warning("summary.cpp:0", given.found)
            definition = definition_in(file, phase, level=self.level, stages=stages)
        shapes.stand_in(definition.message)
        try:
            graph = compile_net(
                definition.message, where=definition.where, opener=shapes.open, offline=True
            )
        except LayerError as error:
            raise LayerError(f"{error}{python_advice(error, definition.message)}") from error
        if not keep_open:
            for source in graph.sources.values():
                source.close()
        names = {value: graph.values[value].name for value in graph.inputs}
        sized = {value: shapes.given[name] for value, name in names.items() if name in shapes.given}
        outermost = [node for node in graph.nodes if not node.bottoms]
        shapes.check([graph.values[value].name for node in outermost for value in node.tops])
        return reshaped(graph, sized) if sized else graph, shapes.notes


def net_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Decorator below ``@click.command``: adds -phase, -level, -stage and -shape.

    They are passed on as the keyword ``choice``.
    """

    @functools.wraps(function)
    def wrapper(
        *, phase: str, level: int, stage: str, shape: tuple[str, ...], **given: object
    ) -> object:
        return function(choice=NetChoice(phase, level, stage, shape), **given)

    for option in (
        click.option(
            "-shape",
            "--shape",
            multiple=True,
            metavar="NAME=N,C,H,W",
            help="Shape of an input or of a data layer's top, a Python layer's too.",
        ),
        click.option(
            "-stage",
            "--stage",
            default="",
            metavar="NAMES",
            help="Stages of the net's state, separated by commas.",
        ),
        click.option("-level", "--level", default=0, metavar="N", help="Level of the net's state."),
        click.option(
            "-phase",
            "--phase",
            default="TEST",
            metavar="PHASE",
            help="Phase of the net, TRAIN or TEST.",
        ),
    ):
        wrapper = option(wrapper)
    return wrapper
