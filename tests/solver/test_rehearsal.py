"""What -check tells as the reason of a difference."""

from __future__ import annotations

import inspect

from caffepy.layers.core.registry import LAYERS
from caffepy.solver.rehearsal import RANDOM


def test_types_that_draw_from_the_nets_stream_are_known() -> None:
    """Found by their code: those that use ``run.random``, or inherit from one that does."""
    drawing = {
        name
        for name, layer in LAYERS.items()
        if any("run.random" in inspect.getsource(cls) for cls in layer.__mro__ if cls.__module__.startswith("caffepy.layers."))
    }
    assert drawing - {"Python"} == RANDOM
