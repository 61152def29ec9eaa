"""A GPU's updates, recorded once and replayed, by themselves or as a part of an iteration (`recorded_iteration`)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import torch
from torch import Tensor

from caffepy import log
from caffepy.engine.captured import CapturedEngine
from caffepy.errors import one_line
from caffepy.solver.updating.updater import Amounts, Updater, norm, tell_clipped

MOST_RECORDINGS = 16
"""Where momentum, weight decay or the places of gradients are new more often than this, updates are not recorded."""

WAITING = 256
"""Of so many updates the host may not know yet what the log has to say, so that no iteration waits for the device."""

Key: TypeAlias = tuple[object, ...]


@dataclass(frozen=True)
class _Recording:
    """What replays an update, and what its iteration's line in the log is made of, if there may be one."""

    replay: Callable[[], None]
    found: Tensor | None


@dataclass(frozen=True)
class _Report:
    """The norm of an iteration's gradients, whether they have overflown, the loss scale: on their way to the host."""

    iteration: int
    found: Tensor
    arrived: torch.cuda.Event | None


class RecordedUpdate:
    """`Updater` with its updates recorded at their second use.

    Learning rates are read from the device's memory, so that each replay goes by its own. The host waits for nothing: what
    the log says of clipped or overflown gradients, it says when the device has come so far, or before the next iteration is shown.
    """

    def __init__(self, updater: Updater, engine: CapturedEngine) -> None:
        """``engine``: the net that gives the gradients, and the recorder."""
        self._updater, self._engine = updater, engine
        self._rates = torch.zeros(2, device=engine.arena.device)
        """The learning rate, and Adam's correction of it."""
        self._written = (0.0, 0.0)
        self._nothing = torch.zeros((), device=engine.arena.device)
        self._recordings: dict[Key, _Recording | None] = {}
        """None: met once."""
        self._reports: deque[_Report] = deque()
        self._made = False
        self.obstacle = (
            ""
            if updater.loss_scale is None or updater.fused
            else "no kernel of this rule leaves out what has overflown"
        )
        """Why updates are not recorded, in words; else empty."""

    def apply(self, gradients: Sequence[Tensor | None], rate: float, iteration: int) -> None:
        """See `Updater.apply`."""
        given = [g for g in gradients if g is not None]
        if self.obstacle or not (self._engine.replayed and given):
            self.tell()
            self._updater.apply(gradients, rate, iteration)
            return
        amounts = self._updater.amounts(rate, iteration)
        moving = self.moving(amounts)
        key = (*self._updater.kind(amounts), *((g.data_ptr(), g.stride()) for g in given))
        with torch.no_grad():
            self.note(self._replayed(key, lambda: self.update(gradients, moving)), iteration)

    @property
    def recorded(self) -> bool:
        """Some updates have been recorded, and none has failed to be."""
        return self._made and not self.obstacle

    def close(self) -> None:
        """Give the recordings back."""
        self._recordings.clear()

    def tell(self, *, before: int | None = None) -> None:
        """Log what there is to say of all updates so far, or of those ``before`` an iteration; waits for them."""
        while self._reports and (before is None or self._reports[0].iteration < before):
            self._tell(self._reports.popleft())

    def _tell_arrived(self) -> None:
        """The same of those that the device has made, and of all but the last few."""
        while self._reports and (
            len(self._reports) >= WAITING
            or self._reports[0].arrived is None
            or self._reports[0].arrived.query()
        ):
            self._tell(self._reports.popleft())

    def _tell(self, report: _Report) -> None:
        if report.arrived is not None and not report.arrived.query():
            report.arrived.synchronize()
        length, overflow, scale = report.found.tolist()
        if overflow and self._updater.loss_scale is not None:
            self._updater.loss_scale.tell_overflow(report.iteration, scale)
        elif self._updater.clips and length > self._updater.param.clip_gradients:
            tell_clipped(length, self._updater.param.clip_gradients)

    def moving(self, amounts: Amounts) -> Amounts:
        """``amounts`` with rates that are read from the device's memory, where they go behind the updates before."""
        rates = (float(amounts.rate), float(amounts.correction))
        if rates != self._written:
            pinned = torch.tensor(rates, dtype=torch.float32, pin_memory=self._rates.is_cuda)
            self._rates.copy_(pinned, non_blocking=True)
            self._written = rates
        return replace(amounts, rate=self._rates[0], correction=self._rates[1])

    def note(self, found: Tensor | None, iteration: int) -> None:
        """The log may have something to say of the update of ``iteration``, which ``found`` this."""
        self._tell_arrived()
        if found is not None:
            self._reports.append(_report(iteration, found))

    def update(
        self,
        gradients: Sequence[Tensor | None],
        amounts: Amounts,
        *,
        only: Collection[int] | None = None,
    ) -> Tensor | None:
        """The arithmetic of an update at ``amounts`` that are `moving`; what `note` takes.  ``only``: see `Updater.apply`."""
        given = [g for g in gradients if g is not None]
        updater, scaled = self._updater, self._updater.loss_scale
        overflow = None if scaled is None or not given else scaled.unscale(given)
        length = norm(given) if updater.clips and given else None
        clip = (
            1.0
            if length is None
            else (updater.param.clip_gradients / length).clamp_(max=1.0).nan_to_num_(1.0)
        )  # 0 by 0
        updater.run(gradients, amounts, clip=clip, overflow=overflow, only=only)
        if overflow is None and length is None:
            return None
        found = (length, overflow, None if scaled is None else scaled.scale)
        return torch.stack([self._nothing if number is None else number for number in found])

    def _replayed(self, key: Key, update: Callable[[], Tensor | None]) -> Tensor | None:
        """Make an update: the first one of a kind as it is, later ones from the recording of the second."""
        if key not in self._recordings:
            if len(self._recordings) < MOST_RECORDINGS:
                self._recordings[key] = None
            else:
                self._give_up(
                    f"momentum, weight decay or gradients' places were new {MOST_RECORDINGS} times"
                )
            return update()
        recording = self._recordings[key]
        if recording is None:
            try:
                recording = self._recordings[key] = _Recording(
                    *self._engine.recorder.record(update, passes=0)
                )
                self._made = True
            except RuntimeError as error:
                self._give_up(one_line(error)[:200])
                return update()
        recording.replay()
        return recording.found

    def _give_up(self, reason: str) -> None:
        self.obstacle = reason
        self._recordings.clear()
        log.info(
            "recorded_update.py:0",
            f"Updates of net '{self._engine.graph.name}' are not recorded as a CUDA graph: {reason}.",
        )


def _report(iteration: int, found: Tensor) -> _Report:
    """The numbers on their way to the host, which does not wait."""
    sent = found.to("cpu", non_blocking=True)
    if not found.is_cuda:
        return _Report(iteration, sent.clone(), None)
    arrived = torch.cuda.Event()
    arrived.record(torch.cuda.current_stream(found.device))
    return _Report(iteration, sent, arrived)
