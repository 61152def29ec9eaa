"""A GPU's iterations: the one place that decides what of each is recorded and replayed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from torch import Tensor

from caffepy.engine.captured import CapturedEngine, Ending, Iterated
from caffepy.solver.updating.iteration import Iteration
from caffepy.solver.updating.recorded_update import RecordedUpdate
from caffepy.solver.updating.updater import Amounts, Updater

if TYPE_CHECKING:
    from caffepy.solver.updating.shared_update import SharedUpdate

MOST_PASSES = 8
"""An iteration of more passes is not recorded in one: it would be as many times as large, and launching it is no longer what takes time."""


class RecordedIteration:
    """Runs the iterations of a process on its GPU.  Each is made in one of these ways:

    - *in one*: ``iter_size`` passes and the update are one CUDA graph; between several GPUs so is NCCL's all-reduce, which begins
      with each bucket of gradients that is full while backward goes on. The batches are copied to its inputs before, rates are read
      from the device's memory, and the loss and what the log may have to say stay there until somebody looks.
    - *apart*: the engine replays each pass, and `RecordedUpdate` the update. For whoever looks between them (callbacks, scripts), a
      rate that hangs on this iteration's loss (plateau), more than `MOST_PASSES`, and momentum or weight decay that has just changed.
    - *plain*: kernel by kernel. The first iteration of every kind, and what cannot be recorded: a net (``CapturedEngine.obstacle``),
      or an update (``RecordedUpdate.obstacle``). Where only both together cannot be (``CapturedEngine.apart``), they go apart.
    """

    def __init__(
        self, updater: Updater, engine: CapturedEngine, shared: SharedUpdate | None = None
    ) -> None:
        """``shared``: what brings the gradients of several ranks together."""
        self._shared = shared
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
        param = self._updater.param
        hangs_on_loss = param.lr_policy == "plateau"
        return not (
            self.update.obstacle
            or self._engine.obstacle
            or self._engine.apart
            or hangs_on_loss
            or self._passes > MOST_PASSES
        )

    def run(self, iteration: Iteration, rate: float) -> Iterated[Tensor | None] | None:
        """Make an iteration in one, or its passes plain; the loss holds until the next. None, and nothing is done: it goes apart."""
        amounts = self._updater.amounts(rate, iteration.number)
        kind = self._updater.kind(amounts)
        if not self.in_one or self._kind not in (None, kind):
            self._kind = kind
            return None
        self._kind = kind
        done = self._engine.iterate(
            self._passes, kind, self._ending(iteration, self.update.moving(amounts))
        )
        if done.updated:
            self._done_in_one = True
            self.update.note(done.found, iteration.number)
        elif self._shared is not None:
            self._shared.take_over(iteration)  # where it could not be recorded, nobody has listened
        return done

    def _ending(self, iteration: Iteration, amounts: Amounts) -> Ending[Tensor | None]:
        """The update of an iteration at ``amounts`` that move, and before it what brings the ranks' gradients together."""
        shared, made = self._shared, list[Tensor | None]()
        if shared is None:
            return Ending(lambda gradients: self.update.update(gradients, amounts))

        def update(gradients: Sequence[Tensor | None]) -> Tensor | None:
            made.clear()
            shared.record(
                gradients,
                lambda found, only: made.append(self.update.update(found, amounts, only=only)),
            )
            return made[0]

        return Ending(
            update, listen=lambda: shared.announce(iteration, early=True), forget=shared.forget
        )
