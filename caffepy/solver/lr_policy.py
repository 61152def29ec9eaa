"""Learning rate policies: one short function each, and one dict.

A policy gets the caffe.SolverParameter, the iteration and the current step, and gives the rate and the step from then on.
The step is part of a solver state; only ``step`` and ``multistep`` move it. Arithmetic is float32, as in Caffe, so that
logged rates are the same to the last digit.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from caffepy import log
from caffepy.errors import SolverError, nearest

Policy = Callable[[Any, int, int], tuple[float, int]]
POLICIES: dict[str, Policy] = {}


def register_policy(name: str) -> Callable[[Policy], Policy]:
    """Decorator: the function computes rates of this ``lr_policy``."""

    def register(policy: Policy) -> Policy:
        if name in POLICIES:
            raise ValueError(f"learning rate policy {name} is registered twice")
        POLICIES[name] = policy
        return policy

    return register


def check_policy(param: Any, *, file: str = "solver") -> None:
    """SolverError if ``param.lr_policy`` is unknown or lacks a field that it needs."""
    name = param.lr_policy
    if name not in POLICIES:
        found = f"Unknown learning rate policy: {name}{nearest(name, POLICIES)}" if name else "lr_policy is not given"
        raise SolverError(f"{file}: {found}; needed: one of {', '.join(POLICIES)}")
    if name == "step" and param.stepsize < 1:
        raise SolverError(f"{file}: stepsize is {param.stepsize}; lr_policy 'step' needs 1 or more iterations")


def learning_rate(param: Any, iteration: int, step: int) -> tuple[float, int]:
    """Rate for the update of ``iteration`` and the current step after it, by the policy of ``param`` (a SolverParameter)."""
    return POLICIES[param.lr_policy](param, iteration, step)


def round32(value: float) -> float:
    """``value`` rounded to float32."""
    return float(np.float32(value))


def _power(base: float, exponent: float) -> float:
    with np.errstate(all="ignore"):  # poly beyond max_iter is NaN, as in Caffe
        return float(np.float32(np.power(np.float64(base), np.float64(exponent))))


@register_policy("fixed")
def fixed(param: Any, iteration: int, step: int) -> tuple[float, int]:
    """base_lr"""
    return param.base_lr, step


@register_policy("step")
def step_policy(param: Any, iteration: int, step: int) -> tuple[float, int]:
    """base_lr * gamma ^ floor(iter / stepsize)"""
    step = iteration // param.stepsize
    return round32(param.base_lr * param.gamma**step), step


@register_policy("exp")
def exp(param: Any, iteration: int, step: int) -> tuple[float, int]:
    """base_lr * gamma ^ iter"""
    return round32(param.base_lr * np.power(np.float64(param.gamma), iteration)), step


@register_policy("inv")
def inv(param: Any, iteration: int, step: int) -> tuple[float, int]:
    """base_lr * (1 + gamma * iter) ^ -power"""
    return round32(param.base_lr * _power(round32(1 + param.gamma * iteration), -param.power)), step


@register_policy("multistep")
def multistep(param: Any, iteration: int, step: int) -> tuple[float, int]:
    """base_lr * gamma ^ step; a step is taken when iter reaches the next stepvalue, at most one at a time"""
    if step < len(param.stepvalue) and iteration >= param.stepvalue[step]:
        step += 1
        log.info("sgd_solver.cpp:50", f"MultiStep Status: Iteration {iteration}, step = {step}")
    return round32(param.base_lr * param.gamma**step), step


@register_policy("poly")
def poly(param: Any, iteration: int, step: int) -> tuple[float, int]:
    """base_lr * (1 - iter / max_iter) ^ power"""
    done = np.float32(iteration) / np.float32(param.max_iter) if param.max_iter else np.float32("nan")
    return round32(param.base_lr * _power(float(np.float32(1) - done), param.power)), step


@register_policy("sigmoid")
def sigmoid(param: Any, iteration: int, step: int) -> tuple[float, int]:
    """base_lr / (1 + exp(-gamma * (iter - stepsize)))"""
    with np.errstate(over="ignore"):
        fall = np.float32(np.exp(np.float64(-np.float32(param.gamma) * np.float32(iteration - param.stepsize))))
    return round32(param.base_lr * float(np.float32(1) / (np.float32(1) + fall))), step
