"""Transfers that share links, as flows, for predictions.  No message is sent.

Every link carries one unit of work a second. It is divided among the transfers on the link, by the
number of pieces that each has under way.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from caffepy.parallel.exchange.core.network import Stage

AT_ONCE = 8
"""Pieces of one transfer that are under way together, as in `courier.TaskGroup`."""
FAIR_SHARE = 0.5
"""What messages get of the processor at most while the rank computes; all while it waits."""


@dataclass(eq=False)
class SimulatedTransfer:
    """Stages one after the other.

    ``moving``: the part of the present stage's bytes that has not been sent.
    ``hops``, ``rest_s``: what follows in that stage.
    """

    stages: list[Stage]
    moving: float = 0.0
    hops: float = 0.0
    rest_s: float = 0.0
    done: bool = False

    def __post_init__(self) -> None:
        self._begin()

    @property
    def stage(self) -> Stage:
        """What it does at present."""
        return self.stages[0]

    def left(self, rate: float, hop_s: float) -> float:
        """Seconds until what it does now is over.

        First the bytes, then the hops of the last piece, then the rest.
        """
        if self.moving:
            return self.moving / rate
        return self.hops * hop_s if self.hops else self.rest_s

    def go(self, seconds: float, rate: float, hop_s: float, *, ends: bool) -> None:
        """Let so many seconds pass.  ``ends``: what it does now is over then."""
        if self.moving:
            self.moving = 0.0 if ends else max(0.0, self.moving - seconds * rate)
        elif self.hops:
            self.hops = 0.0 if ends else max(0.0, self.hops - seconds / hop_s)
        else:
            self.rest_s = 0.0 if ends else max(0.0, self.rest_s - seconds)
        self._pass_on()

    def _begin(self) -> None:
        self.moving = 1.0 if self.stage.loads else 0.0
        self.hops = float(self.stage.hops)
        self.rest_s = self.stage.then_s
        self._pass_on()

    def _pass_on(self) -> None:
        """Go to the next stage, if this one is over."""
        if self.moving or self.hops or self.rest_s:
            return
        self.stages = self.stages[1:]
        self.done = not self.stages
        if self.stages:
            self._begin()


@dataclass
class Simulation:
    """All transfers under way, and the time.

    ``computing_hop_s``, ``waiting_hop_s``: seconds from one message to the next, while the rank
    computes and while it waits.
    ``now``: seconds since the start.
    """

    computing_hop_s: float
    waiting_hop_s: float
    now: float = 0.0
    _transfers: list[SimulatedTransfer] = field(default_factory=list)

    def start(self, stages: list[Stage]) -> SimulatedTransfer:
        """Begin a transfer now."""
        transfer = SimulatedTransfer(stages)
        if not transfer.done:
            self._transfers.append(transfer)
        return transfer

    def compute(self, seconds: float) -> None:
        """Let time pass until the rank has computed for so long.

        Messages take some of its processor's time meanwhile.
        """
        while seconds > 1e-12:
            rates, taken = self._rates(self.computing_hop_s, FAIR_SHARE)
            share = 1.0 - taken
            seconds -= share * self._step(rates, self.computing_hop_s, at_most=seconds / share)

    def wait(self, transfer: SimulatedTransfer) -> None:
        """Let time pass until the transfer is done."""
        while not transfer.done:
            self._step(self._rates(self.waiting_hop_s, 1.0)[0], self.waiting_hop_s)

    def _rates(self, hop_s: float, most: float) -> tuple[dict[SimulatedTransfer, float], float]:
        """How fast transfers are that move bytes, and what of the processor that takes.

        Their speed is the part of its stage that each covers in a second. ``most``: the part of the
        processor that there is for them.
        """
        moving = {
            transfer: _alone(transfer.stage, hop_s)
            for transfer in self._transfers
            if transfer.moving
        }
        crowd: defaultdict[str, float] = defaultdict(float)
        for transfer, (_, pieces) in moving.items():
            for link in transfer.stage.loads:
                crowd[link] += pieces
        rates = {
            transfer: min(
                1.0 / seconds,
                *(pieces / crowd[link] / load for link, load in transfer.stage.loads.items()),
            )
            for transfer, (seconds, pieces) in moving.items()
        }
        wanted = sum(rate * transfer.stage.processor for transfer, rate in rates.items())
        slower = min(1.0, most / wanted) if wanted else 1.0
        return {transfer: slower * rate for transfer, rate in rates.items()}, slower * wanted

    def _step(
        self, rates: Mapping[SimulatedTransfer, float], hop_s: float, at_most: float = float("inf")
    ) -> float:
        """Go on to the next moment at which something changes; the seconds until then."""
        left = {t: t.left(rates.get(t, 0.0), hop_s) for t in self._transfers}
        seconds = min(at_most, *left.values()) if left else at_most
        for transfer, due in left.items():
            transfer.go(seconds, rates.get(transfer, 0.0), hop_s, ends=due <= seconds)
        self._transfers = [transfer for transfer in self._transfers if not transfer.done]
        self.now += seconds
        return seconds


def _alone(stage: Stage, hop_s: float) -> tuple[float, float]:
    """A stage that has all links to itself.

    Seconds until the hops of its last piece, and how many of its pieces are on a link meanwhile.
    Each piece is on the link for its part of the time, then it hops. So few are under way together
    that this may not fill the link.
    """
    busy = max(stage.loads.values())
    together = min(AT_ONCE, stage.pieces)
    pieces_s = busy + stage.pieces * stage.hops * hop_s
    return max(busy, pieces_s / together - stage.hops * hop_s), together * busy / pieces_s
