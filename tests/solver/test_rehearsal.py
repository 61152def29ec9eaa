"""What -check tells as the reason of a difference."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

from caffepy.layers.core.registry import LAYERS
from caffepy.parallel.launch import environment
from caffepy.parallel.transport.single import Single
from caffepy.solver.rehearsal import _random_types
from tests.net.build import INPUT, TEST, TRAIN, compiled


def test_layers_that_draw_say_so() -> None:
    """Found by their code: those that use ``run.random``, or inherit from one that does."""
    for name, layer in LAYERS.items():
        own = [inspect.getsource(cls) for cls in layer.__mro__ if cls.__module__.startswith("caffepy.layers.") and cls.__module__ != BASE]
        if name != "Python" and any("run.random" in source for source in own):
            assert any("self.draws =" in source or "draws=" in source for source in own), name


BASE = "caffepy.layers.core.base"
DUMMY = 'layer { name: "r" type: "DummyData" top: "r" dummy_data_param { shape { dim: 2 } data_filler { type: "TYPE" } } }\n'
POOL = 'layer { name: "r" type: "Pooling" bottom: "data" top: "r" pooling_param { kernel_size: 2 pool: METHOD } }\n'
DROP = 'layer { name: "r" type: "KIND" bottom: "data" top: "r" }\n'


@pytest.mark.parametrize(
    ("text", "phase", "drawn"),
    [
        (DUMMY.replace("TYPE", "gaussian"), TRAIN, ["DummyData"]),
        (DUMMY.replace("TYPE", "constant"), TRAIN, []),
        (POOL.replace("METHOD", "STOCHASTIC"), TRAIN, ["Pooling"]),
        (POOL.replace("METHOD", "MAX"), TRAIN, []),
        (DROP.replace("KIND", "Dropout"), TRAIN, ["Dropout"]),
        (DROP.replace("KIND", "Dropout"), TEST, []),
        (DROP.replace("KIND", "SpatialDropout"), TRAIN, ["SpatialDropout"]),
    ],
)
def test_only_layers_that_draw_are_named(text: str, phase: int, drawn: list[str], tmp_path: Path) -> None:
    assert _random_types(compiled(INPUT + text, tmp_path, phase), Single(environment.alone("host"))) == drawn
