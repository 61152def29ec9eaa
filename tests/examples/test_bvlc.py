"""BVLC's own examples, from nothing to a figure: in the short form, and their scripts."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import cv2
import numpy as np
import pytest

from tests.examples.conftest import RunExample

FIGURES = {
    "finetune_flickr_style": ["accuracy", "accuracy from nothing"],
    "finetune_pascal_detection": ["mAP"],
    "hdf5_classification": ["logistic regression accuracy", "net accuracy"],
    "mnist": ["squared error, of the mean picture's"],
    "pascal-multilabel-with-datalayer": ["right labels"],
    "siamese": ["accuracy of the nearest mean"],
}


@pytest.fixture
def script(root: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], ModuleType]:
    """Imports a script of an example, such as siamese/draw_map, as its run.sh finds it."""
    before = set(sys.modules)

    def load(path: str) -> ModuleType:
        folder = root / "examples" / path
        monkeypatch.syspath_prepend(str(root / "examples/common"))
        monkeypatch.syspath_prepend(str(root / "examples/faster_rcnn/lib"))
        monkeypatch.syspath_prepend(str(folder.parent))
        return importlib.import_module(folder.name)

    yield load
    # other examples have scripts of the same names
    for name in set(sys.modules) - before:
        file = getattr(sys.modules[name], "__file__", None)
        if file is not None and Path(file).is_relative_to(root / "examples"):
            del sys.modules[name]


@pytest.mark.parametrize("name", FIGURES)
def test_short(name: str, run_example: RunExample) -> None:
    result, out = run_example(name)
    assert [figure["name"] for figure in result["figures"]] == FIGURES[name]
    assert all(np.isfinite(figure["value"]) for figure in result["figures"])
    losses = re.findall(r"Iteration \d+ .* loss = (\S+)", (out / "train.log").read_text())
    assert losses
    assert np.isfinite(np.array(losses, float)).all()
    picture = cv2.imread(result["picture"])
    assert picture is not None
    assert picture.std() > 5


@pytest.mark.whole
@pytest.mark.parametrize("name", FIGURES)
def test_whole(name: str, run_example: RunExample) -> None:
    result, _ = run_example(name, short=False)
    assert all(figure["reached"] for figure in result["figures"])


def test_digits(script: Callable[[str], ModuleType], tmp_path: Path) -> None:
    digits = script("common/mnist_digits")
    pictures, labels = digits.draw_digits(np.random.default_rng(0), 12)
    assert pictures.shape == (12, 28, 28)
    assert (pictures.max(axis=(1, 2)) > 150).all()
    assert (pictures[:, 0] < 30).all()  # nothing is cut off at the top
    digits.write_idx(tmp_path / "a", pictures)
    np.testing.assert_array_equal(script("siamese/draw_map").read_idx(tmp_path / "a"), pictures)
    digits.write_idx(tmp_path / "b", labels)
    np.testing.assert_array_equal(script("siamese/draw_map").read_idx(tmp_path / "b"), labels)


def test_nearest_mean(script: Callable[[str], ModuleType]) -> None:
    train = np.array([[0, 0], [2, 0], [10, 10]], float)
    nearest = script("siamese/draw_map").nearest_mean
    labels = nearest(train, np.array([3, 3, 7]), np.array([[1.0, 1.0], [8.0, 8.0]]))
    np.testing.assert_array_equal(labels, [3, 7])


def test_points(script: Callable[[str], ModuleType]) -> None:
    points, classes = script("hdf5_classification/make_data").draw_points(
        np.random.default_rng(0), 4000
    )
    assert points.dtype == classes.dtype == np.float32
    above = points[:, 1] > 0.8 * points[:, 0] ** 2 - 0.6
    assert 0.01 < (above != classes).mean() < 0.03


def test_windows(script: Callable[[str], ModuleType], tmp_path: Path) -> None:
    make = script("finetune_pascal_detection/make_data")
    assert make.overlap((0, 0, 9, 9), (0, 0, 9, 9)) == 1
    assert make.overlap((0, 0, 9, 9), (10, 0, 19, 9)) == 0
    assert make.overlap((0, 0, 9, 9), (5, 0, 14, 9)) == pytest.approx(50 / 150)
    make.write(tmp_path, "test", 3, 1)
    detect = script("finetune_pascal_detection/detect_windows")
    windows = list(detect.read_windows(tmp_path / "window_file_test.txt"))
    assert len(windows) == 3
    for image, rows in windows:
        assert Path(image).is_file()
        assert rows.shape[1] == 6
        entry = detect.entry(image, rows)
        assert 1 <= len(entry.boxes) <= 4
        np.testing.assert_array_equal(rows[: len(entry.boxes), 1], 1)


def test_labels(script: Callable[[str], ModuleType], tmp_path: Path) -> None:
    objects = "".join(
        f"<object><name>{name}</name><difficult>{difficult}</difficult></object>"
        for name, difficult in (("cat", 0), ("dog", 1), ("horse", 0), ("cat", 0))
    )
    (tmp_path / "a.xml").write_text(f"<annotation>{objects}</annotation>")
    layer = script("pascal-multilabel-with-datalayer/pylayers/pascal_multilabel_datalayers")
    labels = layer.labels(tmp_path / "a.xml", ["dog", "cat", "bird"])
    np.testing.assert_array_equal(labels, [0, 1, 0])
