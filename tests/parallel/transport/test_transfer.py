"""How a rank waits for what is under way: by counts of looks, on a clock that only sleeping moves."""

from __future__ import annotations

import pytest

from caffepy.parallel.transport import transfer
from caffepy.parallel.transport.transfer import LONGEST_NAP_S, NAP_S, NAP_SHARE, nap_s, sleep_until

LOOK_S = 5e-6


class Until:
    """Done at a time of the clock, which each look moves on a little."""

    def __init__(self, end_s: float) -> None:
        self.end_s = end_s
        self.now_s = 0.0
        self.naps: list[float] = []

    def done(self) -> bool:
        self.now_s += LOOK_S
        return self.now_s >= self.end_s

    def sleep(self, seconds: float) -> None:
        self.naps.append(seconds)
        self.now_s += seconds


def _waited(monkeypatch: pytest.MonkeyPatch, end_s: float) -> Until:
    until = Until(end_s)
    monkeypatch.setattr(transfer.time, "sleep", until.sleep)
    monkeypatch.setattr(transfer.time, "perf_counter", lambda: until.now_s)
    sleep_until(until)
    return until


def test_who_waits_long_asks_less_often() -> None:
    naps = [nap_s(still_s) for still_s in (0.0, 1e-4, 2e-3, 8e-3, 1.0)]
    assert naps == sorted(naps)
    assert (naps[0], naps[-1]) == (NAP_S, LONGEST_NAP_S)
    assert naps[3] == 0.5e-3


def test_what_is_soon_done_is_not_slept_for(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _waited(monkeypatch, NAP_S).naps == []


@pytest.mark.parametrize("end_s", [1e-3, 10e-3, 300e-3])
def test_a_long_wait_is_mostly_slept_and_ends_soon_after(monkeypatch: pytest.MonkeyPatch, end_s: float) -> None:
    until = _waited(monkeypatch, end_s)
    assert sum(until.naps) > 0.8 * end_s
    assert until.now_s - end_s < max(NAP_S, NAP_SHARE * end_s) + LOOK_S
