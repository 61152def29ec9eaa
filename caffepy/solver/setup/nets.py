"""The nets that a SolverParameter names: one to train, any number to test, each with its state."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from caffepy import log
from caffepy.errors import SolverError
from caffepy.layers.core.base import TEST, TRAIN
from caffepy.net.definition import Definition
from caffepy.proto.caffe_pb2 import NetParameter, NetState, SolverParameter
from caffepy.proto.text import SourceMap, read_net, read_solver

FIELDS = "net, net_param, train_net, train_net_param"
LOG_LINES = {"train_net_param": 88, "train_net": 92, "net_param": 97, "net": 102}


def train_definition(param: SolverParameter, places: SourceMap) -> Definition:
    """The net to train.  ``places``: of the solver's file.

    Errors: SolverError unless just one field of ``param`` names a net.
    """
    given = [name for name in FIELDS.split(", ") if param.HasField(name)]
    if not given:
        raise SolverError(
            f"{places.file}: SolverParameter must specify a train net "
            f"using one of these fields: {FIELDS}"
        )
    if len(given) > 1:
        raise SolverError(
            f"{places.file}: SolverParameter must not contain more than one of these fields "
            f"specifying a train_net: {FIELDS}; found: {', '.join(given)}"
        )
    name = given[0]
    if name.endswith("_param"):
        log.info(f"solver.cpp:{LOG_LINES[name]}", f"Creating training net specified in {name}.")
        return _with_state(_inline(param, places, name), name, TRAIN, param.train_state)
    file = getattr(param, name)
    log.info(f"solver.cpp:{LOG_LINES[name]}", f"Creating training net from {name} file: {file}")
    return _with_state(read_net(file), name, TRAIN, param.train_state)


def test_definitions(param: SolverParameter, places: SourceMap) -> list[Definition]:
    """The nets to test, in Caffe's order.

    Errors: SolverError where test_iter, test_state or test_interval do not go with them.
    """
    _check_counts(param, places.file)
    states = list(param.test_state) or [NetState()] * len(param.test_iter)
    definitions = []
    for (read, source), state in zip(_test_sources(param, places), states):
        definitions.append(_with_state(read(), source, TEST, state))
    return definitions


def definition_in(
    file: str, phase: int, *, level: int = 0, stages: Sequence[str] = ()
) -> Definition:
    """The net that a solver's file names: in TEST the first that it tests, else the one to train.

    ``level``, ``stages``: as for `lone_definition`. A net that is not where the solver says, seen
    from the working folder, is looked for in the solver's folder.
    """
    param, places = read_solver(file)
    for field in ("net", "train_net"):
        if param.HasField(field):
            setattr(param, field, _beside(getattr(param, field), file))
    param.test_net[:] = [_beside(name, file) for name in param.test_net]
    tested = test_definitions(param, places) if phase == TEST else []
    definition = tested[0] if tested else train_definition(param, places)
    state = definition.message.state
    state.phase = phase  # type: ignore[assignment]  # an int of the enum
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
    named = len(param.test_net) + len(param.test_net_param)
    instances = len(param.test_iter)
    generic = param.HasField("net") or param.HasField("net_param")
    if instances < named or (instances > named and not generic):
        beside = " beside the net itself" if generic else ""
        raise SolverError(
            f"{file}: test_iter must be specified for each test network. "
            f"Found: test_iter {instances} time(s), {named} test net(s){beside}"
        )
    if param.test_state and len(param.test_state) != instances:
        raise SolverError(
            f"{file}: test_state must be unspecified or specified once per test net."
            f" Found: {len(param.test_state)} for {instances} test net(s)"
        )
    if instances and param.test_interval <= 0:
        raise SolverError(
            f"{file}: test_interval is {param.test_interval} although test_iter is given; "
            "needed: at least 1"
        )


def _test_sources(
    param: SolverParameter, places: SourceMap
) -> Iterator[tuple[Callable[[], tuple[NetParameter, SourceMap]], str]]:
    """For each test net what reads it, and where the log says that it comes from.

    Where there are more test_iter than test nets, the net itself is tested, too.
    """
    for index in range(len(param.test_net_param)):
        yield partial(_inline, param, places, "test_net_param", index), "test_net_param"
    for file in param.test_net:
        yield partial(read_net, file), f"test_net file: {file}"
    for _ in range(len(param.test_iter) - len(param.test_net) - len(param.test_net_param)):
        if param.HasField("net_param"):
            yield partial(_inline, param, places, "net_param"), "net_param"
        else:
            yield partial(read_net, param.net), f"net file: {param.net}"


def _inline(
    param: SolverParameter, places: SourceMap, name: str, *index: int
) -> tuple[NetParameter, SourceMap]:
    """A copy of the net that the solver itself contains."""
    written = getattr(param, name)
    message = NetParameter()
    message.CopyFrom(written[index[0]] if index else written)
    return message, places.within(name, *index)


def _with_state(
    net: tuple[NetParameter, SourceMap], source: str, phase: int, extra: NetState
) -> Definition:
    """``net`` in this phase.  Its own state overrides the phase, and ``extra`` overrides both."""
    message, places = net
    state = NetState()
    state.phase = phase  # type: ignore[assignment]  # an int of the enum
    state.MergeFrom(message.state)
    state.MergeFrom(extra)
    message.state.CopyFrom(state)
    return Definition(message, places.where, source)
