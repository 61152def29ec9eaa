"""A GPU's updates, recorded once and replayed: with the passes of `captured`, a whole iteration costs the host two calls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import torch
from torch import Tensor

from caffepy import log
from caffepy.engine.captured import CapturedEngine
from caffepy.errors import one_line
from caffepy.solver.update import Amounts, Updater, norm, tell_clipped

MOST_RECORDINGS = 16
"""Where momentum, weight decay or the places of gradients are new more often than this, updates are not recorded."""

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
    the log says of clipped or overflown gradients, it says one iteration later.
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
        self._report: _Report | None = None
        self.obstacle = "" if updater.loss_scale is None or updater.fused else "no kernel of this rule leaves out what has overflown"
        """Why updates are not recorded, in words; else empty."""

    def apply(self, gradients: Sequence[Tensor | None], rate: float, iteration: int) -> None:
        """See `Updater.apply`."""
        self.tell()
        given = [g for g in gradients if g is not None]
        if self.obstacle or not (self._engine.replayed and given):
            self._updater.apply(gradients, rate, iteration)
            return
        amounts = self._updater.amounts(rate, iteration)
        self._write(amounts)
        moving = replace(amounts, rate=self._rates[0], correction=self._rates[1])
        key = (amounts.momentum, amounts.decay, *((g.data_ptr(), g.stride()) for g in given))
        with torch.no_grad():
            found = self._replayed(key, lambda: self._update(gradients, given, moving))
            if found is not None:
                self._report = _report(iteration, found)

    @property
    def recorded(self) -> bool:
        """Some updates have been recorded, and none has failed to be."""
        return any(self._recordings.values())

    def tell(self) -> None:
        """Log what there is to say of the last update."""
        report, self._report = self._report, None
        if report is None:
            return
        if report.arrived is not None:
            report.arrived.synchronize()
        length, overflow, scale = report.found.tolist()
        if overflow and self._updater.loss_scale is not None:
            self._updater.loss_scale.tell_overflow(report.iteration, scale)
        elif self._updater.clips and length > self._updater.param.clip_gradients:
            tell_clipped(length, self._updater.param.clip_gradients)

    def _write(self, amounts: Amounts) -> None:
        """The rates to the device, behind the updates before."""
        rates = (float(amounts.rate), float(amounts.correction))
        if rates != self._written:
            pinned = torch.tensor(rates, dtype=torch.float32, pin_memory=self._rates.is_cuda)
            self._rates.copy_(pinned, non_blocking=True)
            self._written = rates

    def _update(self, gradients: Sequence[Tensor | None], given: Sequence[Tensor], amounts: Amounts) -> Tensor | None:
        """One update, and what `_Report` is made of."""
        updater, scaled = self._updater, self._updater.loss_scale
        overflow = None if scaled is None else scaled.unscale(given)
        length = norm(given) if updater.clips else None
        clip = 1.0 if length is None else (updater.param.clip_gradients / length).clamp_(max=1.0).nan_to_num_(1.0)  # 0 by 0
        updater.run(gradients, amounts, clip=clip, overflow=overflow)
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
                self._give_up(f"momentum, weight decay or gradients' places were new {MOST_RECORDINGS} times")
            return update()
        recording = self._recordings[key]
        if recording is None:
            try:
                recording = self._recordings[key] = _Recording(*self._engine.recorder.record(update, passes=0))
            except RuntimeError as error:
                self._give_up(one_line(error)[:200])
                return update()
        recording.replay()
        return recording.found

    def _give_up(self, reason: str) -> None:
        self.obstacle = reason
        self._recordings.clear()
        log.info("recorded_update.py:0", f"Updates of net '{self._engine.graph.name}' are not recorded as a CUDA graph: {reason}.")


def _report(iteration: int, found: Tensor) -> _Report:
    """The numbers on their way to the host, which does not wait."""
    sent = found.to("cpu", non_blocking=True)
    if not found.is_cuda:
        return _Report(iteration, sent.clone(), None)
    arrived = torch.cuda.Event()
    arrived.record(torch.cuda.current_stream(found.device))
    return _Report(iteration, sent, arrived)
