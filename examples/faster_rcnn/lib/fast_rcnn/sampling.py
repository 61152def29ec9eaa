"""Random numbers for the layers that sample."""

from __future__ import annotations

import caffe
import numpy as np

from fast_rcnn.config import cfg


def generator() -> np.random.Generator:
    """A generator by RNG_SEED, of its own on each rank."""
    return np.random.default_rng([cfg.RNG_SEED, caffe.solver_rank()])
