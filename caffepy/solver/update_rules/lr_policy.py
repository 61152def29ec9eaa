"""Learning rate policies: one short function each, and one dict.

A policy gets the caffe.SolverParameter, the iteration, what it remembers, and a function that tells the smoothed loss, which only
``plateau`` asks for. Arithmetic is float32, as in Caffe, so that logged rates are the same to the last digit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from caffepy import log
from caffepy.errors import SolverError, nearest
from caffepy.float32 import round32
from caffepy.proto.caffe_pb2 import SolverParameter
from caffepy.registry import Registry


@dataclass
class PolicyState:
    """What policies remember from one iteration to the next, a part of solver states.

    ``step``: steps taken. ``minimum_loss``, ``last_event``: for ``plateau``, the lowest loss and the iteration that changed it or the rate.
    ``silent``: nothing is logged.
    """

    step: int = 0
    minimum_loss: float = float(np.finfo(np.float32).max)
    last_event: int = 0
    silent: bool = False

    def tell(self, where: str, line: str) -> None:
        """Log what happened, unless ``silent``."""
        if not self.silent:
            log.info(where, line)

    def ahead(self) -> PolicyState:
        """A copy that a rate can be asked of before its turn: what is remembered and logged does not change."""
        return replace(self, silent=True)


Loss = Callable[[], float]
Policy = Callable[[SolverParameter, int, PolicyState, Loss], float]
POLICIES: Registry[Policy] = Registry("learning rate policy")
WITH_GAMMA = ("step", "exp", "inv", "multistep", "plateau")
"""Whose rates a gamma below 0 makes negative or none. A sigmoid falls only with such a one; Caffe 1.0 takes it, its master refuses it."""


def register_policy(name: str) -> Callable[[Policy], Policy]:
    """Decorator: the function computes rates of this ``lr_policy``."""
    return POLICIES.named(name)


def check_policy(param: SolverParameter, *, file: str = "solver") -> None:
    """SolverError if ``param.lr_policy`` is unknown or lacks a field that it needs."""
    name = param.lr_policy
    if name not in POLICIES:
        found = (
            f"Unknown learning rate policy: {name}{nearest(name, POLICIES)}"
            if name
            else "lr_policy is not given"
        )
        raise SolverError(f"{file}: {found}; needed: one of {', '.join(POLICIES)}")
    if name in ("step", "sigmoid") and param.stepsize < 1:
        raise SolverError(
            f"{file}: stepsize is {param.stepsize}; lr_policy '{name}' needs 1 or more iterations"
        )
    if name in WITH_GAMMA and param.gamma < 0:
        raise SolverError(f"{file}: gamma is {param.gamma:g}; lr_policy '{name}' needs 0 or more")
    if name == "multifixed" and (len(param.stagelr) != len(param.stageiter) or not param.stagelr):
        found = f"stagelr {len(param.stagelr)} time(s), stageiter {len(param.stageiter)}"
        raise SolverError(
            f"{file}: lr_policy 'multifixed' needs as many stagelr as stageiter, and at least one; found: {found}"
        )
    if param.min_lr < 0 or (name == "poly" and param.min_lr > param.base_lr):
        raise SolverError(
            f"{file}: min_lr is {param.min_lr:g}; needed: 0 or more, and with lr_policy 'poly' at most base_lr"
        )


def learning_rate(param: SolverParameter, iteration: int, state: PolicyState, loss: Loss) -> float:
    """Rate for the update of ``iteration``, by the policy of ``param`` (a SolverParameter) and what comes before it in some forks."""
    with np.errstate(
        all="ignore"
    ):  # what grows beyond float32 is infinite, and poly beyond max_iter NaN, as in Caffe
        if iteration < param.rampup_interval:
            rate = _ramp_up(param, iteration)
        elif iteration < param.warmup_iter:
            rate = warm_up(param, iteration)
        else:
            rate = POLICIES[param.lr_policy](param, iteration, state, loss)
    return max(rate, param.min_lr) if param.min_lr else rate


def _ramp_up(param: SolverParameter, iteration: int) -> float:
    """rampup_lr + (base_lr - rampup_lr) * (iter / rampup_interval)^2.  Source: NVIDIA's Caffe 0.17."""
    base, first = np.float32(param.base_lr), np.float32(param.rampup_lr)
    done = np.float32(iteration) / np.float32(param.rampup_interval)
    return float(first + (base - first) * done * done)


def warm_up(param: SolverParameter, iteration: int) -> float:
    """From warmup_start_lr to base_lr in a straight line.  Source: Intel's Caffe."""
    base, first, length = (
        np.float32(param.base_lr),
        np.float32(param.warmup_start_lr),
        np.float32(param.warmup_iter),
    )
    done = np.float32(max(iteration, 0))
    return float((done * base + (length - done) * first) / length)


def _stepped(param: SolverParameter, state: PolicyState) -> float:
    return round32(param.base_lr * np.power(np.float64(param.gamma), state.step))


def _power(base: float, exponent: float) -> float:
    return round32(np.power(np.float64(base), np.float64(exponent)))


@register_policy("fixed")
def fixed(param: SolverParameter, iteration: int, state: PolicyState, loss: Loss) -> float:
    """base_lr"""
    return float(param.base_lr)


@register_policy("step")
def step_policy(param: SolverParameter, iteration: int, state: PolicyState, loss: Loss) -> float:
    """base_lr * gamma ^ floor(iter / stepsize)"""
    state.step = iteration // param.stepsize
    return _stepped(param, state)


@register_policy("exp")
def exp(param: SolverParameter, iteration: int, state: PolicyState, loss: Loss) -> float:
    """base_lr * gamma ^ iter"""
    return round32(param.base_lr * np.power(np.float64(param.gamma), iteration))


@register_policy("inv")
def inv(param: SolverParameter, iteration: int, state: PolicyState, loss: Loss) -> float:
    """base_lr * (1 + gamma * iter) ^ -power"""
    return round32(param.base_lr * _power(round32(1 + param.gamma * iteration), -param.power))


@register_policy("multistep")
def multistep(param: SolverParameter, iteration: int, state: PolicyState, loss: Loss) -> float:
    """base_lr * gamma ^ step; a step is taken when iter reaches the next stepvalue, at most one at a time"""
    if state.step < len(param.stepvalue) and iteration >= param.stepvalue[state.step]:
        state.step += 1
        state.tell(
            "sgd_solver.cpp:50", f"MultiStep Status: Iteration {iteration}, step = {state.step}"
        )
    return _stepped(param, state)


@register_policy("poly")
def poly(param: SolverParameter, iteration: int, state: PolicyState, loss: Loss) -> float:
    """min_lr + (base_lr - min_lr) * (1 - iter / max_iter) ^ power; min_lr is 0 in BVLC Caffe"""
    done = (
        np.float32(iteration) / np.float32(param.max_iter) if param.max_iter else np.float32("nan")
    )
    fall = _power(float(np.float32(1) - done), param.power)
    if not param.min_lr:
        return round32(param.base_lr * fall)
    least = np.float32(param.min_lr)
    return float((np.float32(param.base_lr) - least) * np.float32(fall) + least)


@register_policy("sigmoid")
def sigmoid(param: SolverParameter, iteration: int, state: PolicyState, loss: Loss) -> float:
    """base_lr / (1 + exp(-gamma * (iter - stepsize)))"""
    fall = np.float32(
        np.exp(np.float64(-np.float32(param.gamma) * np.float32(iteration - param.stepsize)))
    )
    return round32(param.base_lr * float(np.float32(1) / (np.float32(1) + fall)))


@register_policy("plateau")
def plateau(param: SolverParameter, iteration: int, state: PolicyState, loss: Loss) -> float:
    """base_lr * gamma ^ step; a step is taken when neither a lower loss nor a step came for the next plateau_winsize iterations.

    Source: the SSD branch of Caffe.
    """
    now = loss()
    if now < state.minimum_loss:
        state.minimum_loss, state.last_event = now, iteration
    if (
        state.step < len(param.plateau_winsize)
        and iteration >= state.last_event + param.plateau_winsize[state.step]
    ):
        state.step += 1
        state.last_event = iteration
        state.tell(
            "sgd_solver.cpp:76", f"Plateau Status: Iteration {iteration}, step = {state.step}"
        )
    if (
        param.display
        and iteration % param.display == 0
        and state.last_event > iteration - param.display
    ):
        state.tell(
            "sgd_solver.cpp:83",
            f"Plateau Status: Iteration {iteration}, current minimum_loss = {log.number(state.minimum_loss)}",
        )
    return _stepped(param, state)


@register_policy("multifixed")
def multifixed(param: SolverParameter, iteration: int, state: PolicyState, loss: Loss) -> float:
    """The stagelr of the first stage whose stageiter is not yet passed, or the last one.  Source: Intel's Caffe."""
    for rate, last in zip(param.stagelr, param.stageiter):
        if iteration <= last:
            return float(rate)
    return float(param.stagelr[-1])
