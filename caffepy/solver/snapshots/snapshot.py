"""Snapshots: a caffemodel and beside it a solverstate from which training goes on."""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from torch import Tensor

from caffepy import log
from caffepy.engine.arena import Arena
from caffepy.engine.weights import (
    copy_trained_layers,
    get,
    put,
    save,
    save_hdf5,
    stored_bytes,
    too_big,
)
from caffepy.errors import SolverError, WeightsError
from caffepy.net.graph import Graph
from caffepy.proto.atomic import from_here
from caffepy.proto.caffe_pb2 import SolverParameter
from caffepy.proto.file_contents import SavedState
from caffepy.proto.solver_state import read_state, write_state, write_state_hdf5
from caffepy.solver.snapshots.background import Background
from caffepy.solver.update_rules.lr_policy import PolicyState

HDF5 = SolverParameter.HDF5


@dataclass(frozen=True)
class Names:
    """The two files of a snapshot: ``<prefix>_iter_<n>.caffemodel`` and ``.solverstate``.

    HDF5 files have ``.h5`` besides.
    """

    model: str
    state: str

    @classmethod
    def at(cls, param: SolverParameter, iteration: int) -> Names:
        """The files for this iteration of the solver ``param``."""
        stem = f"{param.snapshot_prefix}_iter_{iteration}"
        end = ".h5" if param.snapshot_format == HDF5 else ""
        return cls(f"{stem}.caffemodel{end}", f"{stem}.solverstate{end}")


def check_prefix(param: SolverParameter, *, file: str = "solver") -> None:
    """Errors: SolverError if no snapshot could be written; told before a long training."""
    if not param.HasField("snapshot_prefix"):
        raise SolverError(
            f"{file}: In solver params, snapshot is specified but snapshot_prefix is not"
        )
    folder = os.path.dirname(param.snapshot_prefix) or "."
    if not os.path.isdir(folder) or not os.access(folder, os.W_OK):
        reason = "is not writable" if os.path.isdir(folder) else "does not exist"
        raise SolverError(
            f"{file}: Cannot write to snapshot prefix '{param.snapshot_prefix}'.  "
            "Make sure that the directory exists and is writeable."
            f" '{folder}' {reason}{from_here(folder)}"
        )


def warn_of_size(param: SolverParameter, graph: Graph, history: Sequence[Tensor]) -> None:
    """Warn of snapshots so large that only this program can read them."""
    if param.snapshot_format == HDF5 or not (param.snapshot or param.snapshot_after_train):
        return
    sizes = {
        "the weights of each snapshot": stored_bytes(graph, diffs=param.snapshot_diff),
        "the state of each snapshot": 4 * sum(tensor.numel() for tensor in history),
    }
    for what, size in sizes.items():
        if line := too_big(what, size, "snapshot_format: HDF5"):
            log.warning("solver.cpp:0", line)


@dataclass(frozen=True)
class Progress:
    """How far a solver is: what a solverstate holds besides the history.

    ``run_state``: what a state of the real Caffe does not have.
    """

    iteration: int
    policy: PolicyState
    run_state: dict[str, Any] | None


def write(
    param: SolverParameter,
    progress: Progress,
    graph: Graph,
    arena: Arena,
    history: Sequence[Tensor],
    *,
    diffs: Sequence[Tensor | None] | None = None,
    background: Background,
) -> Names:
    """Copy all values, and let ``background`` write both files, the model first.

    A file has another name until it is complete. ``diffs``: see `weights.save`.
    """
    names = Names.at(param, progress.iteration)
    hdf5 = param.snapshot_format == HDF5
    if hdf5:
        log.info("solver.cpp:474", f"Snapshotting to HDF5 file {names.model}")
        log.info("sgd_solver.cpp:296", f"Snapshotting solver state to HDF5 file {names.state}")
    else:
        log.info("solver.cpp:464", f"Snapshotting to binary proto file {names.model}")
        log.info(
            "sgd_solver.cpp:284", f"Snapshotting solver state to binary proto file {names.state}"
        )
    background.wait()  # at most one copy in memory
    state = _saved_state(param, progress, names, history)
    values = arena.copied()
    copied_diffs: list[Tensor | None] | None = None
    if diffs is not None:
        copied_diffs = [None if diff is None else _copied(diff) for diff in diffs]

    def write_both() -> None:
        (save_hdf5 if hdf5 else save)(names.model, graph, values, diffs=copied_diffs)
        (write_state_hdf5 if hdf5 else write_state)(names.state, state)

    background.start(write_both)
    return names


def _saved_state(
    param: SolverParameter, progress: Progress, names: Names, history: Sequence[Tensor]
) -> SavedState:
    policy = progress.policy
    run_state = b""
    if progress.run_state is not None:
        run_state = zlib.compress(json.dumps(progress.run_state).encode())
    return SavedState(
        progress.iteration,
        names.model,
        policy.step,
        [get(_copied(tensor)) for tensor in history],
        policy.minimum_loss if param.lr_policy == "plateau" else None,
        policy.last_event,
        run_state,
    )


def _copied(tensor: Tensor) -> Tensor:
    return tensor.detach().cpu().clone()


def restore(path: str, graph: Graph, arena: Arena, history: Sequence[Tensor]) -> Progress:
    """Take parameters and history from a solverstate, binary or HDF5, of the real Caffe or ours.

    Errors: WeightsError if they do not fit.
    """
    state = read_state(path)
    _check_history(state, history, path)
    if state.learned_net:
        copy_trained_layers(graph, arena, _find_model(state.learned_net, path))
    if not path.endswith(".h5"):
        log.info("sgd_solver.cpp:336", "SGDSolver: restoring history")
    for tensor, array in zip(history, state.history):
        put(tensor, array)
    policy = PolicyState(state.current_step)
    if state.minimum_loss is not None:
        policy = PolicyState(state.current_step, state.minimum_loss, state.iter_last_event)
    return Progress(state.iter, policy, _run_state(state, path))


def _check_history(state: SavedState, history: Sequence[Tensor], path: str) -> None:
    advice = "needed: a state of this net and solver type"
    if len(state.history) != len(history):
        raise WeightsError(
            f"{path}: Incorrect length of history blobs. "
            f"Found: {len(state.history)}, the solver has {len(history)}; {advice}"
        )
    for index, (array, tensor) in enumerate(zip(state.history, history)):
        if array.size != tensor.numel():
            raise WeightsError(
                f"{path}: history blob {index} has shape {tuple(array.shape)}, "
                f"its parameter {tuple(tensor.shape)}; {advice}"
            )


def _find_model(learned_net: str, path: str) -> str:
    """``learned_net``, or the file of its name beside the state, if both were moved together."""
    if os.path.exists(learned_net):
        return learned_net
    beside = os.path.join(os.path.dirname(path), os.path.basename(learned_net))
    if not os.path.exists(beside):
        raise WeightsError(
            f"{path}: File not found: {learned_net}, the model that belongs to this state; "
            "it is not beside the state either"
        )
    log.warning(
        "sgd_solver.cpp:320", f"{learned_net} is not there; reading {beside} beside the state"
    )
    return beside


def _run_state(state: SavedState, path: str) -> dict[str, Any] | None:
    if not state.run_state:
        return None
    try:
        run_state: dict[str, Any] = json.loads(zlib.decompress(state.run_state))
    except (zlib.error, ValueError):
        raise WeightsError(
            f"{path}: its data positions cannot be read; the file is damaged"
        ) from None
    return run_state
