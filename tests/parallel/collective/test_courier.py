from __future__ import annotations

import time
from dataclasses import dataclass

import pytest

from caffepy.parallel.collective.courier import PERIOD_S, Courier, Task, TaskGroup


@dataclass
class After:
    """A transfer that is done when it has been asked so often."""

    questions: int

    def done(self) -> bool:
        self.questions -= 1
        return self.questions < 0


def _task(transfers: list[After], told: list[str], name: str) -> Task:
    for transfer in transfers:
        yield transfer
        told.append(name)


def test_a_thread_moves_tasks_on() -> None:
    told: list[str] = []
    courier = Courier(threaded=True)
    job = courier.start(_task([After(3), After(3)], told, "a"))
    assert not job.finished
    deadline = time.monotonic() + 10
    while not job.finished and time.monotonic() < deadline:
        time.sleep(0.005)
    assert told == ["a", "a"]


def test_without_a_thread_nothing_moves_until_somebody_comes_by() -> None:
    told: list[str] = []
    courier = Courier(threaded=False)
    first = courier.start(_task([After(4)], told, "a"))
    time.sleep(0.02)
    assert not first.finished
    second = courier.start(_task([After(2)], told, "b"))
    courier.wait(second)
    assert "b" in told
    courier.wait(first)
    assert sorted(told) == ["a", "b"]
    assert not courier.advance()


def test_a_task_without_transfers_is_done_at_once() -> None:
    told: list[str] = []
    assert Courier(threaded=False).start(_task([], told, "a")).finished


@pytest.mark.parametrize("threaded", [True, False])
def test_what_a_task_raises_is_raised_where_it_is_waited_for(threaded: bool) -> None:
    def fail() -> Task:
        yield After(2)
        raise ValueError("broken pipe")

    courier = Courier(threaded=threaded)
    job = courier.start(fail())
    with pytest.raises(ValueError, match="broken pipe"):
        courier.wait(job)


def test_several_tasks_as_one_transfer_a_few_at_once() -> None:
    told: list[str] = []

    def task(name: str) -> Task:
        told.append(f"{name} begins")
        yield After(1)
        told.append(f"{name} ends")

    both = TaskGroup((task(name) for name in "abc"), at_once=2)
    assert not both.done()
    assert told == ["a begins", "b begins"]
    while not both.done():
        pass
    assert told[:4] == ["a begins", "b begins", "a ends", "b ends"]
    assert told[4:] == ["c begins", "c ends"]


def test_no_tasks_are_done_at_once() -> None:
    assert TaskGroup(()).done()


def test_what_moves_is_asked_for_soon_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Between one movement and the next nothing long has been slept."""
    naps: list[float] = []
    monkeypatch.setattr("caffepy.parallel.collective.courier.time.sleep", naps.append)
    told: list[str] = []
    courier = Courier(threaded=False)
    courier.wait(courier.start(_task([After(3), After(3)], told, "a")))
    assert told == ["a", "a"]
    assert naps
    assert max(naps) < PERIOD_S
