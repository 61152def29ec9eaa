from __future__ import annotations

from caffepy.parallel.exchange.server.bandwidth_limit import BandwidthLimit


class Clock:
    """A time that the test sets."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_without_a_limit_everything_goes() -> None:
    limit = BandwidthLimit()
    assert all(limit.request(1 << 30, (0,)).done() for _ in range(3))


def test_a_message_waits_until_those_before_it_are_paid_for() -> None:
    clock = Clock()
    limit = BandwidthLimit(100.0, clock)
    first, second = limit.request(50, (0, 0)), limit.request(200, (0, 1))
    assert first.done()
    assert not second.done()
    clock.now = 0.49
    assert not second.done()
    clock.now = 0.5
    assert second.done()
    third = limit.request(1, (0, 0))
    clock.now = 2.4
    assert not third.done()
    clock.now = 2.6
    assert third.done()


def test_the_lowest_priority_goes_first_whenever_it_came() -> None:
    clock = Clock()
    limit = BandwidthLimit(1.0, clock)
    assert limit.request(1, (5, 5)).done()
    priorities = [(2, 0), (1, 7), (1, 3)]
    claims = {priority: limit.request(1, priority) for priority in priorities}
    order = []
    for _ in priorities:
        clock.now += 1
        (granted,) = [priority for priority, permission in claims.items() if permission.done()]
        order.append(granted)
        del claims[granted]
    assert order == sorted(priorities)
