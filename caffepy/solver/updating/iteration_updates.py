"""How the parameters are updated in each iteration: by one rank's gradients, or by all ranks'."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from caffepy.engine.divided import divide
from caffepy.engine.engines import Engine, hookable, replays, shows_blobs
from caffepy.engine.threads import one_thread
from caffepy.parallel.job.sharing import Sharing
from caffepy.parallel.transport.communicator import Communicator
from caffepy.solver.updating.early_update import EarlyUpdate
from caffepy.solver.updating.iteration import Iteration
from caffepy.solver.updating.recorded_iteration import RecordedIteration
from caffepy.solver.updating.updater import Updater

if TYPE_CHECKING:
    from caffepy.solver.updating.shared_update import SharedUpdate


class IterationUpdates:
    """One update in each iteration.

    `begin` comes before the iteration's last pass, `apply` after it, and `wait` before anyone reads
    the parameters.  Where a GPU records whole iterations, `run_recorded` takes the place of the
    passes and of `begin`.
    """

    def __init__(
        self, communicator: Communicator, engine: Engine, updater: Updater, *, sharing: Sharing
    ) -> None:
        self.engine = engine
        self.updater = updater
        self._iteration = Iteration(0, lambda: 0.0)
        self._applied = False
        self._shared: SharedUpdate | None = None
        if communicator.size > 1:
            self._shared = _shared_update(communicator, engine, updater, sharing)
        self._recorded: RecordedIteration | None = None
        if replays(engine) and (self._shared is None or self._shared.recordable):
            self._recorded = RecordedIteration(updater, engine, self._shared)
        self._early: EarlyUpdate | None = None
        self._divided = False
        if self._shared is None and hookable(engine) and not replays(engine):
            self._divided = divide(engine, torch.get_num_threads())
            self._early = None if self._divided else EarlyUpdate(engine, updater)

    @property
    def recorded(self) -> bool:
        """Whether updates are replayed from recordings, see `RecordedIteration`."""
        return self._recorded is not None and self._recorded.recorded

    @property
    def obstacle(self) -> str:
        """Why a GPU's updates are not recorded, in words; else empty."""
        return self._recorded.obstacle if self._recorded is not None else ""

    def log_reports(self, *, before: int | None = None) -> None:
        """Log what a GPU reports of its updates (clipping, overflow); waits for them.

        ``before``: only of the iterations before this one.
        """
        if self._recorded is not None:
            self._recorded.update.log_reports(before=before)

    def run_recorded(
        self, iteration: int, rate: Callable[[], float], ahead: Callable[[], float]
    ) -> Tensor | None:
        """Run the passes of ``iteration``, with its update where a GPU records both as one.

        ``ahead``: computes the learning rate before it is due.
        Returns the loss; or None where nothing was done, and the caller runs the passes.
        In both cases `apply` has to be called.
        """
        if self._recorded is None or not self._recorded.in_one:
            return None
        this = Iteration(iteration, rate)
        done = self._recorded.run(this, ahead())
        if done is None:
            return None
        self._iteration = this
        self._applied = done.updated
        return done.loss

    def begin(
        self,
        iteration: int,
        rate: Callable[[], float],
        ahead: Callable[[], float] | None = None,
    ) -> None:
        """The next pass is the last one of ``iteration``.

        ``rate``: computes its learning rate. ``ahead``: computes it before it is due; without, no
        parameter is updated before `apply`.
        """
        self._iteration = Iteration(iteration, rate)
        if self._shared is not None:
            self._shared.begin(self._iteration)
        if self._early is not None:
            self._early.begin(iteration, ahead)

    def forget(self) -> None:
        """An iteration begins; the one before may have failed after its `begin`."""
        if self._early is not None:
            self._early.forget()

    def rate(self) -> float:
        """The learning rate of this iteration."""
        return self._iteration.rate()

    def apply(self) -> None:
        """Update by the gradients that are there; a parameter now, or when it is next used."""
        if self._applied:
            self._applied = False
        elif self._shared is not None:
            self._shared.apply()
        else:
            recorded = self._recorded.update if self._recorded is not None else None
            updater = recorded or self._early or self.updater
            # threads that wait for more of such work would hinder those of the next pass
            with one_thread() if self._divided else nullcontext():
                updater.apply(self._diffs(), self._iteration.rate(), self._iteration.number)

    def kept(self) -> list[Tensor | None]:
        """For ``snapshot_diff``: what is in each learnable parameter's diff; None: zeros."""
        unreached = self.updater.unreached
        return [unreached.get(place, diff) for place, diff in enumerate(self._diffs())]

    def _diffs(self) -> Sequence[Tensor | None]:
        return self.engine.diffs() if shows_blobs(self.engine) else self.engine.gradients()

    def close(self) -> None:
        """Free a GPU's recordings."""
        if self._recorded is not None:
            self._recorded.update.close()

    def wait(self) -> None:
        """Return when all parameters are updated."""
        if self._shared is not None:
            self._shared.wait()
        self.log_reports()

    def numbers(self) -> list[tuple[str, float]]:
        """For the metrics of several ranks, since the start.

        The bytes that this rank has sent; the seconds of communication that were hidden behind
        computing; the seconds for which it was waited.
        """
        return [] if self._shared is None else self._shared.numbers()

    def factored(self) -> list[int]:
        """Places, among the learnable parameters, of those whose gradients travel as factors."""
        return [] if self._shared is None else self._shared.factored()

    def gather_history(self) -> None:
        """Bring the solver's history to rank 0 from the ranks that keep it.

        Collective; `wait` comes before it.
        """
        if self._shared is not None:
            self._shared.gather_history()


def _shared_update(
    communicator: Communicator, engine: Engine, updater: Updater, sharing: Sharing
) -> SharedUpdate:
    # imports all exchanges: a process alone starts sooner without
    from caffepy.solver.updating.shared_update import SharedUpdate

    return SharedUpdate(engine, updater, communicator, sharing)
