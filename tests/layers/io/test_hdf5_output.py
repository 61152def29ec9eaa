"""HDF5Output."""

from __future__ import annotations

from pathlib import Path

import h5py
import pytest

from caffepy.errors import CaffeError
from tests.layers.check import check_counts, refusal, subject


def layer(path: Path) -> str:
    return f'layer {{ name: "l" type: "HDF5Output" bottom: "x" bottom: "t" hdf5_output_param {{ file_name: "{path}" }} }}'


def test_bottoms_are_written(tmp_path: Path) -> None:
    it = subject(layer(tmp_path / "out.h5"), x=(3, 2, 4), t=[7, 8, 9])
    check_counts(it)
    assert it.forward() == ()
    with h5py.File(tmp_path / "out.h5") as file:
        assert file["data"].shape == (3, 2, 4, 1)
        assert file["data"][()].ravel().tolist() == it.bottoms()[0].ravel().tolist()
        assert file["label"][()].ravel().tolist() == [7, 8, 9]


def test_numbers_without_axes_are_one_row(tmp_path: Path) -> None:
    it = subject(layer(tmp_path / "out.h5"), x=(), t=(1,))
    it.forward()
    with h5py.File(tmp_path / "out.h5") as file:
        assert file["data"].shape == file["label"].shape == (1, 1, 1, 1)
        assert file["data"][0, 0, 0, 0] == it.bottoms()[0]


def test_one_batch_only(tmp_path: Path) -> None:
    it = subject(layer(tmp_path / "out.h5"), x=(3, 2), t=(3,))
    it.forward()
    with pytest.raises(CaffeError, match=r"out\.h5"):
        it.forward()


def test_refusals(tmp_path: Path) -> None:
    assert "data has 3 rows and label 2" in refusal(layer(tmp_path / "out.h5"), x=(3, 2), t=(2,))
    assert "bottom 0 has 5 axes; needed: at most 4" in refusal(layer(tmp_path / "out.h5"), x=(3, 2, 1, 1, 1), t=(3,))
