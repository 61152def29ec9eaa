"""The loss as the log shows it: smoothed over the last iterations, and computed only when somebody looks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from caffepy import log

WAITING = 256
"""Losses that may wait as tensors before they are added up, so that no iteration waits for the device."""


class SmoothedLoss:
    """Mean of the last ``average_loss`` losses, in the float32 steps in which Caffe computes it."""

    def __init__(self, average_loss: int) -> None:
        self.average_loss = average_loss
        self._restored = False
        self.restart()

    def restart(self) -> None:
        """Forget all losses, as each call of Caffe's Solver::Step does; but those just restored stay."""
        if self._restored:
            self._restored = False
            return
        self._waiting: list[Tensor] = []
        self._window: list[np.float32] = []
        self._count = 0
        self._mean = np.float32(0)

    def add(self, loss: Tensor) -> None:
        """The loss of one more iteration, a 0-axis tensor, which may change afterwards."""
        self._waiting.append(loss.detach().clone())
        if len(self._waiting) >= WAITING:
            self.value()

    def value(self) -> float:
        """The mean by now; waits until the device has computed it."""
        if self._waiting:
            for loss in torch.stack(self._waiting).cpu().numpy():
                self._fold(np.float32(loss))
            self._waiting.clear()
        return float(self._mean)

    def state(self) -> dict[str, Any]:
        """JSON-able."""
        mean = self.value()
        return {
            "mean": mean,
            "count": self._count,
            "window": [float(loss) for loss in self._window],
            "size": self.average_loss,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from `state`, unless that was a mean of another number of losses."""
        if state["size"] != self.average_loss:
            return
        self._waiting = []
        self._mean, self._count = np.float32(state["mean"]), int(state["count"])
        self._window = [np.float32(loss) for loss in state["window"]]
        self._restored = True

    def _fold(self, loss: np.float32) -> None:
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


def tell_lost(iteration: int, losses: Sequence[float]) -> None:
    """A line about ``losses`` that are no longer numbers, by rank.  Scripts look for "Iteration N" in logs: here it is no heading."""
    lost = [rank for rank, loss in enumerate(losses) if not math.isfinite(loss)]
    whose = (
        ""
        if len(lost) == len(losses)
        else f" of rank{'s' * (len(lost) > 1)} {', '.join(map(str, lost))}"
    )
    log.warning(
        "solver.cpp:239",
        f"The loss{whose} of iteration {iteration} is {log.number(losses[lost[0]])}, and training is probably lost. Needed: a smaller "
        "base_lr, clip_gradients, or other data; debug_info: true shows the layer where it begins",
    )
