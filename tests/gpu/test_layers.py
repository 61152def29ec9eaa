"""Each registered layer type on a GPU: whether its net is recorded and if not why; recorded passes give the numbers of plain ones."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from caffepy.engine.numerics import BF16, FP16, FP32, HALF_TYPES
from caffepy.errors import CaffeError
from caffepy.layers.core.registry import LAYERS
from tests.engine.build import TEST, TRAIN
from tests.golden.engines import DEVICE, Array, Captured, Whole
from tests.golden.recorded import Case, cases, folder, inside, of_forks, runnable, set_up

ALL = os.environ.get("CAFFEPY_STANDIN_ALL") == "1"
CHOOSES = "chooses and sorts boxes, whose number decides the shape of the top"
NOT_RECORDED = {
    "DetectNetTransformation": "draws and cuts pictures on the host",
    "DetectionEvaluate": "sorts and matches boxes object by object",
    "DetectionOutput": CHOOSES,
    "DummyData": "Caffe's own random numbers are drawn on the host; nets with constant ones are recorded",
    "Filter": "the values of a batch decide the shapes of its tops",
    "HDF5Output": "writes a file",
    "Proposal": CHOOSES,
    "Python": "runs a user's Python",
    "YoloDetectionOutput": CHOOSES,
    "Yolov3DetectionOutput": CHOOSES,
}
"""The layer types whose nets are recorded in pieces or not at all, or some of them, and why. All others are recorded whole."""
WITHOUT_CASES = {"DetectNetTransformation", "Gather", "HDF5Output", "ROIAlign", "Yolov3"}
"""The layer types that have no case under tests/golden: nothing here runs them."""
ROUGH = {FP32: 1e-5, BF16: 2e-2, FP16: 2e-2}


def recorded() -> dict[str, list[tuple[str, Path]]]:
    """Of each layer type the recorded cases, the smallest first, and where each is."""
    roots = {path: folder() for path in cases("layers")} | of_forks("layers")
    found: dict[str, list[tuple[str, Path]]] = {}
    for path, root in roots.items():
        case = Case(root / path)
        if "fatal" not in case.meta and path.split("/")[-2] in LAYERS:
            found.setdefault(path.split("/")[-2], []).append((path, root))
    for own in found.values():
        own.sort(key=lambda each: (each[1] / each[0] / "data.npz").stat().st_size)
    return dict(sorted(found.items()))


CASES = recorded()


def test_each_type_is_asked() -> None:
    types = {name for name, layer in LAYERS.items() if not layer.is_source}
    assert types - set(CASES) == WITHOUT_CASES
    assert types >= set(NOT_RECORDED)


def chosen(every: int) -> list[Any]:
    """The smallest case of every so many types; the two smallest of all types in the whole form."""
    return [(path, root) for own in list(CASES.values())[:: 1 if ALL else every] for path, root in own[: 1 + ALL]]


def named(value: object) -> str | None:
    """For pytest's list."""
    return value[0] if isinstance(value, tuple) else None


def outcome(case: Case, runner: Whole) -> Iterator[tuple[str, Array]]:
    """What a runner makes of a case."""
    set_up(case, runner)
    losses = {runner.graph.values[v].name for v in runner.graph.outputs if runner.graph.loss_weight(v)}
    for step in range(case.meta["steps"]):
        inputs = case.part(step, "in")
        runner.clear_gradients()
        yield f"the net's loss {step}", np.asarray(runner.forward(inputs))
        for name in sorted({runner.graph.values[v].name for v in runner.graph.outputs}):
            found = runner.blob(name)
            if found is not None:
                yield f"top {name} {step}", found.copy()
        if case.meta["backward"]:
            runner.backward(inputs, {name: diff for name, diff in case.part(step, "topdiff").items() if name not in losses})
        for param in runner.graph.params:
            yield f"{param.layer} {param.slot} {step}", runner.param(param.layer, param.slot).copy()
            if case.meta["backward"]:
                yield f"gradient of {param.layer} {param.slot} {step}", runner.param_diff(param.layer, param.slot).copy()


def same(path: str, root: Path, tmp_path: Path, precision: str, phase: int | None) -> list[str]:
    """Hold recorded and plain passes together; why they were not recorded, if they were not."""
    assert DEVICE.type == "cuda", "CAFFEPY_GOLDEN_DEVICE"
    case = runnable(path, tmp_path, root=root)
    message = case.message()
    if phase is not None:
        message.state.phase = phase
    with inside(case.path):
        try:
            plain = dict(outcome(case, Whole(message, half=HALF_TYPES.get(precision))))
        except CaffeError as error:
            pytest.skip(f"refused: {error}")
        ours = Captured(message, half=HALF_TYPES.get(precision))
        for what, found in outcome(case, ours):
            if not any(getattr(node.layer, "draws", False) for node in ours.graph.nodes):
                scale = np.abs(plain[what][np.isfinite(plain[what])]).max(initial=1)
                np.testing.assert_allclose(found / scale, plain[what] / scale, atol=ROUGH[precision], rtol=0, err_msg=what)
    return [obstacle for obstacle in ours.obstacles() if obstacle]


@pytest.mark.parametrize("where", chosen(1), ids=named)
def test_its_net_is_recorded_unless_the_table_says_why_not(where: tuple[str, Path], tmp_path: Path, gpu: torch.device) -> None:
    obstacles = same(*where, tmp_path, FP32, None)
    assert bool(obstacles) == (where[0].split("/")[-2] in NOT_RECORDED), obstacles


@pytest.mark.parametrize("phase", [TRAIN, TEST])
@pytest.mark.parametrize("precision", [BF16, FP16])
@pytest.mark.parametrize("where", chosen(9), ids=named)
def test_short_numbers(where: tuple[str, Path], precision: str, phase: int, tmp_path: Path, gpu: torch.device) -> None:
    same(*where, tmp_path, precision, phase)


@pytest.mark.parametrize("where", chosen(9), ids=named)
def test_in_the_other_phase(where: tuple[str, Path], tmp_path: Path, gpu: torch.device) -> None:
    same(*where, tmp_path, FP32, TEST if Case(where[1] / where[0]).phase == TRAIN else TRAIN)
