"""Both engines give what the real Caffe gave, for every recorded layer, net, filler and refusal."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from caffepy.errors import CaffeError
from tests.golden.engines import DEVICE, ENGINES
from tests.golden.recorded import Case, attempt, cases, difference, differences, folder, inside, runnable

SHAPES = {"errors/ip_dim": {"x": (4, 7)}}
"""Inputs that are refused for their size."""
ON_A_GPU = {
    "layers/Dropout/train_semantics": "masks come from torch's generator there",
    "layers/Pooling/max_nan": "NaN wins there",
    "layers/Pooling/max_neginf": "-inf wins there",
    "errors/pool_stochastic": "STOCHASTIC pooling is there",
    "errors/pool_stochastic_train": "STOCHASTIC pooling is there",
    "errors/spp_stochastic": "STOCHASTIC pooling is there",
}


def known(*kinds: str) -> list[Any]:
    """Paths of the cases; on a GPU without those that are others there."""
    skipped = ON_A_GPU if DEVICE.type == "cuda" else {}
    found = [path for kind in kinds for path in cases(kind)]
    return [pytest.param(path, marks=pytest.mark.skip(reason=skipped[path])) if path in skipped else path for path in found]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("path", known("layers", "nets"))
def test_passes(path: str, engine: str, tmp_path: Path) -> None:
    case = runnable(path, tmp_path)
    with inside(case.path):
        assert differences(case, ENGINES[engine](case.message())) == []


@pytest.mark.parametrize("path", cases("fillers"))
def test_first_values(path: str) -> None:
    case = Case(folder() / path)
    runner = ENGINES["layerwise"](case.message())
    for key, wanted in case.data.items():
        if key.startswith("param/"):
            layer, _, slot = key.removeprefix("param/").rpartition("/")
            assert difference(runner.param(layer, int(slot)), wanted, rtol=1e-6, atol=1e-7) == ""


@pytest.mark.parametrize("engine", ["layerwise", "whole"])
@pytest.mark.parametrize("path", known("errors"))
def test_refusals(path: str, engine: str, tmp_path: Path) -> None:
    case = runnable(path, tmp_path)
    with inside(case.path), pytest.raises(CaffeError, match=r"^.+$"):
        attempt(case, engine, SHAPES.get(path, {}))
