"""The nets that a SolverParameter names: one to train, any number to test, each with its state."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence

from caffepy import log
from caffepy.errors import SolverError
from caffepy.layers.core.base import TEST, TRAIN
from caffepy.net.definition import Definition
from caffepy.proto.caffe_pb2 import NetParameter, NetState, SolverParameter
from caffepy.proto.text import SourceMap, read_net, read_solver

FIELDS = "net, net_param, train_net, train_net_param"
LOG_LINES = {"train_net_param": 88, "train_net": 92, "net_param": 97, "net": 102}


def train_definition(param: SolverParameter, places: SourceMap) -> Definition:
    """The net to train. SolverError unless just one field of ``param`` names it. ``places``: of the solver's file."""
    given = [name for name in FIELDS.split(", ") if param.HasField(name)]
    if not given:
        raise SolverError(
            f"{places.file}: SolverParameter must specify a train net using one of these fields: {FIELDS}"
        )
    if len(given) > 1:
        raise SolverError(
            f"{places.file}: SolverParameter must not contain more than one of these fields specifying a train_net: {FIELDS};"
            f" found: {', '.join(given)}"
        )
    name = given[0]
    if name.endswith("_param"):
        log.info(f"solver.cpp:{LOG_LINES[name]}", f"Creating training net specified in {name}.")
        return _with_state(_inline(param, places, name), name, TRAIN, param.train_state)
    file = getattr(param, name)
    log.info(f"solver.cpp:{LOG_LINES[name]}", f"Creating training net from {name} file: {file}")
    return _with_state(read_net(file), name, TRAIN, param.train_state)


def test_definitions(param: SolverParameter, places: SourceMap) -> list[Definition]:
    """The nets to test, in Caffe's order. SolverError where test_iter, test_state or test_interval do not go with them."""
    _check_counts(param, places.file)
    states = list(param.test_state) or [NetState()] * len(param.test_iter)
    return [
        _with_state(read(), source, TEST, state)
        for (read, source), state in zip(_test_sources(param, places), states)
    ]


def definition_in(
    file: str, phase: int, *, level: int = 0, stages: Sequence[str] = ()
) -> Definition:
    """The net that a solver's file names, changed as `lone_definition` does: in TEST the first that it tests, else the one to train.

    A net that is not where the solver says, from the working folder, is looked for beside the solver.
    """
    param, places = read_solver(file)
    for field in ("net", "train_net"):
        if param.HasField(field):
            setattr(param, field, _beside(getattr(param, field), file))
    param.test_net[:] = [_beside(name, file) for name in param.test_net]
    tested = test_definitions(param, places) if phase == TEST else []
    definition = tested[0] if tested else train_definition(param, places)
    state = definition.message.state
    state.phase = phase  # type: ignore[assignment]
    state.level = level or state.level
    state.stage.extend(stages)
    return definition


def _beside(net: str, solver: str) -> str:
    """Where a solver's net is: as named, or in the solver's folder."""
    folder = os.path.dirname(solver)
    places = (net, os.path.join(folder, net), os.path.join(folder, os.path.basename(net)))
    return next(filter(os.path.exists, places), net)


def _check_counts(param: SolverParameter, file: str) -> None:
    if param.HasField("net") and param.HasField("net_param"):
        raise SolverError(f"{file}: Both net_param and net_file may not be specified.")
    named, instances = len(param.test_net) + len(param.test_net_param), len(param.test_iter)
    generic = param.HasField("net") or param.HasField("net_param")
    if instances < named or (instances > named and not generic):
        raise SolverError(
            f"{file}: test_iter must be specified for each test network. Found: test_iter {instances} time(s), {named} test net(s)"
            + (" beside the net itself" if generic else "")
        )
    if param.test_state and len(param.test_state) != instances:
        raise SolverError(
            f"{file}: test_state must be unspecified or specified once per test net."
            f" Found: {len(param.test_state)} for {instances} test net(s)"
        )
    if instances and param.test_interval <= 0:
        raise SolverError(
            f"{file}: test_interval is {param.test_interval} although test_iter is given; needed: at least 1"
        )


def _test_sources(
    param: SolverParameter, places: SourceMap
) -> Iterator[tuple[Callable[[], tuple[NetParameter, SourceMap]], str]]:
    """A reader and the log's words for each test net; the net itself serves as often as test_iter asks beyond the others."""
    for index in range(len(param.test_net_param)):
        yield lambda index=index: _inline(param, places, "test_net_param", index), "test_net_param"  # type: ignore[misc]
    for file in param.test_net:
        yield lambda file=file: read_net(file), f"test_net file: {file}"  # type: ignore[misc]
    for _ in range(len(param.test_iter) - len(param.test_net) - len(param.test_net_param)):
        if param.HasField("net_param"):
            yield lambda: _inline(param, places, "net_param"), "net_param"
        else:
            yield lambda: read_net(param.net), f"net file: {param.net}"


def _inline(
    param: SolverParameter, places: SourceMap, name: str, *index: int
) -> tuple[NetParameter, SourceMap]:
    written = getattr(param, name)
    message = NetParameter()
    message.CopyFrom(written[index[0]] if index else written)
    return message, places.within(name, *index)


def _with_state(
    net: tuple[NetParameter, SourceMap], source: str, phase: int, extra: NetState
) -> Definition:
    """``net`` in this phase: its own state over the phase, the solver's state over both."""
    message, places = net
    state = NetState()
    state.phase = phase  # type: ignore[assignment]
    state.MergeFrom(message.state)
    state.MergeFrom(extra)
    message.state.CopyFrom(state)
    return Definition(message, places.where, source)
