"""Momentum and weight decay that change during a training, as in NVIDIA's Caffe 0.17."""

from __future__ import annotations

import numpy as np

from caffepy.errors import SolverError, nearest
from caffepy.float32 import round32
from caffepy.proto.caffe_pb2 import SolverParameter

MOMENTUM_POLICIES = ("fixed", "poly", "opt")
WEIGHT_DECAY_POLICIES = ("fixed", "poly")
RULES = ("SGD", "Nesterov")
"""The rules whose momentum a policy changes; others use the number as it is."""


def check_schedules(param: SolverParameter, *, file: str = "solver") -> None:
    """Errors: SolverError if a policy is unknown or lacks what it needs."""
    for name, known in (
        ("momentum_policy", MOMENTUM_POLICIES),
        ("weight_decay_policy", WEIGHT_DECAY_POLICIES),
    ):
        policy = getattr(param, name)
        if policy not in known:
            raise SolverError(
                f"{file}: Unknown {name}: {policy}{nearest(policy, known)}; "
                f"needed: {', '.join(known)}"
            )
        if policy == "poly" and param.max_iter < 1:
            raise SolverError(f"{file}: {name} 'poly' needs max_iter; found: {param.max_iter}")
    if param.momentum_policy != "fixed" and param.type not in RULES:
        raise SolverError(
            f"{file}: momentum_policy '{param.momentum_policy}' changes nothing of {param.type}; "
            f"needed: {' or '.join(RULES)}"
        )


def momentum(param: SolverParameter, iteration: int, rate: float) -> float:
    """The momentum of ``iteration``, whose learning rate is ``rate``.

    ``poly``: momentum + (max_momentum - momentum) * (iter / max_iter) ^ momentum_power
    ``opt``: (1 - 0.5 * sqrt(rate)) ^ 2, at most max_momentum if that is given
    """
    base = float(param.momentum)
    if param.momentum_policy == "poly":
        rise = np.float32(param.max_momentum - base)
        return round32(np.float32(base) + rise * _done(param, iteration, param.momentum_power))
    if param.momentum_policy == "opt":
        best = round32((1 - 0.5 * float(np.sqrt(np.float32(rate)))) ** 2)
        return min(best, float(param.max_momentum)) if param.HasField("max_momentum") else best
    return base


def weight_decay(param: SolverParameter, iteration: int) -> float:
    """The weight decay of ``iteration``.

    ``poly``: weight_decay * (iter / max_iter) ^ weight_decay_power;
    if max_weight_decay is given (NVIDIA's Caffe 0.17.3),
    weight_decay + (max_weight_decay - weight_decay) * (iter / max_iter) ^ weight_decay_power
    """
    if param.weight_decay_policy != "poly":
        return float(param.weight_decay)
    first = np.float32(0)
    last = np.float32(param.weight_decay)
    if param.HasField("max_weight_decay"):
        first = last
        last = np.float32(param.max_weight_decay)
    return round32(first + (last - first) * _done(param, iteration, param.weight_decay_power))


def _done(param: SolverParameter, iteration: int, power: float) -> np.float32:
    """(iter / max_iter) ^ power"""
    done = np.float32(iteration) / np.float32(param.max_iter)
    return np.float32(np.power(done, np.float32(power)))
