"""The example of text in pictures: its data, how it decodes, and all of it in the short form."""

from __future__ import annotations

from pathlib import Path

import cv2
import h5py
import numpy as np
import pytest

from tests.examples.conftest import RunExample, check_losses, make

NETS = ("lstm", "blstm")


def test_short(run_example: RunExample) -> None:
    result, out = run_example("ocr", ranks=2)
    names = [figure["name"] for figure in result["figures"]]
    assert names == ["LSTM sequence accuracy", "BLSTM sequence accuracy"]
    assert all(0 <= figure["value"] <= 1 for figure in result["figures"])
    check_losses(out, least=4)
    assert all((out / f"{net}_iter_4.caffemodel").is_file() for net in NETS)


@pytest.mark.whole
@pytest.mark.parametrize("ranks", [0, 2])
def test_whole(ranks: int, run_example: RunExample) -> None:
    result, _ = run_example("ocr", short=False, ranks=ranks)
    assert all(figure["reached"] for figure in result["figures"])


def test_data(scripts: Path, tmp_path: Path) -> None:
    done = make(scripts, "--out", str(tmp_path), "--train", "12", "--test", "3")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "train.txt").read_text() == f"{tmp_path / 'train.h5'}\n"
    with h5py.File(tmp_path / "train.h5") as file:
        assert file["data"].shape == (12, 1, 24, 80)
        label = file["label"][:]
        target = file["target"][:]
    assert label.shape == target.shape == (12, 5)
    np.testing.assert_array_equal(np.where(label == 10, -1, label), target)
    behind = (label == 10).astype(int)
    assert (np.diff(behind, axis=1) >= 0).all()  # no digit comes after a blank
    assert not behind[:, 0].any()


def test_own_pictures(scripts: Path, tmp_path: Path) -> None:
    pictures = tmp_path / "pictures"
    pictures.mkdir()
    for i in range(20):
        cv2.imwrite(str(pictures / f"{i:02d}-{i * 7}.png"), np.full((30, 100), 255 - i, np.uint8))
    done = make(scripts, "--out", str(tmp_path), "--pictures", str(pictures))
    assert done.returncode == 0, done.stderr
    with h5py.File(tmp_path / "test.h5") as file:
        assert file["target"][:].tolist() == [[6, 3, -1, -1, -1], [1, 3, 3, -1, -1]]
        np.testing.assert_allclose(file["data"][0], 9 / 255, rtol=1e-5)
    cv2.imwrite(str(pictures / "20-12a.png"), np.zeros((8, 8), np.uint8))
    done = make(scripts, "--out", str(tmp_path), "--pictures", str(pictures))
    assert done.returncode == 1
    assert "20-12a.png: needed: a name NAME-DIGITS with 1 to 5 digits" in done.stderr


@pytest.mark.usefixtures("scripts")
def test_decode_and_choose() -> None:
    from draw import choose, decode

    prob = np.eye(11)[[10, 4, 4, 10, 4, 7, 7, 10]]
    assert decode(prob) == "447"
    labels = np.array([[1, 10, 10, 10, 10], [1, 2, 10, 10, 10], [3, 10, 10, 10, 10]])
    assert choose(labels, 8) == [1, 0, 2]
    assert choose(labels, 2) == [1, 0]
