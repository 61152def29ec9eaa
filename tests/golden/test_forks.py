"""Both engines give what Caffe's forks gave, for the layers of theirs that are here."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from caffepy import log
from caffepy.engine.weights import copy_trained_layers
from caffepy.errors import CaffeError
from caffepy.layers.core.registry import LAYERS
from caffepy.solver.solver import Solver
from tests.golden.engines import DEVICE, ENGINES
from tests.golden.recorded import Case, attempt, differences, inside, of_forks, runnable

DIFFERENT = {
    "caffe-fast-rcnn/layers/SmoothL1Loss/basic": "nothing in the net tells it from SSD's, which takes loss_weight 1 where none is given",
    "ssd/errors/ssd_smoothl1_weights": "SSD's refuses three bottoms, by its base's count; that of Fast R-CNN takes them",
    "caffe-fast-rcnn/errors/smoothl1_3": "py-faster-rcnn's refuses three bottoms; that of Fast R-CNN itself takes them",
    "caffe-segnet/layers/SoftmaxWithLoss/ignore_all": "0 / 0 where no label is left; here it is 0, as in BVLC Caffe",
    "MobileNet-YOLO/layers/Reorg/s2_backward": "the fork reads a buffer that nothing has filled",
    "caffe-mobilenet/errors/convdw_no_stride": "the fork reads beyond an empty list; here a stride left out is 1",
    "caffe-fast-rcnn/errors/roi_bad_batch": "the region is not recorded; test_roi_pooling.py has one",
    "caffe-segnet/errors/upsample_bad_index": "the index is not recorded; test_upsample.py has one",
    "C3D/layers/Convolution3D/accumulate": "the fork clears the gradients of weights before each backward pass; here they add up",
    "caffe-lstm/layers/Lstm/batch2_clip": "the fork reads the numbers of bottom 1 for stream n of step t at t + n, not at t * N + n",
    "MobileNet-YOLO/layers/YoloDetectionOutput/batch2": "in the fork boxes of all images suppress one another and are of image 0",
    "MobileNet-YOLO/layers/Yolov3DetectionOutput/batch2": "in the fork boxes of all images suppress one another and are of image 0",
    **{
        f"{fork}/layers/RegionLoss/few_biases": "the fork takes fewer than 10 biases for zeros, whose logs are infinite; here they count"
        for fork in ("MobileNet-YOLO", "MobileNet-YOLO-2018")
    },
}
OF_CPUS = {
    "nvcaffe/layers/BatchNorm/cpu_fresh": "on a GPU statistics are counted as cuDNN counts them",
    "intel-caffe/layers/SpatialDropout/train": "masks come from torch's generator there",
}
"""Cases that differ where the tests compute on a GPU."""
if DEVICE.type == "cuda":
    DIFFERENT |= OF_CPUS
PULLED = "MobileNet-YOLO-2018"
"""Its RegionLoss draws boxes to their anchors at first, which a field asks for here."""
ROOTS = {kind: of_forks(kind) for kind in ("layers", "nets", "errors", "solvers")}


def known(kind: str) -> list[Any]:
    """Paths of the cases; those that have to differ are expected to fail."""
    found = list(ROOTS[kind])
    if kind == "layers":
        found = [path for path in found if path.split("/")[2] in LAYERS]
    return [
        pytest.param(path, marks=pytest.mark.xfail(strict=True, reason=DIFFERENT[path])) if path in DIFFERENT else path for path in found
    ]


def root_of(path: str) -> Path:
    """The folder that has a case."""
    return next(roots[path] for roots in ROOTS.values() if path in roots)


def refused(path: Any) -> bool:
    """Whether the fork ended with an error."""
    return isinstance(path, str) and "fatal" in Case(root_of(path) / path).meta


def message(case: Case, path: str) -> Any:
    """The net, with what asks for the fork's rule where another is followed."""
    net = case.message()
    for layer in net.layer if path.startswith(PULLED) else ():
        if layer.type == "RegionLoss":
            layer.region_loss_param.anchor_images = 12800
    return net


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("path", [path for path in known("layers") + known("nets") if not refused(path)])
def test_passes(path: str, engine: str, tmp_path: Path) -> None:
    case = runnable(path, tmp_path, root=root_of(path))
    with inside(case.path):
        assert differences(case, ENGINES[engine](message(case, path))) == []


@pytest.mark.parametrize("path", known("errors") + [path for path in known("layers") if refused(path)])
def test_refusals(path: str, tmp_path: Path) -> None:
    case = runnable(path, tmp_path, root=root_of(path))
    with inside(case.path), pytest.raises(CaffeError, match=r"^.+$"):
        attempt(case, "layerwise", {})


@pytest.mark.parametrize("engine", ["layerwise", "whole"])
@pytest.mark.parametrize("path", list(ROOTS["solvers"]))
def test_logs_of_trainings(
    path: str, engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(log.sink, "min_level", log.INFO)
    monkeypatch.setattr(log.sink, "prefix", False)
    root = root_of(path)
    case = Case(root / path)
    files = shutil.copytree(case.path, tmp_path / path)
    (tmp_path / path).parents[1].joinpath("db").symlink_to(root / Path(path).parents[1] / "db")
    with inside(files):
        solver = Solver.from_file("solver.prototxt", engine=engine)
        copy_trained_layers(solver.train_engine.graph, solver.train_engine.arena, "init.caffemodel")
        capsys.readouterr()
        solver.solve()
        solver.close()
    said = iter(numbers(line) for line in capsys.readouterr().err.splitlines())
    for line in case.meta["cli_log"]:
        words, values = numbers(line.partition("] ")[2])
        if words.startswith(("Iteration", "Train", "Test", "class", "Plateau", "MultiStep")):
            found = next((found for found in said if found[0] == words), ("", []))  # in the same order
            np.testing.assert_allclose(found[1], values, rtol=1e-4, err_msg=line)


def numbers(line: str) -> tuple[str, list[float]]:
    """A line of a log without its speed: what it says, and the numbers in it."""
    line = re.sub(r" \([^)]* iter/s.*?\)", "", line.strip())
    number = r"(?<![\w.])-?\d+\.?\d*(?:e[+-]?\d+)?"
    return re.sub(number, "N", line), [float(found) for found in re.findall(number, line)]
