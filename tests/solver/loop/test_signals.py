"""Signals are remembered, given out once, and put back."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import pytest

from caffepy import log
from caffepy.errors import UsageError
from caffepy.solver.loop.signals import Action, Requests, Signals, action


def test_each_signal_has_its_action_once() -> None:
    with Signals(sigint=Action.STOP, sighup=Action.SNAPSHOT).caught() as signals:
        assert signals.requested() is Action.NONE
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGHUP)
        assert signals.requested() is Action.SNAPSHOT
        assert signals.requested() is Action.STOP
        assert signals.requested() is Action.NONE


def test_none_is_swallowed() -> None:
    with Signals(sigint=Action.NONE).caught() as signals:
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
        assert signals.requested() is Action.NONE


def test_handlers_are_put_back() -> None:
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGHUP)
    with Signals().caught():
        assert signal.getsignal(signal.SIGINT) != before[0]
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGHUP)) == before


PROGRAM = """
import signal
from caffepy import log
from caffepy.solver.loop.signals import Action, Signals
log.configure()
with Signals(sigint=Action("{effect}")).caught() as signals:
    for number in range(5):
        signal.raise_signal(signal.SIGINT)
        print(number, signals.requested().value if {asked} else "unasked", flush=True)
"""


def _interrupted(effect: str, *, asked: bool) -> tuple[list[str], int, list[str]]:
    """What it prints, its exit code, its log."""
    code = PROGRAM.format(effect=effect, asked=asked)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    return done.stdout.splitlines(), done.returncode, [line.split("] ")[1] for line in done.stderr.splitlines()]


def test_a_third_interrupt_ends_the_program_and_says_so() -> None:
    third = "; a third interrupt ends the program at once"
    end = "interrupted for the third time: the program ends at once, with the snapshots that are there"
    stop = "interrupt: stopping after this iteration and a snapshot"
    snapshot = "interrupt: a snapshot after this iteration"
    says = [stop, stop + third, end]
    assert _interrupted("stop", asked=False) == (["0 unasked", "1 unasked"], -signal.SIGINT, says)
    assert _interrupted("stop", asked=True) == (["0 stop", "1 stop"], -signal.SIGINT, says), "an end that was asked for is not there yet"
    says = [snapshot, snapshot + third, end]
    assert _interrupted("snapshot", asked=False) == (["0 unasked", "1 unasked"], -signal.SIGINT, says)


def test_interrupts_that_were_served_do_not_count() -> None:
    says = ["interrupt: a snapshot after this iteration"] * 5
    assert _interrupted("snapshot", asked=True) == ([f"{i} snapshot" for i in range(5)], 0, says)
    assert _interrupted("none", asked=False) == ([f"{i} unasked" for i in range(5)], 0, [])


def test_each_signal_is_acknowledged_at_once(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log.sink, "min_level", log.INFO)
    with Signals(sigterm=Action.STOP, snapshot_at_end=False).caught():
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.raise_signal(number)
    assert [line.split("] ")[1] for line in capsys.readouterr().err.splitlines()] == [
        "SIGTERM: stopping after this iteration, without a snapshot",
        "hang-up: a snapshot after this iteration",
    ]


def test_action_names() -> None:
    assert action("none", "sigint_effect") is Action.NONE
    with pytest.raises(UsageError, match="-sighup_effect foo: Invalid signal effect"):
        action("foo", "sighup_effect")


@pytest.mark.parametrize(("after", "asked"), [(0.5, Action.NONE), (1.5, Action.SNAPSHOT)])
def test_a_second_hang_up_asks_for_the_snapshot_that_has_just_begun(monkeypatch: pytest.MonkeyPatch, after: float, asked: Action) -> None:
    now = 100.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    signals = Signals(sigint=Action.STOP)
    signals._note(signal.SIGHUP, None)
    assert signals.requested() is Action.SNAPSHOT
    signals.snapshot_begins()
    now += after
    signals._note(signal.SIGHUP, None)
    assert signals.requested() is asked
    signals._note(signal.SIGINT, None)
    assert signals.requested() is Action.STOP, "no end is left out"


class Rings(Signals):
    """Signals that ask for these actions, one at each call."""

    def __init__(self, *actions: Action) -> None:
        super().__init__()
        self._left = list(actions)

    def requested(self) -> Action:
        return self._left.pop(0) if self._left else Action.NONE


def test_a_snapshot_waits_until_a_test_is_over() -> None:
    requests = Requests(Rings(Action.SNAPSHOT))
    assert not requests.stop()
    assert not requests.stop()
    assert [requests.take(), requests.take()] == [Action.SNAPSHOT, Action.NONE]


@pytest.mark.parametrize("actions", [(Action.SNAPSHOT, Action.STOP), (Action.SNAPSHOT, Action.NONE, Action.SNAPSHOT, Action.STOP)])
def test_the_end_takes_no_snapshot_away_that_waits(actions: tuple[Action, ...]) -> None:
    requests = Requests(Rings(*actions))
    assert [requests.stop() for _ in actions] == [action is Action.STOP for action in actions]
    assert [requests.waiting(), requests.waiting(), requests.take()] == [True, False, Action.NONE]


def test_the_end_is_asked_for_once() -> None:
    requests = Requests(Rings(Action.NONE, Action.STOP))
    assert [requests.stop(), requests.stop(), requests.stop()] == [False, True, False]
    assert requests.take() is Action.NONE
    assert Requests(None).take() is Action.NONE
