"""A GPU's iterations: the one place that decides what of each is recorded and replayed."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from caffepy.engine.captured import CapturedEngine, Iterated
from caffepy.solver.recorded_update import RecordedUpdate
from caffepy.solver.update import Updater

MOST_PASSES = 8
"""An iteration of more passes is not recorded in one: it would be as many times as large, and launching it is no longer what takes time."""


class RecordedIteration:
    """Runs the iterations of one process on one GPU.  Each is made in one of these ways:

    - *in one*: ``iter_size`` passes and the update are one CUDA graph. The batches are copied to its inputs before, rates are read
      from the device's memory, and the loss and what the log may have to say stay there until somebody looks.
    - *apart*: the engine replays each pass, and `RecordedUpdate` the update. For whoever looks between them (callbacks, scripts), a
      rate that hangs on this iteration's loss (plateau), more than `MOST_PASSES`, and momentum or weight decay that has just changed.
    - *plain*: kernel by kernel. The first iteration of every kind, and what cannot be recorded: a net (``CapturedEngine.obstacle``),
      or an update (``RecordedUpdate.obstacle``). Where only both together cannot be (``CapturedEngine.apart``), they go apart.
    """

    def __init__(self, updater: Updater, engine: CapturedEngine) -> None:
        self.update = RecordedUpdate(updater, engine)
        self._updater, self._engine, self._passes = updater, engine, int(updater.param.iter_size)
        self._kind: tuple[object, ...] | None = None
        self._done_in_one = False

    @property
    def recorded(self) -> bool:
        """Some updates have been recorded, in one with their passes or apart, and none has failed to be."""
        return not self.obstacle and (self._done_in_one or self.update.recorded)

    @property
    def obstacle(self) -> str:
        """Why updates are not recorded, in words; else empty."""
        return self.update.obstacle

    @property
    def in_one(self) -> bool:
        """Iterations may be recorded in one, as far as the solver goes."""
        param: Any = self._updater.param
        hangs_on_loss = param.lr_policy == "plateau"
        return not (self.update.obstacle or self._engine.obstacle or self._engine.apart or hangs_on_loss or self._passes > MOST_PASSES)

    def run(self, iteration: int, rate: float) -> Iterated[Tensor | None] | None:
        """Make ``iteration`` in one, or its passes plain; the loss holds until the next. None, and nothing is done: it goes apart."""
        amounts = self._updater.amounts(rate, iteration)
        kind = self._updater.kind(amounts)
        if not self.in_one or self._kind not in (None, kind):
            self._kind = kind
            return None
        self._kind = kind
        moving = self.update.moving(amounts)
        done = self._engine.iterate(self._passes, kind, lambda gradients: self.update.update(gradients, moving))
        if done.updated:
            self._done_in_one = True
            self.update.note(done.found, iteration)
        return done
