"""Solver states in both formats."""

from __future__ import annotations

import numpy as np
import pytest

from caffepy.errors import WeightsError
from caffepy.proto import caffe_pb2, solver_state
from caffepy.proto.file_contents import SavedState

HISTORY = [np.array([[1, 2]], np.float32), np.zeros((0,), np.float32), np.array(3, np.float32)]


def test_binary_states_come_back_and_protobuf_reads_them(tmp_path):
    path = tmp_path / "a.solverstate"
    solver_state.write_state(path, SavedState(3, "dir/näme", 1, HISTORY, 0.25, 2, b"\x01\x00"))
    back = solver_state.read_state(path)
    assert (
        back.iter,
        back.learned_net,
        back.current_step,
        back.minimum_loss,
        back.iter_last_event,
    ) == (3, "dir/näme", 1, 0.25, 2)
    assert back.run_state == b"\x01\x00"
    for found, array in zip(back.history, HISTORY, strict=True):
        np.testing.assert_array_equal(found, array)
    message = caffe_pb2.SolverState.FromString(path.read_bytes())
    assert (message.iter, message.learned_net, message.current_step) == (3, "dir/näme", 1)
    assert [tuple(blob.shape.dim) for blob in message.history] == [(1, 2), (0,), ()]


def test_a_state_of_the_real_caffe_has_no_more_than_it_needs(tmp_path):
    path = tmp_path / "a.solverstate"
    path.write_bytes(
        caffe_pb2.SolverState(
            iter=-1, history=[{"num": 1, "channels": 1, "height": 1, "width": 1, "data": [2]}]
        ).SerializeToString()
    )
    back = solver_state.read_state(path)
    assert (
        back.iter,
        back.learned_net,
        back.minimum_loss,
        back.run_state,
        back.history[0].shape,
    ) == (-1, "", None, b"", (1, 1, 1, 1))


def test_hdf5_is_known_by_content(tmp_path):
    pytest.importorskip("h5py")
    solver_state.write_state_hdf5(tmp_path / "a", SavedState(4, "x"))
    assert solver_state.read_state(tmp_path / "a").iter == 4


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (
            caffe_pb2.NetParameter(name="n").SerializeToString(),
            "not a solver's state; needed: the .solverstate of a snapshot; weights alone begin a new training",
        ),
        (b"text", "not a solver's state.*; it looks like text"),
        (
            caffe_pb2.BlobProto(
                num=1, channels=1, height=1, width=2, data=[1, 2]
            ).SerializeToString(),
            "not a solver's state",
        ),
        (
            caffe_pb2.SolverState(iter=3).SerializeToString() + b"\x1a\x7f",
            "a damaged solverstate: the field at byte 2 goes beyond the end",
        ),
        (
            caffe_pb2.SolverState(iter=3, history=[{"data": [1, 2]}]).SerializeToString(),
            r"a damaged solverstate: a blob of shape \(\)",
        ),
    ],
)
def test_other_files(tmp_path, content, said):
    path = tmp_path / "a.solverstate"
    path.write_bytes(content)
    with pytest.raises(WeightsError, match=f"^{path}: {said}"):
        solver_state.read_state(path)


def test_the_real_states(shared):
    """Recorded snapshots of both formats say the same."""
    compared = 0
    for path in sorted((shared / "golden/solvers").glob("*/snap_iter_10.solverstate*")):
        state = solver_state.read_state(path)
        assert (state.iter, state.learned_net.partition(".caffemodel")[0]) == (10, "snap_iter_10")
        assert state.history or "history" not in path.read_text(errors="ignore")
        compared += 1
    assert compared > 10
