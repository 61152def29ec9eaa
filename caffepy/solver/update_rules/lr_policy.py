"""Learning rate policies: one short function each.

A policy gets the solver's definition, the iteration, its state, and a function that returns the
smoothed loss, which only ``plateau`` calls. Arithmetic is float32, as in Caffe, so that logged
rates are the same to the last digit.
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
    """What policies remember from one iteration to the next; a part of solver states.

    ``step``: how many steps were taken.
    ``minimum_loss``: for ``plateau``, the lowest loss.
    ``last_event``: for ``plateau``, the iteration of the last lower loss or step.
    ``silent``: nothing is logged.
    """

    step: int = 0
    minimum_loss: float = float(np.finfo(np.float32).max)
    last_event: int = 0
    silent: bool = False

    def log(self, where: str, line: str) -> None:
        """Log a line, unless ``silent``."""
        if not self.silent:
            log.info(where, line)

    def ahead(self) -> PolicyState:
        """A silent copy, to compute a rate before it is due."""
        return replace(self, silent=True)


Loss = Callable[[], float]
Policy = Callable[[SolverParameter, int, PolicyState, Loss], float]
POLICIES: Registry[Policy] = Registry("learning rate policy")
WITH_GAMMA = ("step", "exp", "inv", "multistep", "plateau")
"""Policies whose rates would be negative or NaN with a gamma below 0.

A sigmoid falls only with such a gamma. Caffe 1.0 takes it, and the later master branch refuses it.
"""


def register_policy(name: str) -> Callable[[Policy], Policy]:
    """Decorator: the function computes rates of this ``lr_policy``."""
    return POLICIES.named(name)


def check_policy(param: SolverParameter, *, file: str = "solver") -> None:
    """Errors: SolverError if ``lr_policy`` is unknown or lacks a field that it needs."""
    name = param.lr_policy
    if name not in POLICIES:
        problem = "lr_policy is not given"
        if name:
            problem = f"Unknown learning rate policy: {name}{nearest(name, POLICIES)}"
        raise SolverError(f"{file}: {problem}; needed: one of {', '.join(POLICIES)}")
    if name in ("step", "sigmoid") and param.stepsize < 1:
        raise SolverError(
            f"{file}: stepsize is {param.stepsize}; lr_policy '{name}' needs 1 or more iterations"
        )
    if name in WITH_GAMMA and param.gamma < 0:
        raise SolverError(f"{file}: gamma is {param.gamma:g}; lr_policy '{name}' needs 0 or more")
    if name == "multifixed" and (len(param.stagelr) != len(param.stageiter) or not param.stagelr):
        raise SolverError(
            f"{file}: lr_policy 'multifixed' needs as many stagelr as stageiter, and at least one; "
            f"found: stagelr {len(param.stagelr)} time(s), stageiter {len(param.stageiter)}"
        )
    if param.min_lr < 0 or (name == "poly" and param.min_lr > param.base_lr):
        raise SolverError(
            f"{file}: min_lr is {param.min_lr:g}; "
            "needed: 0 or more, and with lr_policy 'poly' at most base_lr"
        )


def learning_rate(param: SolverParameter, iteration: int, state: PolicyState, loss: Loss) -> float:
    """The rate of ``iteration``, by the policy, or by the warm-up that forks have before it."""
    # as in Caffe, a rate beyond float32 is infinite, and that of poly beyond max_iter NaN
    with np.errstate(all="ignore"):
        if iteration < param.rampup_interval:
            rate = _ramp_up(param, iteration)
        elif iteration < param.warmup_iter:
            rate = warm_up(param, iteration)
        else:
            rate = POLICIES[param.lr_policy](param, iteration, state, loss)
    return max(rate, param.min_lr) if param.min_lr else rate


def _ramp_up(param: SolverParameter, iteration: int) -> float:
    """rampup_lr + (base_lr - rampup_lr) * (iter / rampup_interval)^2.

    Source: NVIDIA's Caffe 0.17.
    """
    base = np.float32(param.base_lr)
    first = np.float32(param.rampup_lr)
    done = np.float32(iteration) / np.float32(param.rampup_interval)
    return float(first + (base - first) * done * done)


def warm_up(param: SolverParameter, iteration: int) -> float:
    """From warmup_start_lr to base_lr in a straight line.  Source: Intel's Caffe."""
    base = np.float32(param.base_lr)
    first = np.float32(param.warmup_start_lr)
    length = np.float32(param.warmup_iter)
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
    """base_lr * gamma ^ step

    A step is taken when iter reaches the next stepvalue, at most one in an iteration.
    """
    if state.step < len(param.stepvalue) and iteration >= param.stepvalue[state.step]:
        state.step += 1
        state.log(
            "sgd_solver.cpp:50", f"MultiStep Status: Iteration {iteration}, step = {state.step}"
        )
    return _stepped(param, state)


@register_policy("poly")
def poly(param: SolverParameter, iteration: int, state: PolicyState, loss: Loss) -> float:
    """min_lr + (base_lr - min_lr) * (1 - iter / max_iter) ^ power; min_lr is 0 in BVLC Caffe"""
    done = np.float32("nan")
    if param.max_iter:
        done = np.float32(iteration) / np.float32(param.max_iter)
    fall = _power(float(np.float32(1) - done), param.power)
    if not param.min_lr:
        return round32(param.base_lr * fall)
    least = np.float32(param.min_lr)
    return float((np.float32(param.base_lr) - least) * np.float32(fall) + least)


@register_policy("sigmoid")
def sigmoid(param: SolverParameter, iteration: int, state: PolicyState, loss: Loss) -> float:
    """base_lr / (1 + exp(-gamma * (iter - stepsize)))"""
    exponent = -np.float32(param.gamma) * np.float32(iteration - param.stepsize)
    fall = np.float32(np.exp(np.float64(exponent)))
    return round32(param.base_lr * float(np.float32(1) / (np.float32(1) + fall)))


@register_policy("plateau")
def plateau(param: SolverParameter, iteration: int, state: PolicyState, loss: Loss) -> float:
    """base_lr * gamma ^ step

    A step is taken when there was neither a lower loss nor a step for the next plateau_winsize
    iterations. Source: the SSD branch of Caffe.
    """
    now = loss()
    status = f"Plateau Status: Iteration {iteration}"
    if now < state.minimum_loss:
        state.minimum_loss = now
        state.last_event = iteration
    windows = param.plateau_winsize
    if state.step < len(windows) and iteration >= state.last_event + windows[state.step]:
        state.step += 1
        state.last_event = iteration
        state.log("sgd_solver.cpp:76", f"{status}, step = {state.step}")
    shown = param.display and iteration % param.display == 0
    if shown and state.last_event > iteration - param.display:
        minimum = log.number(state.minimum_loss)
        state.log("sgd_solver.cpp:83", f"{status}, current minimum_loss = {minimum}")
    return _stepped(param, state)


@register_policy("multifixed")
def multifixed(param: SolverParameter, iteration: int, state: PolicyState, loss: Loss) -> float:
    """The stagelr of the first stage whose stageiter is not passed yet, or the last one.

    Source: Intel's Caffe.
    """
    for rate, last in zip(param.stagelr, param.stageiter):
        if iteration <= last:
            return float(rate)
    return float(param.stagelr[-1])
