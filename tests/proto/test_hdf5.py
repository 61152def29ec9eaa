"""HDF5 weights and states: Caffe's layout, and files that are damaged or of other kinds."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from caffepy.errors import WeightsError
from caffepy.proto import hdf5
from caffepy.proto.file_contents import SavedState

h5py = pytest.importorskip("h5py")
ONE, TWO = np.array([[1, 2], [3, 4]], np.float32), np.array(5, np.float32)


def test_weights_in_caffes_layout(tmp_path):
    path = tmp_path / "net.caffemodel.h5"
    layers = [("conv1/7x7", [ONE, TWO]), ("conv1/7x7/bn", [None, ONE]), ("relu", [])]
    hdf5.write_net(path, layers, diffs=[[TWO, TWO], [TWO, TWO], []])
    with h5py.File(path) as file:
        assert sorted(file["data/conv1"]) == ["7x7"]
        assert file["data/conv1/7x7/0"].dtype == np.float32
        assert sorted(file["data/conv1/7x7/bn"]) == ["1"]
        assert (len(file["data/relu"]), file["diff/conv1/7x7/bn/0"].shape) == (0, ())
    found = {layer.name: layer.blobs for layer in hdf5.read_net(path)}
    assert set(found) == {"conv1/7x7", "conv1/7x7/bn", "relu"}
    np.testing.assert_array_equal(found["conv1/7x7"][0], ONE)
    assert (found["conv1/7x7"][1].shape, found["relu"]) == ((), [])
    assert found["conv1/7x7/bn"][0] is None


@pytest.mark.parametrize("name", ["/conv1/Conv", "conv1/", "a//b", "a/./b", ".", "", "..", "ä b"])
def test_names_that_hdf5_takes_for_paths(tmp_path, name):
    hdf5.write_net(
        tmp_path / "a.h5",
        [("ip", [ONE]), (name, [ONE, TWO]), ("relu", [])],
        diffs=[[ONE], [ONE, TWO], []],
    )
    assert {layer.name: len(layer.blobs) for layer in hdf5.read_net(tmp_path / "a.h5")} == {
        "ip": 1,
        name: 2,
        "relu": 0,
    }


@pytest.mark.parametrize("other", ["ip", "/ip", "ip/0", "ip/1/x"])
def test_names_that_are_one_in_hdf5(tmp_path, other):
    for layers in ([("ip", [ONE, TWO]), (other, [ONE])], [(other, [ONE]), ("ip", [ONE, TWO])]):
        with pytest.raises(
            WeightsError,
            match="the layers '.*ip.*' and '.*ip.*' have one place in an HDF5 file; needed: other names",
        ):
            hdf5.write_net(tmp_path / "a.h5", layers)
    assert os.listdir(tmp_path) == []


def test_states(tmp_path):
    path = tmp_path / "a.solverstate.h5"
    state = SavedState(7, "päth", 2, [ONE, TWO], 0.5, 3, b"\x00run")
    hdf5.write_state(path, state)
    with h5py.File(path) as file:
        assert (file["iter"].shape, file["iter"].dtype, file["current_step"][0]) == (
            (1,),
            np.int32,
            2,
        )
        assert file["learned_net"].id.get_type().get_strpad() == h5py.h5t.STR_NULLTERM
    back = hdf5.read_state(path)
    assert (
        back.iter,
        back.learned_net,
        back.current_step,
        back.minimum_loss,
        back.iter_last_event,
    ) == (7, "päth", 2, 0.5, 3)
    assert back.run_state == b"\x00run"
    for found, array in zip(back.history, state.history, strict=True):
        np.testing.assert_array_equal(found, array)


def test_doubles_and_integers(tmp_path):
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["data/a/0"], file["data/a/1"], file["data/a/extra"] = (
            np.array([1e300, 0.1]),
            np.array([3]),
            "words",
        )
    (layer,) = hdf5.read_net(tmp_path / "a.h5")
    assert [blob.tolist() for blob in layer.blobs] == [[np.inf, np.float32(0.1)], [3]]


def broken(file):
    file["data/a/0"] = h5py.SoftLink("/nowhere")


def words(file):
    file["data/a/0"] = "words"


def unstored(file):
    file.create_dataset("data/a/0", (1 << 20, 1 << 20), np.float32, chunks=(1024, 1024))


def flat(file):
    file["data"] = ONE


@pytest.mark.parametrize(
    ("fill", "said"),
    [
        (lambda file: None, "the file has no group 'data'"),
        (broken, "Couldn't open or read the HDF5 file: "),
        (words, "'/data/a/0' is not a dataset of numbers"),
        (unstored, r"of shape \(1048576, 1048576\) has 0 bytes in the file"),
        (flat, "'data' is not a group"),
    ],
)
def test_files_of_other_kinds(tmp_path, fill, said):
    path = tmp_path / "a.h5"
    with h5py.File(path, "w") as file:
        fill(file)
    with pytest.raises(WeightsError, match=f"^{path}: .*{said}"):
        hdf5.read_net(path)


def test_groups_in_themselves(tmp_path):
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["data/a/0"], file["data/a/b"] = ONE, h5py.SoftLink("/data/a")
    assert {layer.name.count("/") for layer in hdf5.read_net(tmp_path / "a.h5")} == {
        *range(hdf5.MOST_SLASHES + 1)
    }


def test_a_file_cut_short(tmp_path):
    hdf5.write_net(tmp_path / "a.h5", [("a", [ONE])])
    whole = (tmp_path / "a.h5").read_bytes()
    (tmp_path / "a.h5").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(WeightsError, match="Couldn't open or read the HDF5 file"):
        hdf5.read_net(tmp_path / "a.h5")


def test_a_full_disk(tmp_path):
    script = """
import resource, signal
import numpy as np
from caffepy.errors import WeightsError
from caffepy.proto import hdf5
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
layers = [(f"ip{i}", [np.ones((30, 40), np.float32), np.ones(30, np.float32)]) for i in range(8)]
hdf5.write_net("whole.h5", layers)
for size in range(0, 40_000, 1500):
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
    try:
        hdf5.write_net("a.h5", layers)
    except WeightsError as error:
        assert "a.h5: cannot write it: File too large" in str(error), error
    else:
        raise SystemExit(f"{size} bytes were enough")
"""
    # a process of its own: HDF5 used to end it with a segmentation fault
    environment = {**os.environ, "PYTHONPATH": os.getcwd()}
    ended = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        env=environment,
        stderr=subprocess.PIPE,
        timeout=60,
    )
    assert ended.returncode == 0, ended.stderr
    assert not ended.stderr
    assert os.listdir(tmp_path) == ["whole.h5"]


def test_weights_are_no_state(tmp_path):
    hdf5.write_net(tmp_path / "a.h5", [("a", [ONE])])
    with pytest.raises(
        WeightsError, match="not a solver's state: no 'iter' and 'history'; it holds weights"
    ):
        hdf5.read_state(tmp_path / "a.h5")


def test_a_state_is_no_weights(tmp_path):
    hdf5.write_state(tmp_path / "a.h5", SavedState(7, "a.caffemodel.h5", 2, [ONE]))
    with pytest.raises(
        WeightsError,
        match="no group 'data'; it holds a solver's state: the weights are in the .caffemodel.h5",
    ):
        hdf5.read_net(tmp_path / "a.h5")


@pytest.mark.parametrize(
    "stored",
    [{}, {"compression": "gzip"}, {"chunks": (1, 1024)}, {"dtype": ">f4"}, {"dtype": "f8"}],
)
def test_large_arrays_however_they_are_stored(tmp_path, stored):
    values = np.arange(1 << 19, dtype=np.float32).reshape(512, 1024)
    with h5py.File(tmp_path / "a.h5", "w", userblock_size=512) as file:
        file.create_dataset("data/a/0", data=values, **stored)
    (layer,) = hdf5.read_net(tmp_path / "a.h5")
    assert layer.blobs[0].dtype == np.float32
    np.testing.assert_array_equal(layer.blobs[0], values)


def test_a_large_array_that_the_file_does_not_hold_whole(tmp_path):
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["data/a/0"] = np.ones(1 << 19, np.float32)
        offset = file["data/a/0"].id.get_offset()
    with open(tmp_path / "a.h5", "r+b") as file:
        file.truncate(offset + 1000)
    with pytest.raises(WeightsError, match="Couldn't open or read the HDF5 file"):
        hdf5.read_net(tmp_path / "a.h5")


def test_an_error_of_h5py_without_a_number(tmp_path: Path) -> None:
    with (
        pytest.raises(WeightsError, match=r"a\.h5: cannot write it: closing failed"),
        hdf5.created(tmp_path / "a.h5"),
    ):
        raise RuntimeError("closing failed") from OSError("Can't write data")
