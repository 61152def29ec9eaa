"""Transfers that share links, as flows, for predictions.  No message is sent.

Every link carries one unit of work a second. It is divided among the transfers on the link, by the
number of pieces that each has under way; what one of them cannot use, as another of its links has
no more, is the others'. Those that go in order have their part one after the other.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from caffepy.parallel.exchange.core.network import Stage

FAIR_SHARE = 0.5
"""What messages get of the processor at most while the rank computes; all while it waits."""

ROUNDS = 8
"""In which what is left of the links is handed out."""
LITTLE = 1e-6
"""Of a link, that is not worth it."""
Rates = dict["SimulatedTransfer", float]
Alone = tuple[float, dict[str, float]]
"""Of a stage that has all links to itself: seconds, and how many pieces are on each link."""


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
            return self.moving / rate if rate else float("inf")
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
        last = self.stage.last_hops
        self.hops = float(self.stage.hops if last is None else last)
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

    def _rates(self, hop_s: float, most: float) -> tuple[Rates, float]:
        """How fast transfers are that move bytes, and what of the processor that takes.

        Their speed is the part of its stage that each covers in a second. ``most``: the part of the
        processor that there is for them.
        """
        moving = {
            transfer: _alone(transfer.stage, hop_s)
            for transfer in self._transfers
            if transfer.moving
        }
        rates = _divide_links(moving)
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
            if transfer.moving and due <= seconds:
                transfer.rest_s += self._overtaken_s(transfer)
            transfer.go(seconds, rates.get(transfer, 0.0), hop_s, ends=due <= seconds)
        self._transfers = [transfer for transfer in self._transfers if not transfer.done]
        self.now += seconds
        return seconds

    def _overtaken_s(self, transfer: SimulatedTransfer) -> float:
        """Seconds for which later transfers have had the busiest link, by `Stage.senders`.

        Until the second of n senders begins, a message later, the first sends as much again of what
        comes later, until the third two senders do: if they have so much.
        """
        loads, senders = transfer.stage.loads, transfer.stage.senders
        busiest = max(loads, key=lambda link: loads[link])
        later = self._transfers[self._transfers.index(transfer) + 1 :]
        rest_s = sum(other.moving * other.stage.loads.get(busiest, 0.0) for other in later)
        message_s = loads[busiest] / transfer.stage.pieces
        return sum(min(earlier * message_s, rest_s / senders) for earlier in range(1, senders))


def _divide_links(moving: Mapping[SimulatedTransfer, Alone]) -> Rates:
    """What each transfer covers of its stage in a second.

    ``moving``: what `_alone` says of each.
    """
    crowd = _crowd(moving)
    ordered = _crowd({one: found for one, found in moving.items() if one.stage.in_order})
    ordered_part = {link: ordered.get(link, 0.0) / crowd[link] for link in crowd}
    free = dict(ordered_part)
    rates: Rates = {}
    for transfer, (seconds, _) in moving.items():
        if transfer.stage.in_order:
            loads = transfer.stage.loads
            rates[transfer] = min(1.0 / seconds, *(free[link] / loads[link] for link in loads))
            _take(free, loads, rates[transfer])
    free = {link: free[link] + 1.0 - ordered_part[link] for link in crowd}
    waiting = {transfer: found for transfer, found in moving.items() if transfer not in rates}
    for _ in range(ROUNDS):
        crowd = _crowd(waiting)
        more = {}
        for transfer, (seconds, pieces) in waiting.items():
            more[transfer] = min(
                1.0 / seconds - rates.get(transfer, 0.0),
                *(
                    pieces[link] * free[link] / crowd[link] / load
                    for link, load in transfer.stage.loads.items()
                ),
            )
        for transfer, rate in more.items():
            rates[transfer] = rates.get(transfer, 0.0) + rate
            _take(free, transfer.stage.loads, rate)
        waiting = {
            transfer: found
            for transfer, found in waiting.items()
            if rates[transfer] * found[0] < 1.0 - LITTLE
            and all(free[link] > LITTLE for link in transfer.stage.loads)
        }
        if not waiting:
            break
    return rates


def _crowd(moving: Mapping[SimulatedTransfer, Alone]) -> dict[str, float]:
    """How many pieces are on each link."""
    crowd: defaultdict[str, float] = defaultdict(float)
    for _, pieces in moving.values():
        for link, many in pieces.items():
            crowd[link] += many
    return crowd


def _take(free: dict[str, float], loads: Mapping[str, float], rate: float) -> None:
    """Leave of the links what a transfer with this rate does not use."""
    for link, load in loads.items():
        free[link] = max(0.0, free[link] - rate * load)


def _alone(stage: Stage, hop_s: float) -> Alone:
    """A stage that has all links to itself.

    Seconds until the hops of its last piece, and how many of its pieces are on each link, while one
    is. Each piece is on a link for its part of the time, then it hops. So few are under way
    together that this may not fill the link. A link that carries all of them has all, one that
    carries every tenth has one.
    """
    busy = max(stage.loads.values())
    together = min(stage.at_once, stage.pieces)
    pieces_s = busy + stage.pieces * stage.hops * hop_s
    pieces = together * busy / pieces_s
    on_each = {
        link: min(pieces, max(1.0, load / busy * pieces)) for link, load in stage.loads.items()
    }
    return max(busy, pieces_s / together - stage.hops * hop_s), on_each
