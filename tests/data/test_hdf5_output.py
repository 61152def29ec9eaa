"""The file of an HDF5Output layer."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import h5py
import numpy as np
import pytest

from caffepy.data.hdf5_output import HDF5OutputFile
from caffepy.errors import DataError

VALUES = np.arange(6, dtype=np.float32).reshape(2, 3)


def test_datasets_have_four_axes(tmp_path: Path) -> None:
    HDF5OutputFile(str(tmp_path / "out.h5")).write(VALUES, VALUES[:, 0])
    with h5py.File(tmp_path / "out.h5") as file:
        assert {name: file[name].shape for name in file} == {
            "data": (2, 3, 1, 1),
            "label": (2, 1, 1, 1),
        }
        np.testing.assert_array_equal(file["data"][:, :, 0, 0], VALUES)
    assert os.listdir(tmp_path) == ["out.h5"]


def test_a_second_batch_is_refused_and_the_first_is_kept(tmp_path: Path) -> None:
    file = HDF5OutputFile(str(tmp_path / "out.h5"))
    file.write(VALUES, VALUES[:, 0])
    with pytest.raises(DataError, match="already holds a batch"):
        file.write(VALUES, VALUES[:, 0])
    assert os.listdir(tmp_path) == ["out.h5"]


@pytest.mark.parametrize("name", ["", "nowhere/out.h5", "."])
def test_no_such_folder(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(
        DataError, match="cannot be written; needed: a file name in a folder that exists"
    ):
        HDF5OutputFile(name)


def test_a_pipe_is_not_replaced_by_a_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    with suppress(DataError):  # HDF5 writes to no pipe
        HDF5OutputFile(str(tmp_path / "pipe")).write(VALUES, VALUES[:, 0])
    os.close(reader)
    assert (tmp_path / "pipe").is_fifo()


def test_rows_that_differ(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="2 rows of data and 3 of labels"):
        HDF5OutputFile(str(tmp_path / "out.h5")).write(VALUES, np.zeros(3, np.float32))


def test_a_full_disk_leaves_nothing(tmp_path: Path) -> None:
    script = """
import resource, sys
import numpy as np
from caffepy.data.hdf5_output import HDF5OutputFile
from caffepy.errors import DataError
file = HDF5OutputFile("out.h5")
resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, resource.RLIM_INFINITY))
try:
    file.write(np.zeros((100, 1000), np.float32), np.zeros(100, np.float32))
except DataError as error:
    print(error)
"""
    environment = {**os.environ, "PYTHONPATH": os.getcwd()}
    ended = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert "out.h5: cannot write it" in ended.stdout, ended.stderr
    assert os.listdir(tmp_path) == []
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] != 10_000
