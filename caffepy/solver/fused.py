"""Whole updates in one pass over the memory, where torch has a kernel that computes Caffe's rule.

torch's optimizer classes are not used: building one imports for two seconds. Their kernels are called directly.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import torch
from torch import Tensor

from caffepy.solver.rules import Constants, adam_rate

Fused = Callable[[list[Tensor], list[Tensor], Sequence[list[Tensor]], "Step"], bool]
"""(params, diffs, history, what to do) → whether it was done. Updates params and history in place; may overwrite diffs."""


@dataclass(frozen=True)
class Step:
    """One update: learning rate, weight decay, and what the gradients are multiplied by first."""

    rate: float
    decay: float
    constants: Constants
    scale: float = 1.0

    def grad_scale(self, device: torch.device, factor: float = 1.0) -> Tensor | None:
        """What torch's kernels divide gradients by, so as to multiply them by ``scale`` and ``factor``."""
        product = self.scale * factor
        return None if product == 1 else torch.full((), 1 / product, device=device)  # a GPU is not waited for


NO_STEPS = 1e9
"""A step count at which torch's own bias corrections are 1."""
SMALLEST = 1e-30
"""A factor whose reciprocal is a float32."""


def fused_sgd(params: list[Tensor], diffs: list[Tensor], history: Sequence[list[Tensor]], step: Step) -> bool:
    """Caffe's SGD bit by bit: with lr 1 and dampening 1 - rate, torch's momentum buffer is Caffe's V."""
    if step.constants.momentum == 0 or float(np.float32(1 - (1 - step.rate))) != step.rate:
        return False
    torch._fused_sgd_(
        params,
        diffs,
        history[0],
        weight_decay=step.decay,
        momentum=step.constants.momentum,
        lr=1.0,
        dampening=1 - step.rate,
        nesterov=False,
        maximize=False,
        is_first_step=False,
        grad_scale=step.grad_scale(params[0].device),
    )
    return True


def fused_adam(params: list[Tensor], diffs: list[Tensor], history: Sequence[list[Tensor]], step: Step) -> bool:
    """Caffe's Adam to rounding: its correction is in the rate, torch's is made 1."""
    c = step.constants
    if not (c.momentum < 1 and 0 <= c.momentum2 < 1):
        return False
    _adam(params, diffs, history, step, (c.momentum, c.momentum2), adam_rate(step.rate, c))
    return True


def _adam(
    params: list[Tensor], diffs: list[Tensor], history: Sequence[list[Tensor]], step: Step, keeps: tuple[float, float], rate: float
) -> None:
    """torch's Adam without its bias corrections. ``keeps``: how much of the first and second average stays."""
    torch._fused_adam_(
        params,
        diffs,
        history[0],
        history[1],
        [],
        [_no_steps(params[0].device)] * len(params),
        lr=rate,
        beta1=keeps[0],
        beta2=keeps[1],
        weight_decay=step.decay,
        eps=step.constants.delta,
        amsgrad=False,
        maximize=False,
        grad_scale=step.grad_scale(params[0].device),
    )


def fused_nesterov(params: list[Tensor], diffs: list[Tensor], history: Sequence[list[Tensor]], step: Step) -> bool:
    """Caffe's Nesterov to rounding, as its update is rate * g + momentum * V': torch's with gradients that are divided by 1 / rate."""
    if step.constants.momentum == 0 or not abs(step.rate * step.scale) > SMALLEST:
        return False
    torch._fused_sgd_(
        params,
        diffs,
        history[0],
        weight_decay=step.rate * step.decay,
        momentum=step.constants.momentum,
        lr=1.0,
        dampening=0.0,
        nesterov=True,
        maximize=False,
        is_first_step=False,
        grad_scale=step.grad_scale(params[0].device, step.rate),
    )
    return True


def fused_adagrad(params: list[Tensor], diffs: list[Tensor], history: Sequence[list[Tensor]], step: Step) -> bool:
    """Caffe's AdaGrad is torch's."""
    torch._fused_adagrad_(
        params,
        diffs,
        history[0],
        [_no_steps(params[0].device)] * len(params),
        lr=step.rate,
        lr_decay=0.0,
        weight_decay=step.decay,
        eps=step.constants.delta,
        maximize=False,
        grad_scale=step.grad_scale(params[0].device),
    )
    return True


def fused_rmsprop(params: list[Tensor], diffs: list[Tensor], history: Sequence[list[Tensor]], step: Step) -> bool:
    """Caffe's RMSProp to rounding: Adam with a first average that is the gradient itself."""
    _adam(params, diffs, [diffs, history[0]], step, (0.0, step.constants.rms_decay), step.rate)
    return True


FUSED: dict[str, Fused] = {
    "SGD": fused_sgd,
    "Nesterov": fused_nesterov,
    "AdaGrad": fused_adagrad,
    "RMSProp": fused_rmsprop,
    "Adam": fused_adam,
}


@lru_cache
def fused_for(rule: str, device: torch.device) -> Fused | None:
    """The kernel for a solver type on ``device``, tried once on two numbers; None where there is none."""
    fused = FUSED.get(rule)
    if fused is None:
        return None
    params, diffs, first, second = ([torch.ones(2, device=device)] for _ in range(4))
    try:
        with torch.no_grad():
            fused(params, diffs, [first, second], Step(0.5, 0.0, Constants(momentum=0.5), scale=0.5))
    except (AttributeError, NotImplementedError, RuntimeError):  # a torch or a device without this kernel
        return None
    return fused


@lru_cache
def _no_steps(device: torch.device) -> Tensor:
    return torch.tensor(NO_STEPS, device=device)
