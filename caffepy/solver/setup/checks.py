"""Checks of a solver that need no net."""

from __future__ import annotations

import math
from dataclasses import replace

from caffepy import log
from caffepy.errors import ParallelError, SolverError
from caffepy.net.graph import Graph
from caffepy.parallel.job.sharing import Sharing
from caffepy.parallel.transport.communicator import Communicator
from caffepy.proto import hdf5
from caffepy.proto.caffe_pb2 import SolverParameter
from caffepy.proto.forks import fork_fields
from caffepy.proto.text import SourceMap
from caffepy.scoring.average_precision import check_detection
from caffepy.solver.snapshots import snapshot
from caffepy.solver.update_rules.lr_policy import check_policy
from caffepy.solver.update_rules.schedules import check_schedules

NETS = frozenset(["net_param", "train_net_param", "test_net_param"])
FORKS_FIELDS = """
    ap_version eval_type show_per_class_result
    larc larc_eta larc_policy local_gw_ratio local_lr_auto min_lr plateau_winsize
    rampup_interval rampup_lr stageiter stagelr timeout_sec warmup_iter warmup_start_lr
    momentum_policy max_momentum momentum_power
    weight_decay_policy weight_decay_power max_weight_decay
"""
"""Fields of forks that do here what they do there."""
KNOWN = frozenset(f"SolverParameter.{name}" for name in FORKS_FIELDS.split())
OWN = NETS | {"net", "train_net", "test_net", "weights"}
OWN |= {"snapshot_prefix", "solver_mode", "device_id"}
"""Fields that may differ among ranks: where a rank has its files, and which device it uses."""
HARMLESS = ("engine", "per_parameter_reduce", "store_blobs_in_old_format", "timeout_nsec")
"""Fields of forks that change nothing of the training's numbers."""


def check(param: SolverParameter, places: SourceMap) -> None:
    """Check the fields.  ``places``: of the solver's file.  Errors: SolverError naming the field.

    A solver without lr_policy is refused only when it is to learn, as in Caffe: scripts may want no
    more than its nets.
    """
    if param.lr_policy:
        check_policy(param, file=places.file)
    check_schedules(param, file=places.file)
    check_detection(param, file=places.file)
    for name in ("average_loss", "iter_size"):
        if getattr(param, name) < 1:
            raise SolverError(
                f"{places.file}: {name} is {getattr(param, name)}; needed: at least 1"
            )
    _check_numbers(param, places)
    if param.snapshot:
        snapshot.check_prefix(param, file=places.file)
    defaults = SolverParameter()
    for field in fork_fields(param, KNOWN, skip=NETS):
        name = field.name.removeprefix("SolverParameter.")
        where = places.where(*field.path)
        if name in HARMLESS:
            words = f"'{name}' is another Caffe's ({field.forks}) and has no effect here"
            log.warning("solver.cpp:0", f"{where}: {words}")
        elif getattr(param, name, None) != getattr(defaults, name, None):
            raise SolverError(f"{where}: {field}")


def _check_numbers(param: SolverParameter, places: SourceMap) -> None:
    """Numbers with which nothing is learnt: a rate that is no number, iterations below 0."""
    for field, value in param.ListFields():
        if isinstance(value, float) and math.isnan(value):
            where = places.where(field.name)
            raise SolverError(f"{where}: {field.name} is nan; needed: a number")
    if math.isinf(param.base_lr):
        where = places.where("base_lr")
        raise SolverError(f"{where}: base_lr is {param.base_lr:g}; needed: a finite number")
    if param.max_iter < 0:
        where = places.where("max_iter")
        raise SolverError(f"{where}: max_iter is {param.max_iter}; needed: 0 or more")


def check_names(param: SolverParameter, graph: Graph, *, file: str) -> None:
    """Errors: WeightsError if two layers of the net have the same place in HDF5 snapshots."""
    if param.snapshot_format == snapshot.HDF5:
        hdf5.check_names([(node.name, len(node.params)) for node in graph.nodes], path=file)


def check_alike(communicator: Communicator, param: SolverParameter, *, file: str) -> None:
    """Compare this rank's solver with rank 0's.  Collective.

    Ranks with other schedules would wait for each other for ever. Errors: ParallelError.
    """
    if communicator.size == 1:
        return
    mine = {}
    for field, value in param.ListFields():
        if field.name not in OWN:
            mine[field.name] = log.number(value) if isinstance(value, float) else str(value)
    first = communicator.bcast_object(mine)
    for name in sorted(mine.keys() | first.keys()):
        here = mine.get(name, "left out")
        there = first.get(name, "left out")
        if here != there:
            raise ParallelError(
                f"{file}: {name} is {here}, but {there} on rank 0; "
                "needed: the same solver on all ranks"
            )


def with_timeout(sharing: Sharing, param: SolverParameter, *, ranks: int) -> Sharing:
    """``sharing`` with the solver's ``timeout_sec``, unless -round_timeout is given."""
    if not param.HasField("timeout_sec") or sharing.round_timeout:
        return sharing
    if ranks == 1:
        log.warning(
            "solver.cpp:0",
            "timeout_sec is a parameter server's and has no effect in a process alone",
        )
        return sharing
    if sharing.way != "ps":
        log.warning(
            "solver.cpp:0",
            "timeout_sec is a parameter server's and has no effect with "
            f"{sharing.words}; needed: -exchange ps",
        )
        return sharing
    return replace(sharing, round_timeout=float(param.timeout_sec))
