from __future__ import annotations

from caffepy.parallel.exchange.server.allowance import Allowance


class Clock:
    """A time that the test sets."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_without_a_limit_everything_goes() -> None:
    allowance = Allowance()
    assert all(allowance.claim(1 << 30, (0,)).done() for _ in range(3))


def test_a_message_waits_until_those_before_it_are_paid_for() -> None:
    clock = Clock()
    allowance = Allowance(100.0, clock)
    first, second = allowance.claim(50, (0, 0)), allowance.claim(200, (0, 1))
    assert first.done()
    assert not second.done()
    clock.now = 0.49
    assert not second.done()
    clock.now = 0.5
    assert second.done()
    third = allowance.claim(1, (0, 0))
    clock.now = 2.4
    assert not third.done()
    clock.now = 2.6
    assert third.done()


def test_the_lowest_priority_goes_first_whenever_it_came() -> None:
    clock = Clock()
    allowance = Allowance(1.0, clock)
    assert allowance.claim(1, (5, 5)).done()
    priorities = [(2, 0), (1, 7), (1, 3)]
    claims = {priority: allowance.claim(1, priority) for priority in priorities}
    order = []
    for _ in priorities:
        clock.now += 1
        (granted,) = [priority for priority, claim in claims.items() if claim.done()]
        order.append(granted)
        del claims[granted]
    assert order == sorted(priorities)
