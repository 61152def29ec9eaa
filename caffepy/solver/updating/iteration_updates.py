"""How a solver's parameters are updated: by its own gradients, or together with other ranks by way of an exchange."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from torch import Tensor

from caffepy.engine.engines import Engine, replays, shows_blobs
from caffepy.parallel.job.sharing import Sharing
from caffepy.parallel.transport.communicator import Communicator
from caffepy.solver.updating.iteration import Iteration
from caffepy.solver.updating.recorded_iteration import RecordedIteration
from caffepy.solver.updating.updater import Updater

if TYPE_CHECKING:
    from caffepy.solver.updating.shared_update import SharedUpdate


class Updates:
    """One update an iteration: `begin` before its last pass, `finish` after it, `settle` before anybody looks at the parameters."""

    def __init__(
        self, communicator: Communicator, engine: Engine, updater: Updater, *, sharing: Sharing
    ) -> None:
        self.engine, self.updater = engine, updater
        self._iteration = Iteration(0, lambda: 0.0)
        self._shared = (
            None
            if communicator.size == 1
            else _shared_update(communicator, engine, updater, sharing)
        )
        self._recorded: RecordedIteration | None = None
        if replays(engine) and (self._shared is None or self._shared.recordable):
            self._recorded = RecordedIteration(updater, engine, self._shared)
        self._finished = False

    @property
    def recorded(self) -> bool:
        """Updates are replayed from recordings, see `RecordedIteration`."""
        return self._recorded is not None and self._recorded.recorded

    @property
    def obstacle(self) -> str:
        """Why a GPU's updates are not recorded, in words; else empty."""
        return self._recorded.obstacle if self._recorded is not None else ""

    def tell(self, *, before: int | None = None) -> None:
        """Log what there is to say of a GPU's updates, those ``before`` an iteration or all; waits for them."""
        if self._recorded is not None:
            self._recorded.update.tell(before=before)

    def iterate(
        self, iteration: int, rate: Callable[[], float], ahead: Callable[[], float]
    ) -> Tensor | None:
        """The passes of ``iteration``, in one with the update where a GPU can; the loss. None: they are the caller's to make.

        ``ahead``: gives the learning rate before it is due. `finish` is to be called all the same.
        """
        if self._recorded is None or not self._recorded.in_one:
            return None
        this = Iteration(iteration, rate)
        done = self._recorded.run(this, ahead())
        if done is None:
            return None
        self._iteration, self._finished = this, done.updated
        return done.loss

    def begin(self, iteration: int, rate: Callable[[], float]) -> None:
        """The next pass is the last one of ``iteration``. ``rate``: gives its learning rate, when it is needed."""
        self._iteration = Iteration(iteration, rate)
        if self._shared is not None:
            self._shared.announce(self._iteration)

    def rate(self) -> float:
        """The learning rate of this iteration."""
        return self._iteration.rate()

    def finish(self) -> None:
        """The gradients are there: update, now or when a parameter is next used."""
        if self._finished:
            self._finished = False
        elif self._shared is not None:
            self._shared.finish()
        else:
            by = self.updater if self._recorded is None else self._recorded.update
            by.apply(self._diffs(), self._iteration.rate(), self._iteration.number)

    def kept(self) -> list[Tensor | None]:
        """What an updater that keeps its updates left in the diff of each learnable parameter; None: zeros."""
        return [self.updater.unreached.get(place, diff) for place, diff in enumerate(self._diffs())]

    def _diffs(self) -> Sequence[Tensor | None]:
        return self.engine.diffs() if shows_blobs(self.engine) else self.engine.gradients()

    def close(self) -> None:
        """Give a GPU's recordings back."""
        if self._recorded is not None:
            self._recorded.update.close()

    def settle(self) -> None:
        """Return when all parameters are updated."""
        if self._shared is not None:
            self._shared.settle()
        self.tell()

    def numbers(self) -> list[tuple[str, float]]:
        """For the metrics of several ranks, since the start: bytes that this rank has sent, and seconds for which that and what it received
        was hidden behind computing and was waited for."""
        return [] if self._shared is None else self._shared.numbers()

    def factored(self) -> list[int]:
        """Places, among the learnable parameters, of those whose gradients travel as factors."""
        return [] if self._shared is None else self._shared.factored()

    def gather_history(self) -> None:
        """Bring the solver's history to rank 0, from where the exchange keeps it.  Collective; settle first."""
        if self._shared is not None:
            self._shared.gather_history()


def _shared_update(
    communicator: Communicator, engine: Engine, updater: Updater, sharing: Sharing
) -> SharedUpdate:
    from caffepy.solver.updating.shared_update import (
        SharedUpdate,
    )  # with all exchanges: a single process starts sooner without

    return SharedUpdate(engine, updater, communicator, sharing)
