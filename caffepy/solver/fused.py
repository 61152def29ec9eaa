"""Whole updates in one pass over the memory, where torch has a kernel that computes Caffe's rule.

torch's optimizer classes are not used: building one imports for two seconds. Their kernels are called directly.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np
import torch
from torch import Tensor

from caffepy.solver.rules import Constants, adam_rate

Fused = Callable[[list[Tensor], list[Tensor], Sequence[list[Tensor]], float, float, Constants], bool]
"""(params, diffs, history, rate, weight decay, constants) → whether it was done. Updates params and history in place."""

NO_STEPS = 1e9
"""A step count at which torch's own bias corrections are 1."""


def fused_sgd(params: list[Tensor], diffs: list[Tensor], history: Sequence[list[Tensor]], rate: float, decay: float, c: Constants) -> bool:
    """Caffe's SGD bit by bit: with lr 1 and dampening 1 - rate, torch's momentum buffer is Caffe's V."""
    if c.momentum == 0 or float(np.float32(1 - (1 - rate))) != rate:
        return False
    torch._fused_sgd_(
        params,
        diffs,
        history[0],
        weight_decay=decay,
        momentum=c.momentum,
        lr=1.0,
        dampening=1 - rate,
        nesterov=False,
        maximize=False,
        is_first_step=False,
    )
    return True


def fused_adam(params: list[Tensor], diffs: list[Tensor], history: Sequence[list[Tensor]], rate: float, decay: float, c: Constants) -> bool:
    """Caffe's Adam to rounding: its correction is in the rate, torch's is made 1."""
    if not (c.momentum < 1 and 0 <= c.momentum2 < 1):
        return False
    steps = [_no_steps(params[0].device)] * len(params)
    torch._fused_adam_(
        params,
        diffs,
        history[0],
        history[1],
        [],
        steps,
        lr=adam_rate(rate, c),
        beta1=c.momentum,
        beta2=c.momentum2,
        weight_decay=decay,
        eps=c.delta,
        amsgrad=False,
        maximize=False,
    )
    return True


FUSED: dict[str, Fused] = {"SGD": fused_sgd, "Adam": fused_adam}


@lru_cache
def fused_for(rule: str, device: torch.device) -> Fused | None:
    """The kernel for a solver type on ``device``, tried once on two numbers; None where there is none."""
    fused = FUSED.get(rule)
    if fused is None:
        return None
    params, diffs, first, second = ([torch.ones(2, device=device)] for _ in range(4))
    try:
        with torch.no_grad():
            fused(params, diffs, [first, second], 0.5, 0.0, Constants(momentum=0.5))
    except (AttributeError, NotImplementedError, RuntimeError):  # a torch or a device without this kernel
        return None
    return fused


@lru_cache
def _no_steps(device: torch.device) -> Tensor:
    return torch.tensor(NO_STEPS, device=device)


def same_layout(diff: Tensor, param: Tensor) -> Tensor:
    """``diff`` with the memory order of ``param``: the CPU kernels walk over memory and do not look at strides."""
    if diff.stride() == param.stride():
        return diff
    pairs = zip(diff.shape, diff.stride(), param.stride())
    if all(length == 1 or ours == theirs for length, ours, theirs in pairs):
        return diff
    return torch.empty_like(param).copy_(diff)
