"""A loss that is scaled up before backward, so that gradients in float16 do not vanish, by as much as just does not overflow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from caffepy import log
from caffepy.engine.engines import Engine, scales_loss
from caffepy.engine.numerics import Numerics

FIRST, GROWTH, BACKOFF, PATIENCE = 65536.0, 2.0, 0.5, 2000
"""The first scale; it doubles after so many iterations without overflow, and halves at each overflow."""


class LossScale:
    """``scale``: what the loss is multiplied by, a 0-axis tensor on the device."""

    def __init__(self, device: torch.device) -> None:
        self.scale = torch.full((), FIRST, device=device)
        self._calm = torch.zeros((), dtype=torch.int32, device=device)

    def undo(self, gradients: Sequence[Tensor], iteration: int) -> bool:
        """Divide the gradients by the scale and choose the next one; False where they have overflown: no update is made from them."""
        if not self.unscale(gradients).item():
            return True
        self.tell_overflow(iteration, self.scale.item())
        return False

    def unscale(self, gradients: Sequence[Tensor]) -> Tensor:
        """`undo` without waiting for the device: a 0-axis tensor, 1 where they have overflown."""
        overflow = torch.zeros((), device=self.scale.device)
        torch._amp_foreach_non_finite_check_and_unscale_(
            list(gradients), overflow, self.scale.reciprocal()
        )
        torch._amp_update_scale_(self.scale, self._calm, overflow, GROWTH, BACKOFF, PATIENCE)
        return overflow

    def tell_overflow(self, iteration: int, scale: float) -> None:
        """The line about an iteration without an update, after which the scale is ``scale``."""
        log.info(
            "loss_scale.py:0",
            f"Iteration {iteration}: gradients overflow, no update; loss scale = {log.number(scale)}",
        )

    def state(self) -> dict[str, Any]:
        """What `restore` goes on from, JSON-able."""
        return {"scale": self.scale.item(), "calm": int(self._calm.item())}

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from `state`."""
        self.scale.fill_(state["scale"])
        self._calm.fill_(state["calm"])


def loss_scale(engine: Engine, numerics: Numerics) -> LossScale | None:
    """The scale of the loss of ``engine``, which it is told; None where its numbers need none."""
    if not (numerics.scales_loss and scales_loss(engine)):
        return None
    found = LossScale(engine.arena.device)
    engine.loss_scale = found.scale
    return found
