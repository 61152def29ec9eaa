from __future__ import annotations

import pytest

from caffepy.parallel.exchange.core.network import Stage
from caffepy.parallel.predict.simulation import Simulation


def simulation() -> Simulation:
    return Simulation(computing_hop_s=0.01, waiting_hop_s=0.001)


def test_bytes_then_hops_then_the_rest() -> None:
    w = simulation()
    w.wait(w.start([Stage({"link": 2.0}, hops=4, then_s=0.5)]))
    assert w.now == pytest.approx(2.0 + 4 * 0.001 + 0.5)


def test_stages_follow_one_another() -> None:
    w = simulation()
    w.wait(w.start([Stage({"in": 1.0}, hops=0), Stage({"out": 2.0}, hops=0), Stage({}, hops=10)]))
    assert w.now == pytest.approx(3.0 + 10 * 0.001)


def test_two_share_a_link_and_the_shorter_leaves_it() -> None:
    w = simulation()
    short, long = w.start([Stage({"link": 1.0}, hops=0)]), w.start([Stage({"link": 3.0}, hops=0)])
    w.wait(short)
    assert w.now == pytest.approx(2.0)
    w.wait(long)
    assert w.now == pytest.approx(4.0)


def test_the_one_with_more_pieces_gets_more_of_the_link() -> None:
    w = simulation()
    w.start([Stage({"link": 30.0}, hops=0, pieces=30)])
    w.wait(w.start([Stage({"link": 1.0}, hops=0)]))
    assert w.now == pytest.approx(9.0)  # 8 pieces of the other are under way


def test_other_links_are_not_shared() -> None:
    w = simulation()
    first, second = w.start([Stage({"a": 1.0}, hops=0)]), w.start([Stage({"b": 1.0}, hops=0)])
    w.wait(first)
    w.wait(second)
    assert w.now == pytest.approx(1.0)


def test_what_travels_while_the_rank_computes_is_hidden() -> None:
    w = simulation()
    transfer = w.start([Stage({"link": 1.0}, hops=100)])
    w.compute(1.5)
    w.wait(transfer)
    assert w.now == pytest.approx(1.5 + 50 * 0.001)  # half of the hops were made while it computed, at 0.01 s


def test_messages_take_some_of_the_processor() -> None:
    w = simulation()
    w.start([Stage({"link": 1.0}, hops=0, processor=0.25)])
    w.compute(2.0)
    assert w.now == pytest.approx(2.25)


def test_messages_that_want_the_whole_processor_get_half() -> None:
    w = simulation()
    transfer = w.start([Stage({"link": 1.0}, hops=0, processor=1.0)])
    w.compute(1.5)
    assert transfer.done
    assert w.now == pytest.approx(2.5)


def test_a_rank_that_waits_has_no_more_than_a_processor() -> None:
    w = simulation()
    w.wait(w.start([Stage({"link": 1.0}, hops=0, processor=4.0)]))
    assert w.now == pytest.approx(4.0)


def test_hops_of_many_pieces_keep_the_link_waiting() -> None:
    w = simulation()
    w.wait(w.start([Stage({"link": 1.0}, hops=1000, pieces=16)]))
    assert w.now == pytest.approx((1.0 + 16 * 1.0) / 8)


def test_nothing_to_do() -> None:
    w = simulation()
    w.wait(w.start([Stage({}, hops=0)]))
    assert w.now == 0.0


def test_what_goes_in_order_is_there_one_after_the_other() -> None:
    w = simulation()
    first = w.start([Stage({"link": 2.0}, hops=0, in_order=True)])
    second = w.start([Stage({"link": 1.0}, hops=0, in_order=True)])
    w.wait(first)
    assert w.now == pytest.approx(2.0)
    w.wait(second)
    assert w.now == pytest.approx(3.0)


def test_those_in_order_leave_others_their_share() -> None:
    w = simulation()
    w.start([Stage({"link": 9.0}, hops=0, in_order=True)])
    w.wait(w.start([Stage({"link": 1.0}, hops=0)]))
    assert w.now == pytest.approx(2.0)


def test_what_another_link_holds_back_leaves_its_share_to_others() -> None:
    w = simulation()
    w.start([Stage({"link": 0.5, "slow": 8.0}, hops=0)])  # a sixteenth of the link is all that it can use
    w.wait(w.start([Stage({"link": 1.0}, hops=0)]))
    assert w.now == pytest.approx(16 / 15)


def test_a_link_that_carries_one_piece_of_many_is_shared_by_one() -> None:
    w = simulation()
    w.start([Stage({"own": 8.0, "other": 1.0}, hops=0, pieces=8)])
    w.wait(w.start([Stage({"other": 7 / 8}, hops=0)]))
    assert w.now == pytest.approx(1.0)  # the eighth that the other wants is less than its half


def test_the_first_of_several_senders_sends_on_while_the_others_wait() -> None:
    """Three messages of a third each: until they are all there, as much again of what comes later, twice and once."""
    w = simulation()
    first = w.start([Stage({"in": 3.0}, hops=0, pieces=3, in_order=True, senders=3)])
    last = w.start([Stage({"in": 30.0}, hops=0, pieces=3, in_order=True, senders=3)])
    w.wait(first)
    assert w.now == pytest.approx(3.0 + 1.0 + 2.0)
    w.wait(last)
    assert w.now == pytest.approx(33.0)


@pytest.mark.parametrize(
    ("pieces", "later_s", "later_pieces", "overtaken_s"),
    [
        pytest.param(30, 30.0, 300, 0.1 + 0.2, id="senders of pieces begin a piece apart"),
        pytest.param(3, 4.5, 3, 1.0 + 1.5, id="no more is sent on than there is"),
    ],
)
def test_how_much_is_sent_on_meanwhile(pieces: int, later_s: float, later_pieces: int, overtaken_s: float) -> None:
    w = simulation()
    first = w.start([Stage({"in": 3.0}, hops=0, pieces=pieces, in_order=True, senders=3)])
    w.start([Stage({"in": later_s}, hops=0, pieces=later_pieces, in_order=True, senders=3)])
    w.wait(first)
    assert w.now == pytest.approx(3.0 + overtaken_s)


def test_few_pieces_at_once_keep_the_link_waiting() -> None:
    w = simulation()
    w.wait(w.start([Stage({"link": 1.0}, hops=1, pieces=100, at_once=1, last_hops=3)]))
    assert w.now == pytest.approx(1.0 + 99 * 0.001 + 3 * 0.001)
