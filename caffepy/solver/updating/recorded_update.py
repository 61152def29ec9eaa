"""A GPU's updates, recorded as a CUDA graph: by themselves, or as a part of an iteration."""

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
from caffepy.solver.update_rules.rules import Number
from caffepy.solver.updating.updater import Amounts, Updater, log_clipped, norm

MOST_RECORDINGS = 16
"""Updates whose momentum, weight decay or addresses of gradients change more often than this are
not recorded."""

MOST_REPORTS = 256
"""How many updates may have reports that the log does not have yet: no iteration waits for them."""

Key: TypeAlias = tuple[object, ...]


@dataclass(frozen=True)
class _Recording:
    """What replays an update.  ``report``: where each replay leaves the report, if there is one."""

    replay: Callable[[], None]
    report: Tensor | None


@dataclass(frozen=True)
class _Report:
    """What the log may say of an iteration's update, on its way to the host.

    ``numbers``: the norm of the gradients, whether they have overflowed, the loss scale.
    ``arrived``: reached when the numbers are there.
    """

    iteration: int
    numbers: Tensor
    arrived: torch.cuda.Event | None

    @property
    def is_there(self) -> bool:
        """Whether the host can read the numbers without waiting."""
        return self.arrived is None or self.arrived.query()


class RecordedUpdate:
    """`Updater`, with each kind of update recorded the second time that it is made.

    Learning rates are read from the device's memory, so that a recording serves for all rates.
    The host waits for nothing. What the log says of clipped or overflowed gradients, it says when
    the device has come so far, at the latest before the next iteration is displayed.
    """

    def __init__(self, updater: Updater, engine: CapturedEngine) -> None:
        """``engine``: the net whose gradients they are; it has the recorder."""
        self._updater = updater
        self._engine = engine
        device = engine.arena.device
        self._rates = torch.zeros(2, device=device)
        """The learning rate, and Adam's correction of it."""
        self._rates_there = (0.0, 0.0)
        self._zero = torch.zeros((), device=device)
        self._recordings: dict[Key, _Recording | None] = {}
        """By kind of update; None: made once, and not recorded yet."""
        self._reports: deque[_Report] = deque()
        self._has_recorded = False
        self.obstacle = ""
        """Why updates are not recorded, in words; else empty."""
        if updater.loss_scale is not None and not updater.fused:
            self.obstacle = "no kernel of this rule leaves out gradients that have overflowed"

    def apply(self, gradients: Sequence[Tensor | None], rate: float, iteration: int) -> None:
        """See `Updater.apply`."""
        given = [gradient for gradient in gradients if gradient is not None]
        if self.obstacle or not (self._engine.replayed and given):
            self.log_reports()
            self._updater.apply(gradients, rate, iteration)
            return
        amounts = self._updater.amounts(rate, iteration)
        on_device = self.on_device(amounts)
        addresses = [(gradient.data_ptr(), gradient.stride()) for gradient in given]
        key = (*self._updater.kind(amounts), *addresses)
        with torch.no_grad():
            report = self._run(key, lambda: self.update(gradients, on_device))
            self.add_report(report, iteration)

    @property
    def recorded(self) -> bool:
        """Whether updates have been recorded, and none has failed to be."""
        return self._has_recorded and not self.obstacle

    def close(self) -> None:
        """Free the recordings."""
        self._recordings.clear()

    def log_reports(self, *, before: int | None = None) -> None:
        """Log the reports of all updates, or of those ``before`` an iteration; waits for them."""
        while self._reports and (before is None or self._reports[0].iteration < before):
            self._log(self._reports.popleft())

    def _log_arrived(self) -> None:
        """Log the reports that have arrived; wait only for what is over `MOST_REPORTS`."""
        while self._reports and (len(self._reports) >= MOST_REPORTS or self._reports[0].is_there):
            self._log(self._reports.popleft())

    def _log(self, report: _Report) -> None:
        if report.arrived is not None and not report.is_there:
            report.arrived.synchronize()
        length, overflow, scale = report.numbers.tolist()
        limit = self._updater.param.clip_gradients
        if overflow and self._updater.loss_scale is not None:
            self._updater.loss_scale.log_overflow(report.iteration, scale)
        elif self._updater.clips and length > limit:
            log_clipped(length, limit)

    def on_device(self, amounts: Amounts) -> Amounts:
        """``amounts`` with its rates in the device's memory, where updates read them.

        They are written in the order of the device's work, so after the updates before.
        """
        rates = (float(amounts.rate), float(amounts.correction))
        if rates != self._rates_there:
            pinned = torch.tensor(rates, dtype=torch.float32, pin_memory=self._rates.is_cuda)
            self._rates.copy_(pinned, non_blocking=True)
            self._rates_there = rates
        return replace(amounts, rate=self._rates[0], correction=self._rates[1])

    def add_report(self, numbers: Tensor | None, iteration: int) -> None:
        """Keep what `update` returned for ``iteration``, for the log."""
        self._log_arrived()
        if numbers is not None:
            self._reports.append(_report(iteration, numbers))

    def update(
        self,
        gradients: Sequence[Tensor | None],
        amounts: Amounts,
        *,
        only: Collection[int] | None = None,
    ) -> Tensor | None:
        """The arithmetic of an update; returns what `add_report` takes.

        ``amounts``: from `on_device`. ``only``: see `Updater.apply`.
        """
        given = [gradient for gradient in gradients if gradient is not None]
        updater = self._updater
        overflow = None
        if updater.loss_scale is not None and given:
            overflow = updater.loss_scale.unscale(given)
        length = norm(given) if updater.clips and given else None
        clip: Number = 1.0
        if length is not None:
            clip = (updater.param.clip_gradients / length).clamp_(max=1.0)
            clip.nan_to_num_(1.0)  # 0 by 0
        updater.run(gradients, amounts, clip=clip, overflow=overflow, only=only)
        if overflow is None and length is None:
            return None
        scale = None if updater.loss_scale is None else updater.loss_scale.scale
        numbers = [self._zero if number is None else number for number in (length, overflow, scale)]
        return torch.stack(numbers)

    def _run(self, key: Key, update: Callable[[], Tensor | None]) -> Tensor | None:
        """Make an update of the kind ``key``: as it is the first time, then from a recording."""
        if key not in self._recordings:
            if len(self._recordings) < MOST_RECORDINGS:
                self._recordings[key] = None
            else:
                self._give_up(
                    "momentum, weight decay or addresses of gradients "
                    f"changed {MOST_RECORDINGS} times"
                )
            return update()
        recording = self._recordings[key]
        if recording is None:
            try:
                recording = _Recording(*self._engine.recorder.record(update, passes=0))
            except RuntimeError as error:
                self._give_up(one_line(error)[:200])
                return update()
            self._recordings[key] = recording
            self._has_recorded = True
        recording.replay()
        return recording.report

    def _give_up(self, reason: str) -> None:
        self.obstacle = reason
        self._recordings.clear()
        net = self._engine.graph.name
        log.info(
            "recorded_update.py:0",
            f"Updates of net '{net}' are not recorded as a CUDA graph: {reason}.",
        )


def _report(iteration: int, numbers: Tensor) -> _Report:
    """Send the numbers to the host, which does not wait for them."""
    sent = numbers.to("cpu", non_blocking=True)
    if not numbers.is_cuda:
        return _Report(iteration, sent.clone(), None)
    arrived = torch.cuda.Event()
    arrived.record(torch.cuda.current_stream(numbers.device))
    return _Report(iteration, sent, arrived)
