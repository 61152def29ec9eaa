"""Dynamic loss scaling: the loss is multiplied, so that float16 gradients do not vanish."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from caffepy import log
from caffepy.engine.engines import Engine, scales_loss
from caffepy.engine.numerics import Numerics

FIRST_SCALE = 65536.0
GROWTH = 2.0
"""The scale grows by this factor after `GROWTH_INTERVAL` iterations without overflow."""
BACKOFF = 0.5
"""By which it is multiplied at each overflow."""
GROWTH_INTERVAL = 2000


class LossScale:
    """``scale``: what the loss is multiplied by, a 0-axis tensor on the device."""

    def __init__(self, device: torch.device) -> None:
        self.scale = torch.full((), FIRST_SCALE, device=device)
        self._without_overflow = torch.zeros((), dtype=torch.int32, device=device)

    def undo(self, gradients: Sequence[Tensor], iteration: int) -> bool:
        """Divide the gradients by the scale, and choose the next scale.

        Returns False where they have overflowed and make no update.
        """
        if not self.unscale(gradients).item():
            return True
        self.log_overflow(iteration, self.scale.item())
        return False

    def unscale(self, gradients: Sequence[Tensor]) -> Tensor:
        """`undo` that never waits for the device; returns a 0-axis tensor, 1 for an overflow."""
        overflow = torch.zeros((), device=self.scale.device)
        torch._amp_foreach_non_finite_check_and_unscale_(
            list(gradients), overflow, self.scale.reciprocal()
        )
        torch._amp_update_scale_(
            self.scale, self._without_overflow, overflow, GROWTH, BACKOFF, GROWTH_INTERVAL
        )
        return overflow

    def log_overflow(self, iteration: int, scale: float) -> None:
        """Log that ``iteration`` has no update; ``scale``: the next one."""
        words = f"gradients overflow, no update; loss scale = {log.number(scale)}"
        log.info("loss_scale.py:0", f"Iteration {iteration}: {words}")

    def state(self) -> dict[str, Any]:
        """For `restore`, JSON-able."""
        return {"scale": self.scale.item(), "calm": int(self._without_overflow.item())}

    def restore(self, state: dict[str, Any]) -> None:
        """Set what `state` returned."""
        self.scale.fill_(state["scale"])
        self._without_overflow.fill_(state["calm"])


def loss_scale(engine: Engine, numerics: Numerics) -> LossScale | None:
    """Give ``engine`` a loss scale, and return it; None where its numbers need none."""
    if not (numerics.scales_loss and scales_loss(engine)):
        return None
    created = LossScale(engine.arena.device)
    engine.loss_scale = created.scale
    return created
