"""Update rules, in order of complexity.

A rule turns gradients into what is subtracted from the parameters. It is called with the parameters
of one learning rate at a time:

``diffs``: their gradients, which the rule overwrites by the updates, as Caffe does.
``history``: ``slots`` lists of tensors beside them, in the order and units of a .solverstate.
``rate``: base learning rate * lr_mult; in a recording a 0-axis tensor, which each replay reads.
All other tensors are float32 and shaped like their parameter.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import torch
from torch import Tensor

from caffepy.errors import SolverError, nearest
from caffepy.float32 import product32, round32
from caffepy.proto.caffe_pb2 import SolverParameter
from caffepy.registry import Registry

Number: TypeAlias = float | Tensor


@dataclass(frozen=True)
class Constants:
    """The fields of SolverParameter that rules use.

    ``correction``: the factor of Adam's rate in this update, see `adam_correction`.
    """

    momentum: float = 0.0
    momentum2: float = 0.999
    delta: float = 1e-8
    rms_decay: float = 0.99
    correction: Number = 1.0


Update = Callable[[list[Tensor], Sequence[list[Tensor]], Number, Constants], None]


@dataclass(frozen=True)
class Rule:
    """A solver type.  ``slots``: how many history tensors it has for each parameter.

    ``rate_in_history``: the history holds sums of rate * g. Otherwise the update is proportional to
    the rate.
    """

    name: str
    slots: int
    update: Update
    refuses_momentum: bool = False
    rate_in_history: bool = False


RULES: Registry[Rule] = Registry("solver type")


def register_rule(
    name: str, *, slots: int = 1, refuses_momentum: bool = False, rate_in_history: bool = False
) -> Callable[[Update], Update]:
    """Decorator: the function is the update of this solver ``type``."""

    def register(update: Update) -> Update:
        RULES.add(name, Rule(name, slots, update, refuses_momentum, rate_in_history))
        return update

    return register


def rule_for(param: SolverParameter, *, file: str = "solver") -> Rule:
    """The rule of the solver's ``type``.

    Errors: SolverError if there is no such type, or a field does not go with it.
    """
    name = param.type
    if name not in RULES:
        raise SolverError(
            f"{file}: Unknown solver type: {name} "
            f"(known types: {', '.join(sorted(RULES))}){nearest(name, RULES)}"
        )
    rule = RULES[name]
    if rule.refuses_momentum and param.momentum != 0:
        raise SolverError(
            f"{file}: momentum is {param.momentum:g}; "
            f"Momentum cannot be used with {name}. Needed: 0 or no momentum"
        )
    if name == "RMSProp" and not 0 <= param.rms_decay < 1:
        raise SolverError(
            f"{file}: rms_decay is {param.rms_decay:g}; rms_decay should lie between 0 and 1."
        )
    return rule


@register_rule("SGD", rate_in_history=True)
def sgd(diffs: list[Tensor], history: Sequence[list[Tensor]], rate: Number, c: Constants) -> None:
    """V = momentum * V + rate * g;  update = V.

    History: V. Other than torch's momentum buffer it includes the learning rate.
    """
    (v,) = history
    torch._foreach_mul_(v, c.momentum)
    _add_multiple(v, diffs, rate)
    torch._foreach_copy_(diffs, v)


@register_rule("Nesterov", rate_in_history=True)
def nesterov(
    diffs: list[Tensor], history: Sequence[list[Tensor]], rate: Number, c: Constants
) -> None:
    """V' = momentum * V + rate * g;  update = (1 + momentum) * V' - momentum * V.  History: V."""
    (v,) = history
    back = torch._foreach_mul(v, c.momentum)
    torch._foreach_copy_(v, back)
    _add_multiple(v, diffs, rate)
    torch._foreach_copy_(diffs, v)
    torch._foreach_mul_(diffs, round32(1 + c.momentum))
    torch._foreach_sub_(diffs, back)


@register_rule("AdaGrad", refuses_momentum=True)
def adagrad(
    diffs: list[Tensor], history: Sequence[list[Tensor]], rate: Number, c: Constants
) -> None:
    """h = h + g^2;  update = rate * g / (sqrt(h) + delta).  History: h."""
    (h,) = history
    torch._foreach_addcmul_(h, diffs, diffs)
    _divide_by_root(diffs, h, rate, c.delta)


@register_rule("RMSProp", refuses_momentum=True)
def rmsprop(
    diffs: list[Tensor], history: Sequence[list[Tensor]], rate: Number, c: Constants
) -> None:
    """h = rms_decay * h + (1 - rms_decay) * g^2;  update = rate * g / (sqrt(h) + delta).

    History: h.
    """
    (h,) = history
    _average_squares(h, diffs, c.rms_decay)
    _divide_by_root(diffs, h, rate, c.delta)


@register_rule("AdaDelta", slots=2)
def adadelta(
    diffs: list[Tensor], history: Sequence[list[Tensor]], rate: Number, c: Constants
) -> None:
    """h = momentum * h + (1 - momentum) * g^2;  u = g * sqrt((delta + s) / (delta + h));
    s = momentum * s + (1 - momentum) * u^2;  update = rate * u.

    History: h of all parameters, then s.
    """
    h, s = history
    _average_squares(h, diffs, c.momentum)
    ratio = torch._foreach_add(h, c.delta)
    torch._foreach_div_(ratio, torch._foreach_add(s, c.delta))
    torch._foreach_pow_(ratio, -0.5)  # torch has a faster kernel for this than for the square root
    torch._foreach_mul_(diffs, ratio)
    _average_squares(s, diffs, c.momentum)
    torch._foreach_mul_(diffs, rate)


@register_rule("Adam", slots=2)
def adam(diffs: list[Tensor], history: Sequence[list[Tensor]], rate: Number, c: Constants) -> None:
    """m = momentum * m + (1 - momentum) * g;  v = momentum2 * v + (1 - momentum2) * g^2;
    update = rate * correction * m / (sqrt(v) + delta).

    History: m of all parameters, then v.
    """
    m, v = history
    torch._foreach_mul_(m, c.momentum)
    torch._foreach_add_(m, diffs, alpha=1 - c.momentum)
    _average_squares(v, diffs, c.momentum2)
    torch._foreach_copy_(diffs, m)
    _divide_by_root(diffs, v, product(rate, c.correction), c.delta)


def adam_correction(c: Constants, iteration: int) -> float:
    """sqrt(1 - momentum2^t) / (1 - momentum^t), t = iteration + 1.

    Computed in float64 and then rounded to float32, as in Caffe.
    """
    t = np.float64(iteration + 1)
    with np.errstate(all="ignore"):
        second = np.sqrt(1 - np.power(np.float64(c.momentum2), t))
        first = 1 - np.power(np.float64(c.momentum), t)
        return round32(second / first)


def product(one: Number, other: Number) -> Number:
    """The product in float32."""
    if isinstance(one, Tensor) or isinstance(other, Tensor):
        return one * other
    return product32(one, other)


def _add_multiple(v: list[Tensor], diffs: list[Tensor], rate: Number) -> None:
    """Add rate * diffs to v; may overwrite diffs."""
    if isinstance(rate, Tensor):
        torch._foreach_mul_(diffs, rate)
        torch._foreach_add_(v, diffs)
    else:
        torch._foreach_add_(v, diffs, alpha=rate)


def _average_squares(h: list[Tensor], diffs: list[Tensor], keep: float) -> None:
    """h = keep * h + (1 - keep) * diffs^2"""
    torch._foreach_mul_(h, keep)
    torch._foreach_addcmul_(h, diffs, diffs, value=1 - keep)


def _divide_by_root(diffs: list[Tensor], h: list[Tensor], rate: Number, delta: float) -> None:
    """diffs = rate * diffs / (sqrt(h) + delta)"""
    root = torch._foreach_sqrt(h)
    torch._foreach_add_(root, delta)
    torch._foreach_div_(diffs, root)
    torch._foreach_mul_(diffs, rate)
