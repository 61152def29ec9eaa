"""A GPU's iterations: the one place that decides what of each is recorded and replayed."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from torch import Tensor

from caffepy.engine.captured import CapturedEngine
from caffepy.engine.recordings import Ending, Iterated
from caffepy.solver.updating.iteration import Iteration
from caffepy.solver.updating.recorded_update import RecordedUpdate
from caffepy.solver.updating.updater import Amounts, Updater

if TYPE_CHECKING:
    from caffepy.solver.updating.shared_update import SharedUpdate

MOST_PASSES = 8
"""An iteration of more passes is not recorded as one.

The recording would be as many times as large, and launching it is no longer what takes time.
"""


class RecordedIteration:
    """Runs the iterations of a process on its GPU.  Each is run in one of three ways.

    *As one*: the ``iter_size`` passes and the update are one CUDA graph. Between several GPUs it
    holds NCCL's all-reduce, too, which begins with each full bucket of gradients during backward.
    The batches are copied to the graph's inputs before it is launched. Learning rates are read from
    the device's memory. The loss and what the log may need stay there until they are asked for.

    *Apart*: the engine replays each pass, and `RecordedUpdate` the update. This is done

    - for callbacks and scripts, which come between them;
    - for a learning rate that depends on this iteration's loss (plateau);
    - for more than `MOST_PASSES` passes;
    - when momentum or weight decay has just changed;
    - where only both together cannot be recorded (``CapturedEngine.apart``).

    *Plain*: kernel by kernel. This is done in the first iteration of each kind, and for what cannot
    be recorded: a net (``CapturedEngine.obstacle``) or an update (``RecordedUpdate.obstacle``).
    """

    def __init__(
        self, updater: Updater, engine: CapturedEngine, shared: SharedUpdate | None = None
    ) -> None:
        """``shared``: the update by the gradients of several ranks."""
        self.update = RecordedUpdate(updater, engine)
        self._updater = updater
        self._engine = engine
        self._shared = shared
        self._passes = updater.param.iter_size
        self._kind: tuple[object, ...] | None = None
        self._done_as_one = False

    @property
    def recorded(self) -> bool:
        """Whether updates have been recorded, in either way, and none has failed to be."""
        return not self.obstacle and (self._done_as_one or self.update.recorded)

    @property
    def obstacle(self) -> str:
        """Why updates are not recorded, in words; else empty."""
        return self.update.obstacle

    @property
    def in_one(self) -> bool:
        """Whether iterations may be recorded as one, as far as the solver knows."""
        return not (
            self.update.obstacle
            or self._engine.obstacle
            or self._engine.apart
            or self._updater.param.lr_policy == "plateau"
            or self._passes > MOST_PASSES
        )

    def run(self, iteration: Iteration, rate: float) -> Iterated[Tensor | None] | None:
        """Run an iteration as one, or only its passes, plainly.

        The loss is valid until the next call. Returns None where nothing was done, and the
        iteration has to be run apart.
        """
        amounts = self._updater.amounts(rate, iteration.number)
        kind = self._updater.kind(amounts)
        has_changed = self._kind is not None and self._kind != kind
        self._kind = kind
        if has_changed or not self.in_one:
            return None
        ending = self._ending(iteration, self.update.on_device(amounts))
        done = self._engine.iterate(self._passes, kind, ending)
        if done.updated:
            self._done_as_one = True
            self.update.add_report(done.report, iteration.number)
        elif self._shared is not None:
            # where the iteration could not be recorded, `begin` was not called
            self._shared.take_over(iteration)
        return done

    def _ending(self, iteration: Iteration, amounts: Amounts) -> Ending[Tensor | None]:
        """The update of an iteration, preceded by the exchange of the ranks' gradients.

        ``amounts``: with rates in the device's memory.
        """
        shared = self._shared
        if shared is None:
            return Ending(lambda gradients: self.update.update(gradients, amounts))
        reports: list[Tensor | None] = []

        def update_some(gradients: list[Tensor | None], only: Collection[int]) -> None:
            reports.append(self.update.update(gradients, amounts, only=only))

        def update(gradients: Sequence[Tensor | None]) -> Tensor | None:
            reports.clear()
            shared.record(gradients, update_some)
            return reports[0]

        def begin() -> None:
            shared.begin(iteration, early=True)

        return Ending(update, listen=begin, forget=shared.cancel)
