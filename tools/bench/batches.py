"""Fixed batches in memory, the same for every implementation."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from tools.bench.jobs import JOBS
from tools.bench.nets import NETS


def inputs(name: str, batch: int) -> list[tuple[Tensor, ...]]:
    """Two batches of any net, the tensors in the order in which the module by hand takes them."""
    return [tuple(fed.values()) for fed in JOBS[name].inputs_of(batch, 2)] if name in JOBS else [*batches(name, batch)]


def batches(name: str, batch: int, *, number: int = 2) -> list[tuple[Tensor, Tensor]]:
    """``number`` pairs of data (batch, C, H, W), spread like pixels less their mean, and labels (batch,) int64."""
    recipe = NETS[name]
    random = np.random.default_rng(1)
    spread = 0.3 if name == "lenet" else 60.0
    made = []
    for _ in range(number):
        data = random.standard_normal((batch, *recipe.shape), dtype=np.float32) * np.float32(spread)
        made.append((torch.from_numpy(data), torch.from_numpy(random.integers(0, recipe.classes, batch))))
    return made
