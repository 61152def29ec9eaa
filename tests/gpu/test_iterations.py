"""A training's iteration on a GPU is one replay, and nothing waits for it until its loss is shown."""

from __future__ import annotations

import pytest
import torch

from tools.bench.gpu.calls import per_iteration
from tools.bench.nets import NETS

pytestmark = pytest.mark.skipif(not hasattr(torch.cuda, "counts"), reason="a real GPU does not count")


@pytest.mark.parametrize("net", NETS)
def test_the_nets_of_the_benchmarks(net: str) -> None:
    launches, waits, copies, replays = per_iteration(net, engine="auto")
    assert (waits, copies, replays) == (0, 2, 1)
    assert launches <= 7  # the batch's way to the recording, the replay, and the loss put aside
