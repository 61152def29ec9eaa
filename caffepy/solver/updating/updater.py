"""An update, in the order of Caffe: clip, divide by iter_size, decay, rule, subtract."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from caffepy import log
from caffepy.engine.arena import Arena
from caffepy.errors import SolverError
from caffepy.float32 import quotient32, round32
from caffepy.net.graph import Param
from caffepy.proto.caffe_pb2 import SolverParameter
from caffepy.solver.update_rules.fused import (
    Fused,
    UpdateStep,
    add_signs,
    can_divide_by,
    fused_for,
    is_one,
    takes_tensors,
)
from caffepy.solver.update_rules.local_rates import LocalRates
from caffepy.solver.update_rules.lr_policy import warm_up
from caffepy.solver.update_rules.pieces import PIECE, in_memory_order, pieces, same_layout
from caffepy.solver.update_rules.rules import Constants, Number, adam_correction, product, rule_for
from caffepy.solver.update_rules.schedules import momentum, weight_decay
from caffepy.solver.updating.loss_scale import LossScale

REGULARIZATIONS = ("L2", "L1")


@dataclass(frozen=True)
class Amounts:
    """The numbers of one update.  ``correction``: Adam's, of the rate.

    In a recording ``rate`` and ``correction`` are 0-axis tensors.
    """

    rate: Number
    correction: Number
    momentum: float
    decay: float


@dataclass(frozen=True)
class _Group:
    """Learnable parameters with the same multipliers.  ``members``: their places."""

    lr_mult: float
    decay_mult: float
    members: tuple[int, ...]


class Updater:
    """Applies a SolverParameter's rule to the learnable parameters of ``arena``.

    A *place* is the number of a parameter among the learnable ones.

    ``flats``: the memory of the history, one buffer for each slot of the rule.
    ``copies``: by place, what is updated instead of the parameter itself.
    ``unreached``: by place, the last update of a parameter that has no gradient to keep it in.
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
        """``keep_updates``: leave each update in the gradient, where Caffe has it.

        ``loss_scale``: by which the gradients are too large.
        """
        self.rule = rule_for(param, file=file)
        if param.weight_decay and param.regularization_type not in REGULARIZATIONS:
            raise SolverError(
                f"{file}: Unknown regularization type: {param.regularization_type}; "
                "needed: L1 or L2"
            )
        self.param = param
        self.arena = arena
        self.loss_scale = loss_scale
        self.copies: dict[int, Tensor] = {}
        self.unreached: dict[int, Tensor] = {}
        self.flats = [arena.flat.like() for _ in range(self.rule.slots)]
        self._constants = Constants(param.momentum, param.momentum2, param.delta, param.rms_decay)
        self._keep = keep_updates
        self.regroup()
        self._local = LocalRates.from_proto(param, file=file)
        self._fused: Fused | None = None
        if not (keep_updates or self._local):
            self._fused = fused_for(self.rule.name, arena.device)

    @property
    def history(self) -> list[Tensor]:
        """All history tensors in the order of a .solverstate: slot after slot."""
        return [tensor for flat in self.flats for tensor in flat.views]

    def regroup(self) -> None:
        """Choose what to update; call this again where the history was restored.

        A parameter whose lr_mult is 0 is updated, too, in these cases:

        - its gradient (LSTM, force_backward) or its decay changes the history of the rule;
        - its gradient is to be replaced by the update;
        - its history is not 0, and momentum changes it.
        """
        changes_history = not self.rule.rate_in_history
        decays = bool(self.param.weight_decay) and changes_history
        uses_gradients = changes_history or self._keep

        def takes_part(place: int, param: Param) -> bool:
            if param.lr_mult or (decays and param.decay_mult):
                return True
            if uses_gradients and self.arena.learnable[place].requires_grad:
                return True
            return any(flat.views[place].any() for flat in self.flats)

        self._groups = _groups(self.arena, takes_part)

    def kind(self, amounts: Amounts) -> tuple[object, ...]:
        """Equal for updates of which one recording can serve: at any rates, by any gradients."""
        return amounts.momentum, amounts.decay, tuple(self._groups)

    @property
    def places(self) -> list[int]:
        """The places whose parameter or history is updated, in ascending order."""
        return sorted(place for group in self._groups for place in group.members)

    @property
    def clips(self) -> bool:
        """Whether the norm of all gradients is limited."""
        return self.param.clip_gradients >= 0

    @property
    def needs_all(self) -> bool:
        """Whether no parameter can be updated before all gradients, or the loss, are known."""
        return self.clips or self.loss_scale is not None or self.param.lr_policy == "plateau"

    @property
    def keeps_updates(self) -> bool:
        """Whether each update is left in the gradient, for others to read."""
        return self._keep

    def apply(
        self,
        gradients: Sequence[Tensor | None],
        rate: float,
        iteration: int,
        *,
        only: Collection[int] | None = None,
    ) -> None:
        """Update the parameters by gradients that are sums over iter_size passes.

        ``gradients``: by place; None is zero. They are overwritten.
        ``only``: the places to update, by default all. Gradients and momentum of others stay.
        """
        given = [gradient for gradient in gradients if gradient is not None]
        with torch.no_grad():
            if self.loss_scale is not None and given and not self.loss_scale.undo(given, iteration):
                return
            clip = clip_scale(given, self.param.clip_gradients) if self.clips and given else 1.0
            self.run(gradients, self.amounts(rate, iteration), clip=clip, only=only)

    def amounts(self, rate: float, iteration: int) -> Amounts:
        """The numbers of this iteration's update."""
        correction = 1.0
        if self.rule.name == "Adam":
            correction = adam_correction(self._constants, iteration)
        decay = weight_decay(self.param, iteration)
        return Amounts(rate, correction, self._momentum(iteration, rate), decay)

    def run(
        self,
        gradients: Sequence[Tensor | None],
        amounts: Amounts,
        *,
        clip: Number = 1.0,
        overflow: Tensor | None = None,
        only: Collection[int] | None = None,
    ) -> None:
        """The arithmetic of `apply`; never waits for the device.

        ``clip``: the factor that clip_gradients asks for.
        ``overflow``: a 0-axis tensor; nothing is updated where it is 1. Only where `fused`.
        """
        scale = product(clip, round32(1 / self.param.iter_size))
        if (self._keep or self._local) and not is_one(scale):
            given = [gradient for gradient in gradients if gradient is not None]
            if given:
                torch._foreach_mul_(given, scale)
            scale = 1.0
        constants = replace(
            self._constants, momentum=amounts.momentum, correction=amounts.correction
        )
        for group in self._groups:
            members: Sequence[int] = group.members
            if only is not None:
                members = [place for place in members if place in only]
            if not members:
                continue
            # local rates take the place of lr_mult, but what is frozen stays frozen
            has_local_rate = self._local and group.lr_mult > 0
            rate = amounts.rate if has_local_rate else product(amounts.rate, group.lr_mult)
            decay = round32(amounts.decay * group.decay_mult)
            step = UpdateStep(rate, decay, constants, scale, overflow)
            self._apply(group, members, gradients, step)

    def _momentum(self, iteration: int, rate: float) -> float:
        """The momentum of this update.

        SGD's history holds the learning rate. While Intel's Caffe warms up, it corrects the
        momentum by the change of the rate.
        """
        plain = momentum(self.param, iteration, rate)
        if self.rule.name != "SGD" or iteration >= self.param.warmup_iter:
            return plain
        before = warm_up(self.param, iteration - 1)
        if not before:
            return plain
        return round32(plain * round32(warm_up(self.param, iteration) / before))

    def _apply(
        self,
        group: _Group,
        members: Sequence[int],
        gradients: Sequence[Tensor | None],
        step: UpdateStep,
    ) -> None:
        """Update the parameters at the places ``members``, which are of ``group``."""
        params = [self.copies.get(place, self.arena.learnable[place]) for place in members]
        diffs = [_or_zeros(gradients[place], param) for place, param in zip(members, params)]
        if self._keep:
            for place, diff in zip(members, diffs):
                if gradients[place] is None:
                    self.unreached[place] = diff
        history = [[flat.views[place] for place in members] for flat in self.flats]
        if self._local:
            factors = self._local.factors(params, diffs, step.rate) if group.lr_mult > 0 else None
            self._decay(params, diffs, step.decay)
            self._step_by_factors(params, diffs, history, step.rate, factors, step.constants)
            return
        if self._keep:
            self._step(params, diffs, history, step)
            return
        diffs = [same_layout(diff, param) for diff, param in zip(diffs, params)]
        if not self._decays_by_sign and self._fused_step(params, diffs, history, step):
            return
        room = None
        if self._decays_by_sign and step.decay and self.arena.device.type == "cpu":
            room = torch.empty(min(PIECE, sum(param.numel() for param in params)))
        for some_params, some_diffs, *some_history in pieces(params, diffs, *history):
            self._step(some_params, some_diffs, some_history, step, room)

    @property
    def fused(self) -> bool:
        """Whether one kernel makes each update, in all iterations, with rates that are tensors."""
        if self._fused is None or not takes_tensors(self.rule.name):
            return False
        if self._decays_by_sign or self.param.momentum >= 1:
            return False
        if not self.rule.rate_in_history:
            return True
        return self.param.momentum > 0 and self.param.momentum_policy == "fixed"

    @property
    def _decays_by_sign(self) -> bool:
        """Whether there is weight decay of the L1 kind."""
        return bool(self.param.weight_decay) and self.param.regularization_type == "L1"

    def _step(
        self,
        params: list[Tensor],
        diffs: list[Tensor],
        history: Sequence[list[Tensor]],
        step: UpdateStep,
        room: Tensor | None = None,
    ) -> None:
        """Scale, decay, and update by the rule.

        After L1 decay, which no kernel knows, a kernel can make the rest. ``room``: for the
        decayed gradients of one piece, so that none is written back to memory.
        """
        if not is_one(step.scale):
            torch._foreach_mul_(diffs, step.scale)
        if room is None:
            self._decay(params, diffs, step.decay)
        else:
            diffs = add_signs(diffs, params, step.decay, room)
        rest = replace(step, decay=0.0, scale=1.0)
        if self._decays_by_sign and self._fused_step(params, diffs, history, rest):
            return
        self.rule.update(diffs, history, step.rate, step.constants)
        torch._foreach_sub_(params, diffs)

    def _fused_step(
        self,
        params: list[Tensor],
        diffs: list[Tensor],
        history: Sequence[list[Tensor]],
        step: UpdateStep,
    ) -> bool:
        """Make the whole step by one kernel; False, and nothing is done, where none can."""
        return (
            self._fused is not None
            and can_divide_by(step.scale)
            and self._fused(params, diffs, history, step)
        )

    def _decay(self, params: list[Tensor], diffs: list[Tensor], decay: float) -> None:
        if decay:
            slopes = torch._foreach_sign(params) if self._decays_by_sign else params
            torch._foreach_add_(diffs, slopes, alpha=decay)

    def _step_by_factors(
        self,
        params: list[Tensor],
        diffs: list[Tensor],
        history: Sequence[list[Tensor]],
        rate: Number,
        factors: list[Tensor] | None,
        constants: Constants,
    ) -> None:
        """Update by the rule.  ``factors``: by how much each parameter's rate is above ``rate``."""
        if factors is not None and self.rule.rate_in_history:
            torch._foreach_mul_(diffs, factors)
        self.rule.update(diffs, history, rate, constants)
        if factors is not None and not self.rule.rate_in_history:
            torch._foreach_mul_(diffs, factors)
        torch._foreach_sub_(params, diffs)


def clip_scale(gradients: Sequence[Tensor], limit: float) -> float:
    """The factor that makes the L2 norm of all ``gradients`` at most ``limit``; logged if not 1."""
    length = norm(gradients).item()
    if not length > limit:
        return 1.0
    log_clipped(length, limit)
    return quotient32(limit, length)


def norm(gradients: Sequence[Tensor]) -> Tensor:
    """The L2 norm of all, a 0-axis tensor."""
    if gradients[0].is_cuda:
        norms = torch.stack(torch._foreach_norm(list(gradients)))
        length: Tensor = torch.linalg.vector_norm(norms)
        return length
    # torch's norm of a large tensor on a CPU is off in the third digit
    flat = [in_memory_order(gradient).flatten() for gradient in gradients]
    return torch.stack([torch.dot(values, values) for values in flat]).sum().sqrt()


def log_clipped(length: float, limit: float) -> None:
    """Caffe's line about gradients whose norm ``length`` is above the limit."""
    scale = log.number(quotient32(limit, length))
    norms = f"L2 norm {log.number(length)} > {log.number(limit)}"
    log.info(
        "sgd_solver.cpp:127",
        f"Gradient clipping: scaling down gradients ({norms}) by scale factor {scale}",
    )


def _groups(arena: Arena, takes_part: Callable[[int, Param], bool]) -> list[_Group]:
    """The parameters that take part, by their multipliers."""
    places: defaultdict[tuple[float, float], list[int]] = defaultdict(list)
    for place, index in enumerate(arena.graph.learnable):
        param = arena.graph.params[index]
        if takes_part(place, param):
            places[param.lr_mult, param.decay_mult].append(place)
    return [_Group(lr, decay, tuple(members)) for (lr, decay), members in places.items()]


def _or_zeros(gradient: Tensor | None, param: Tensor) -> Tensor:
    return torch.zeros_like(param) if gradient is None else gradient
