"""Solver states: iteration, update history, and caffepy's own state for an exact continuation."""

from __future__ import annotations

import os
import struct

from caffepy.errors import WeightsError
from caffepy.proto import blobs, hdf5, wire
from caffepy.proto.atomic import read_whole
from caffepy.proto.file_contents import Array, SavedState
from caffepy.proto.file_kind import holds_state, kind_note
from caffepy.proto.weights import write_chunks

ITER, LEARNED_NET, HISTORY, CURRENT_STEP, MINIMUM_LOSS, ITER_LAST_EVENT, RUN_STATE = (
    1,
    2,
    3,
    4,
    5,
    6,
    20001,
)
"""Field numbers of SolverState."""


def read_state(path: str | os.PathLike[str]) -> SavedState:
    """Read a solverstate, binary or HDF5 (recognised by its content).  Raises WeightsError."""
    if hdf5.is_hdf5(path):
        return hdf5.read_state(path)
    data = read_whole(path)
    file = os.fspath(path)
    if not holds_state(data):
        needed = "the .solverstate of a snapshot; weights alone begin a new training"
        raise WeightsError(f"{file}: not a solver's state{kind_note(data)}; needed: {needed}")
    numbers = {ITER: 0, CURRENT_STEP: 0, ITER_LAST_EVENT: 0}
    learned_net = ""
    history = list[Array]()
    run_state = b""
    minimum_loss = None
    try:
        for entry in wire.scan(data, 0, len(data)):
            if entry.kind == wire.VARINT and entry.number in numbers:
                numbers[entry.number] = wire.signed(entry.value)
            elif entry.kind == wire.BYTES and entry.number == LEARNED_NET:
                learned_net = bytes(data[entry.start : entry.end]).decode(errors="surrogateescape")
            elif entry.kind == wire.BYTES and entry.number == HISTORY:
                history.append(blobs.read(data, entry.start, entry.end))
            elif entry.kind == wire.FIXED32 and entry.number == MINIMUM_LOSS:
                (minimum_loss,) = struct.unpack_from("<f", data, entry.start)
            elif entry.kind == wire.BYTES and entry.number == RUN_STATE:
                run_state = bytes(data[entry.start : entry.end])
    except wire.WireError as error:
        raise WeightsError(f"{file}: a damaged solverstate: {error}") from error
    return SavedState(
        numbers[ITER],
        learned_net,
        numbers[CURRENT_STEP],
        history,
        minimum_loss,
        numbers[ITER_LAST_EVENT],
        run_state,
    )


def write_state(path: str | os.PathLike[str], state: SavedState) -> None:
    """Write a binary solverstate.  Raises WeightsError."""
    message = wire.Chunks()
    message.add_varint(ITER, state.iter)
    message.add_bytes(LEARNED_NET, state.learned_net.encode(errors="surrogateescape"))
    for array in state.history:
        message.add_message(HISTORY, blobs.message(array))
    message.add_varint(CURRENT_STEP, state.current_step)
    if state.minimum_loss is not None:
        message.add(
            wire.varint(MINIMUM_LOSS << 3 | wire.FIXED32) + struct.pack("<f", state.minimum_loss)
        )
        message.add_varint(ITER_LAST_EVENT, state.iter_last_event)
    if state.run_state:
        message.add_bytes(RUN_STATE, state.run_state)
    write_chunks(path, message)


def write_state_hdf5(path: str | os.PathLike[str], state: SavedState) -> None:
    """Write a ``.solverstate.h5``.  Raises WeightsError."""
    hdf5.write_state(path, state)
