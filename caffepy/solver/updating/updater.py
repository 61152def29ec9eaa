"""One update of all parameters, in Caffe's order: clip, divide by iter_size, decay, rule, subtract."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from caffepy import log
from caffepy.engine.arena import Arena
from caffepy.errors import SolverError
from caffepy.float32 import round32
from caffepy.net.graph import Param
from caffepy.proto.caffe_pb2 import SolverParameter
from caffepy.solver.update_rules.fused import (
    UpdateStep,
    can_divide_by,
    fused_for,
    is_one,
    takes_tensors,
)
from caffepy.solver.update_rules.local_rates import LocalRates
from caffepy.solver.update_rules.lr_policy import warm_up
from caffepy.solver.update_rules.pieces import in_memory_order, pieces, same_layout
from caffepy.solver.update_rules.rules import Constants, Number, adam_correction, product, rule_for
from caffepy.solver.update_rules.schedules import momentum, weight_decay
from caffepy.solver.updating.loss_scale import LossScale

REGULARIZATIONS = ("L2", "L1")


@dataclass(frozen=True)
class Amounts:
    """The numbers of one update.  ``correction``: Adam's, of the rate; both are tensors without axes in a recording."""

    rate: Number
    correction: Number
    momentum: float
    decay: float


@dataclass(frozen=True)
class _Group:
    """Learnable parameters (by their place in learnable order) with the same multipliers."""

    lr_mult: float
    decay_mult: float
    members: tuple[int, ...]


class Updater:
    """Applies a SolverParameter's rule to the learnable parameters of ``arena``.

    ``history``: the tensors of a .solverstate, in its order: slot after slot, in each the parameters in learnable order.
    ``flats``: their memory, one buffer a slot. ``copies``: what is updated in place of the learnable parameters at these places.
    ``unreached``: where updates are kept, the last one of each place that had no gradient to leave it in.
    """

    def __init__(
        self,
        param: SolverParameter,
        arena: Arena,
        *,
        file: str = "solver",
        keep_updates: bool = False,
        loss_scale: LossScale | None = None,
    ) -> None:
        """``keep_updates``: leave each parameter's update in its gradient, as Caffe does, for whoever looks at diffs.

        ``loss_scale``: what the gradients are multiplied by.
        """
        self.rule = rule_for(param, file=file)
        if param.weight_decay and param.regularization_type not in REGULARIZATIONS:
            raise SolverError(
                f"{file}: Unknown regularization type: {param.regularization_type}; needed: L1 or L2"
            )
        self.param, self.arena, self.loss_scale = param, arena, loss_scale
        self.copies: dict[int, Tensor] = {}
        self.unreached: dict[int, Tensor] = {}
        self.flats = [arena.flat.like() for _ in range(self.rule.slots)]
        self._constants = Constants(param.momentum, param.momentum2, param.delta, param.rms_decay)
        self._keep = keep_updates
        self.regroup()
        self._local = LocalRates.from_proto(param, file=file)
        self._fused = (
            None if keep_updates or self._local else fused_for(self.rule.name, arena.device)
        )

    @property
    def history(self) -> list[Tensor]:
        """All history tensors in the order of a .solverstate."""
        return [tensor for flat in self.flats for tensor in flat.views]

    def regroup(self) -> None:
        """Find out anew what to update; call it where the history was restored.

        Also parameters whose lr_mult is 0: where they decay or have a gradient all the same (LSTM, force_backward), the history of some
        rules learns of it, and a kept update is no gradient; and momentum of before moves them on.
        """
        notes = not self.rule.rate_in_history
        decays = bool(self.param.weight_decay) and notes

        def takes_part(place: int, param: Param) -> bool:
            if (
                param.lr_mult
                or (decays and param.decay_mult)
                or ((notes or self._keep) and self.arena.learnable[place].requires_grad)
            ):
                return True
            return any(flat.views[place].any() for flat in self.flats)

        self._groups = _groups(self.arena, takes_part)

    def kind(self, amounts: Amounts) -> tuple[object, ...]:
        """Equal for updates that differ in nothing but rates, gradients and parameters."""
        return amounts.momentum, amounts.decay, tuple(self._groups)

    @property
    def places(self) -> list[int]:
        """The learnable parameters that updates change, or only the history of, in ascending order."""
        return sorted(place for group in self._groups for place in group.members)

    @property
    def clips(self) -> bool:
        """The norm of all gradients limits each."""
        return bool(self.param.clip_gradients >= 0)

    @property
    def needs_all(self) -> bool:
        """No parameter can be updated before the iteration's last gradient, or its loss, is known."""
        return self.clips or self.loss_scale is not None or self.param.lr_policy == "plateau"

    def apply(
        self,
        gradients: Sequence[Tensor | None],
        rate: float,
        iteration: int,
        *,
        only: Collection[int] | None = None,
    ) -> None:
        """Update the parameters with the sums of gradients over iter_size passes (None: zero), which are used up.

        ``only``: the places of those to update; the others' gradients are not looked at, and their momentum waits.
        """
        given = [g for g in gradients if g is not None]
        with torch.no_grad():
            if self.loss_scale is not None and given and not self.loss_scale.undo(given, iteration):
                return
            clip = clip_scale(given, self.param.clip_gradients) if self.clips and given else 1.0
            self.run(gradients, self.amounts(rate, iteration), clip=clip, only=only)

    def amounts(self, rate: float, iteration: int) -> Amounts:
        """The numbers of this iteration's update."""
        correction = (
            adam_correction(self._constants, iteration) if self.rule.name == "Adam" else 1.0
        )
        return Amounts(
            rate, correction, self._momentum(iteration, rate), weight_decay(self.param, iteration)
        )

    def run(
        self,
        gradients: Sequence[Tensor | None],
        amounts: Amounts,
        *,
        clip: Number = 1.0,
        overflow: Tensor | None = None,
        only: Collection[int] | None = None,
    ) -> None:
        """The arithmetic of `apply`, which waits for nothing that the device computes.

        ``clip``: what clip_gradients makes of the gradients' norm. ``overflow``: where it is 1, nothing changes; for `fused` only.
        """
        scale = product(clip, round32(1 / self.param.iter_size))
        if (self._keep or self._local) and not is_one(scale):
            if given := [g for g in gradients if g is not None]:
                torch._foreach_mul_(given, scale)
            scale = 1.0
        constants = replace(
            self._constants, momentum=amounts.momentum, correction=amounts.correction
        )
        for group in self._groups:
            members = (
                group.members
                if only is None
                else [place for place in group.members if place in only]
            )
            if members:
                by_norms = self._local and group.lr_mult > 0  # those that are frozen stay so
                rate = amounts.rate if by_norms else product(amounts.rate, group.lr_mult)
                step = UpdateStep(
                    rate, round32(amounts.decay * group.decay_mult), constants, scale, overflow
                )
                self._apply(group, members, gradients, step)

    def _momentum(self, iteration: int, rate: float) -> float:
        """The momentum of this update: under SGD, Intel's warm-up corrects it, as the rate is inside the history."""
        found = momentum(self.param, iteration, rate)
        if self.rule.name != "SGD" or iteration >= self.param.warmup_iter:
            return found
        before = warm_up(self.param, iteration - 1)
        return (
            round32(found * round32(warm_up(self.param, iteration) / before)) if before else found
        )

    def _apply(
        self,
        group: _Group,
        members: Sequence[int],
        gradients: Sequence[Tensor | None],
        step: UpdateStep,
    ) -> None:
        params = [self.copies.get(i, self.arena.learnable[i]) for i in members]
        diffs = [_or_zeros(gradients[i], param) for i, param in zip(members, params)]
        if self._keep:
            self.unreached.update(
                (i, diff) for i, diff in zip(members, diffs) if gradients[i] is None
            )
        history = [[flat.views[i] for i in members] for flat in self.flats]
        if self._local:
            factors = self._local.factors(params, diffs, step.rate) if group.lr_mult > 0 else None
            self._decay(params, diffs, step.decay)
            self._by_factors(params, diffs, history, step.rate, factors, step.constants)
            return
        if self._keep:
            self._step(params, diffs, history, step)
            return
        diffs = [same_layout(diff, param) for diff, param in zip(diffs, params)]
        if not self._lasso and self._fast(params, diffs, history, step):
            return
        for some_params, some_diffs, *some_history in pieces(params, diffs, *history):
            self._step(some_params, some_diffs, some_history, step)

    @property
    def fused(self) -> bool:
        """Whether kernels make whole steps, whatever the iteration, at rates that are tensors."""
        if (
            self._fused is None
            or self._lasso
            or self.param.momentum >= 1
            or not takes_tensors(self.rule.name)
        ):
            return False
        return not self.rule.rate_in_history or (
            self.param.momentum > 0 and self.param.momentum_policy == "fixed"
        )

    @property
    def _lasso(self) -> bool:
        return bool(self.param.weight_decay) and self.param.regularization_type == "L1"

    def _step(
        self,
        params: list[Tensor],
        diffs: list[Tensor],
        history: Sequence[list[Tensor]],
        step: UpdateStep,
    ) -> None:
        """By the rule, where no kernel makes the whole step; L1 decay can still have one for what follows it."""
        if not is_one(step.scale):
            torch._foreach_mul_(diffs, step.scale)
        self._decay(params, diffs, step.decay)
        if self._lasso and self._fast(params, diffs, history, replace(step, decay=0.0, scale=1.0)):
            return
        self.rule.update(diffs, history, step.rate, step.constants)
        torch._foreach_sub_(params, diffs)

    def _fast(
        self,
        params: list[Tensor],
        diffs: list[Tensor],
        history: Sequence[list[Tensor]],
        step: UpdateStep,
    ) -> bool:
        """The whole step by one kernel; False, and nothing is done, where there is none for it."""
        return (
            self._fused is not None
            and can_divide_by(step.scale)
            and self._fused(params, diffs, history, step)
        )

    def _decay(self, params: list[Tensor], diffs: list[Tensor], decay: float) -> None:
        if decay:
            torch._foreach_add_(
                diffs, torch._foreach_sign(params) if self._lasso else params, alpha=decay
            )

    def _by_factors(
        self,
        params: list[Tensor],
        diffs: list[Tensor],
        history: Sequence[list[Tensor]],
        rate: Number,
        factors: list[Tensor] | None,
        constants: Constants,
    ) -> None:
        """``factors``: of each parameter, its learning rate over ``rate``."""
        if factors is not None and self.rule.rate_in_history:
            torch._foreach_mul_(diffs, factors)
        self.rule.update(diffs, history, rate, constants)
        if factors is not None and not self.rule.rate_in_history:
            torch._foreach_mul_(diffs, factors)
        torch._foreach_sub_(params, diffs)


def clip_scale(gradients: Sequence[Tensor], limit: float) -> float:
    """What to multiply ``gradients`` by so that the L2 norm of them all is at most ``limit``; a line tells if it is not."""
    length = norm(gradients).item()
    if not length > limit:
        return 1.0
    tell_clipped(length, limit)
    return float(np.float32(limit) / np.float32(length))


def norm(gradients: Sequence[Tensor]) -> Tensor:
    """The L2 norm of all, a 0-axis tensor."""
    if gradients[0].is_cuda:
        length: Tensor = torch.linalg.vector_norm(torch.stack(torch._foreach_norm(list(gradients))))
        return length
    # torch's norm of a large tensor on a CPU is off in the third digit
    return (
        torch.stack([torch.dot(g.flatten(), g.flatten()) for g in map(in_memory_order, gradients)])
        .sum()
        .sqrt()
    )


def tell_clipped(length: float, limit: float) -> None:
    """The line about gradients whose norm ``length`` is above the limit."""
    scale = log.number(float(np.float32(limit) / np.float32(length)))
    found = f"L2 norm {log.number(length)} > {log.number(limit)}"
    log.info(
        "sgd_solver.cpp:127",
        f"Gradient clipping: scaling down gradients ({found}) by scale factor {scale}",
    )


def _groups(arena: Arena, takes_part: Callable[[int, Param], bool]) -> list[_Group]:
    found: dict[tuple[float, float], list[int]] = {}
    for place, index in enumerate(arena.graph.learnable):
        param = arena.graph.params[index]
        if takes_part(place, param):
            found.setdefault((param.lr_mult, param.decay_mult), []).append(place)
    return [_Group(lr, decay, tuple(members)) for (lr, decay), members in found.items()]


def _or_zeros(gradient: Tensor | None, param: Tensor) -> Tensor:
    return torch.zeros_like(param) if gradient is None else gradient
