"""Updates by torch's fused kernels, in one pass over the memory, where one computes Caffe's rule.

torch's optimizer classes are not used, as importing them takes two seconds. Their kernels are
called directly.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import torch
from torch import Tensor

from caffepy.solver.update_rules.pieces import PIECE, pieces
from caffepy.solver.update_rules.rules import Constants, Number, adadelta, product

Fused = Callable[[list[Tensor], list[Tensor], Sequence[list[Tensor]], "UpdateStep"], bool]
"""(params, diffs, history, step) → whether the step was made.

Params and history are updated in place; diffs may be overwritten.
"""


@dataclass(frozen=True)
class UpdateStep:
    """One update: learning rate, weight decay, and the factor of the gradients (``scale``).

    ``overflow``: a 0-axis tensor; where it is 1, a kernel changes nothing.
    """

    rate: Number
    decay: float
    constants: Constants
    scale: Number = 1.0
    overflow: Tensor | None = None

    def grad_scale(self, device: torch.device, factor: Number = 1.0) -> Tensor | None:
        """By what torch's kernels divide, to multiply the gradients by ``scale`` and ``factor``."""
        whole = product(self.scale, factor)
        if isinstance(whole, Tensor):
            return whole.reciprocal()
        return (
            None if whole == 1 else torch.full((), 1 / whole, device=device)
        )  # a GPU is not waited for

    def decayed(self, params: list[Tensor], diffs: list[Tensor]) -> UpdateStep:
        """Scale the gradients and add the decay; returns the rest of the step."""
        if self.decay == 0:
            return self
        _scale_and_decay(params, diffs, self)
        return replace(self, decay=0.0, scale=1.0)


NO_STEPS = 1e9
"""A step count at which torch's own bias corrections are 1."""
SMALL = 1 << 14
"""Tensors of fewer numbers are updated together."""
SMALLEST = 1e-30
"""The reciprocal of a larger factor is a finite float32."""


def is_one(number: Number) -> bool:
    """Whether multiplying by it can be left out."""
    return not isinstance(number, Tensor) and number == 1


def can_divide_by(number: Number) -> bool:
    """Whether a kernel can divide by the reciprocal of ``number``.

    A tensor's reciprocal may be infinite: gradients divided by that are 0, which is right.
    """
    return isinstance(number, Tensor) or abs(number) > SMALLEST


def fused_sgd(
    params: list[Tensor], diffs: list[Tensor], history: Sequence[list[Tensor]], step: UpdateStep
) -> bool:
    """Caffe's SGD: with lr 1 and dampening 1 - rate, torch's momentum buffer is Caffe's V.

    The result is Caffe's bit by bit; to rounding if the rate is a tensor.
    """
    if step.constants.momentum == 0:
        return False
    if isinstance(step.rate, Tensor):
        return _sgd_by_scale(params, diffs, history, step, nesterov=False)
    if float(np.float32(1 - (1 - step.rate))) != step.rate:
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
        found_inf=step.overflow,
    )
    return True


def fused_nesterov(
    params: list[Tensor], diffs: list[Tensor], history: Sequence[list[Tensor]], step: UpdateStep
) -> bool:
    """Caffe's Nesterov to rounding, as its update is rate * g + momentum * V'."""
    if step.constants.momentum == 0 or not can_divide_by(product(step.rate, step.scale)):
        return False
    return _sgd_by_scale(params, diffs, history, step, nesterov=True)


def _sgd_by_scale(
    params: list[Tensor],
    diffs: list[Tensor],
    history: Sequence[list[Tensor]],
    step: UpdateStep,
    *,
    nesterov: bool,
) -> bool:
    """torch's SGD with lr 1 and gradients that are divided by 1 / rate."""
    decay = 0.0
    if isinstance(step.rate, Tensor):  # the kernel's decay cannot be a tensor
        step = step.decayed(params, diffs)
    else:
        decay = step.rate * step.decay
    torch._fused_sgd_(
        params,
        diffs,
        history[0],
        weight_decay=decay,
        momentum=step.constants.momentum,
        lr=1.0,
        dampening=0.0,
        nesterov=nesterov,
        maximize=False,
        is_first_step=False,
        grad_scale=step.grad_scale(params[0].device, step.rate),
        found_inf=step.overflow,
    )
    return True


def fused_adam(
    params: list[Tensor], diffs: list[Tensor], history: Sequence[list[Tensor]], step: UpdateStep
) -> bool:
    """Caffe's Adam to rounding: its correction is in the rate, torch's is made 1."""
    c = step.constants
    if not (c.momentum < 1 and 0 <= c.momentum2 < 1):
        return False
    _adam(params, diffs, history, step, (c.momentum, c.momentum2), product(step.rate, c.correction))
    return True


def _adam(
    params: list[Tensor],
    diffs: list[Tensor],
    history: Sequence[list[Tensor]],
    step: UpdateStep,
    keeps: tuple[float, float],
    rate: Number,
) -> None:
    """torch's Adam without its bias corrections.

    ``keeps``: by what the first and the second average are multiplied before each addition.
    """
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
        found_inf=step.overflow,
    )


def fused_adagrad(
    params: list[Tensor], diffs: list[Tensor], history: Sequence[list[Tensor]], step: UpdateStep
) -> bool:
    """Caffe's AdaGrad, which is torch's."""
    if isinstance(step.rate, Tensor) and not takes_tensors("AdaGrad"):
        return False
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
        found_inf=step.overflow,
    )
    return True


def fused_rmsprop(
    params: list[Tensor], diffs: list[Tensor], history: Sequence[list[Tensor]], step: UpdateStep
) -> bool:
    """Caffe's RMSProp to rounding: torch's Adam, with the gradient itself as first average."""
    _adam(params, diffs, [diffs, history[0]], step, (0.0, step.constants.rms_decay), step.rate)
    return True


def fused_adadelta(
    params: list[Tensor], diffs: list[Tensor], history: Sequence[list[Tensor]], step: UpdateStep
) -> bool:
    """Caffe's AdaDelta to rounding, on a CPU: no kernel, but no new memory for any step of it.

    NotImplementedError on a GPU, where few calls count and not the cache.
    """
    if params[0].device.type != "cpu":
        raise NotImplementedError
    if isinstance(step.rate, Tensor) or step.overflow is not None:
        return False
    memory = torch.empty(3, min(PIECE, max(param.numel() for param in params)))
    for some in pieces(params, diffs, *history):
        small = [row for row in zip(*some) if row[0].numel() < SMALL]
        for param, diff, h, s in zip(*some):
            if param.numel() >= SMALL:
                _adadelta(param, diff, h, s, step, memory[:, : param.numel()])
        if small:
            those, their_diffs, *their_history = (list(column) for column in zip(*small))
            _scale_and_decay(those, their_diffs, step)
            adadelta(their_diffs, their_history, step.rate, step.constants)
            torch._foreach_sub_(those, their_diffs)
    return True


def _adadelta(
    param: Tensor, diff: Tensor, h: Tensor, s: Tensor, step: UpdateStep, memory: Tensor
) -> None:
    """The rule of `adadelta` on a piece of one tensor; ``memory`` has room for three of it."""
    c = step.constants
    assert not isinstance(step.rate, Tensor)
    update, below, decayed = memory
    if not is_one(step.scale):
        diff.mul_(step.scale)
    if step.decay:  # the gradient is not written back
        diff = torch.add(diff, param, alpha=step.decay, out=decayed)
    h.mul_(c.momentum).addcmul_(diff, diff, value=1 - c.momentum)
    torch.add(h, c.delta, out=update)
    torch.add(s, c.delta, out=below)
    update.div_(below).pow_(-0.5).mul_(diff)
    s.mul_(c.momentum).addcmul_(update, update, value=1 - c.momentum)
    param.add_(update, alpha=-step.rate)


def _scale_and_decay(params: list[Tensor], diffs: list[Tensor], step: UpdateStep) -> None:
    if not is_one(step.scale):
        torch._foreach_mul_(diffs, step.scale)
    if step.decay:
        torch._foreach_add_(diffs, params, alpha=step.decay)


def add_signs(
    diffs: list[Tensor], params: list[Tensor], decay: float, room: Tensor
) -> list[Tensor]:
    """diffs + decay * sign(params), in ``room`` for as many numbers."""
    sums = list(room[: sum(diff.numel() for diff in diffs)].split([d.numel() for d in diffs]))
    for diff, param, out in zip(diffs, params, sums):
        torch.add(diff, torch.sign(param, out=out), alpha=decay, out=out)
    return sums


FUSED: dict[str, Fused] = {
    "SGD": fused_sgd,
    "Nesterov": fused_nesterov,
    "AdaGrad": fused_adagrad,
    "RMSProp": fused_rmsprop,
    "Adam": fused_adam,
    "AdaDelta": fused_adadelta,
}


def takes_tensors(rule: str) -> bool:
    """Whether the kernel for a solver type takes a tensor as rate.

    AdaGrad's in older versions of torch does not.
    """
    if rule == "AdaDelta":
        return False
    return rule != "AdaGrad" or "tensor_lr" in torch.ops.aten._fused_adagrad_.overloads()


@lru_cache
def fused_for(rule: str, device: torch.device) -> Fused | None:
    """The kernel for a solver type on ``device``, or None.  It is tried once, on two numbers."""
    fused = FUSED.get(rule)
    if fused is None:
        return None
    params, diffs, first, second = ([torch.ones(2, device=device)] for _ in range(4))
    try:
        with torch.no_grad():
            fused(
                params,
                diffs,
                [first, second],
                UpdateStep(0.5, 0.0, Constants(momentum=0.5), scale=0.5),
            )
    except (
        AttributeError,
        NotImplementedError,
        RuntimeError,
    ):  # a torch or a device without this kernel
        return None
    return fused


@lru_cache
def _no_steps(device: torch.device) -> Tensor:
    return torch.tensor(NO_STEPS, device=device)
