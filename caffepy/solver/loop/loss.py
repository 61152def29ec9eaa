"""The loss that the log shows: smoothed over the last iterations, and computed when asked for."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from caffepy import log

MOST_PENDING = 256
"""How many losses stay on the device before they are added up: no iteration waits for it."""


class SmoothedLoss:
    """Mean of the last ``average_loss`` losses, in the float32 steps in which Caffe computes it."""

    def __init__(self, average_loss: int) -> None:
        self.average_loss = average_loss
        self._restored = False
        self.restart()

    def restart(self) -> None:
        """Forget all losses, as each call of Caffe's Solver::Step does; not those just restored."""
        if self._restored:
            self._restored = False
            return
        self._pending: list[Tensor] = []
        self._window: list[np.float32] = []
        self._count = 0
        self._mean = np.float32(0)

    def add(self, loss: Tensor) -> None:
        """Add an iteration's loss, a 0-axis tensor, which may be overwritten afterwards."""
        self._pending.append(loss.detach().clone())
        if len(self._pending) >= MOST_PENDING:
            self.value()

    def value(self) -> float:
        """The smoothed loss; waits until the device has computed it."""
        if self._pending:
            for loss in torch.stack(self._pending).cpu().numpy():
                self._fold(np.float32(loss))
            self._pending.clear()
        return float(self._mean)

    def state(self) -> dict[str, Any]:
        """For `restore`, JSON-able."""
        mean = self.value()
        return {
            "mean": mean,
            "count": self._count,
            "window": [float(loss) for loss in self._window],
            "size": self.average_loss,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Set what `state` returned, unless that was a mean of another number of losses."""
        if state["size"] != self.average_loss:
            return
        self._pending = []
        self._mean = np.float32(state["mean"])
        self._count = int(state["count"])
        self._window = [np.float32(loss) for loss in state["window"]]
        self._restored = True

    def _fold(self, loss: np.float32) -> None:
        """Add a loss to the window, in the steps of Caffe's UpdateSmoothedLoss."""
        size = np.float32(self.average_loss)
        with np.errstate(all="ignore"):
            if len(self._window) < self.average_loss:
                self._window.append(loss)
                size = np.float32(len(self._window))
                self._mean = (self._mean * (size - np.float32(1)) + loss) / size
            else:
                place = self._count % self.average_loss
                self._mean += (loss - self._window[place]) / size
                self._window[place] = loss
        self._count += 1


def warn_of_lost_loss(iteration: int, losses: Sequence[float]) -> None:
    """Warn of ``losses``, one for each rank, of which some are not finite.

    Scripts look for "Iteration N" in logs, so the warning does not have these words.
    """
    lost = [rank for rank, loss in enumerate(losses) if not math.isfinite(loss)]
    whose = ""
    if len(lost) < len(losses):
        whose = f" of rank{'s' * (len(lost) > 1)} {', '.join(map(str, lost))}"
    value = log.number(losses[lost[0]])
    log.warning(
        "solver.cpp:239",
        f"The loss{whose} of iteration {iteration} is {value}, and training is probably lost. "
        "Needed: a smaller base_lr, clip_gradients, or other data; debug_info: true shows the "
        "layer where it begins",
    )
