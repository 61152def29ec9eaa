from __future__ import annotations

import torch

from caffepy.parallel.transport.communicator import Communicator
from tests.parallel.exchange.nets import SHAPES, make_net
from tests.parallel.ranks import run_ranks


def test_a_rank_sends_2_n_minus_1_over_n_of_the_buffer() -> None:
    def body(c: Communicator) -> tuple[int, int]:
        net = make_net(c, "allreduce", bucket_bytes=1 << 20)
        net.iterate(0, c.rank)
        return c.traffic.sent_bytes["send"], 4 * net.exchange.buffer.flat.numel()

    for size in (2, 3, 4):
        results = run_ranks(size, body)
        total = results[0][1]
        assert sum(sent for sent, _ in results) == 2 * (size - 1) * total
        assert all(abs(sent - 2 * (size - 1) / size * total) <= 8 * size for sent, _ in results)


def test_gradients_that_are_ready_travel_before_the_end() -> None:
    def body(c: Communicator) -> list[bool]:
        net = make_net(c, "allreduce")
        found = net.gradients(0, c.rank)
        for param in (5, 4, 3):
            net.exchange.ready(param, found[param])
        started = [bucket.job is not None for bucket in net.exchange.buckets]
        net.exchange.finish(found)
        return started

    (first, *others) = run_ranks(2, body)[0]
    assert first
    assert not all(others)


def test_all_parameters_are_updated_in_one_call() -> None:
    def body(c: Communicator) -> list[list[int]]:
        net = make_net(c, "allreduce")
        net.iterate(0, c.rank)
        return net.update.calls

    assert run_ranks(2, body) == [[list(range(len(SHAPES)))]] * 2


def test_gradients_computed_into_the_buffer_are_not_copied() -> None:
    def body(c: Communicator) -> bool:
        net = make_net(c, "allreduce")
        views = net.exchange.buffer.views
        for view in views:
            view.fill_(c.rank + 1.0)
        net.exchange.finish(list(views))
        return all(torch.equal(view, torch.full(view.shape, 1.5)) for view in views)

    assert run_ranks(2, body) == [True, True]


def test_a_lazy_update_comes_when_a_parameter_is_used() -> None:
    def body(c: Communicator) -> tuple[list[list[int]], list[list[int]]]:
        net = make_net(c, "allreduce", lazy=True)
        net.iterate(0, c.rank)
        before = list(net.update.calls)
        net.exchange.wait(0)
        return before, net.update.calls

    before, after = run_ranks(2, body)[0]
    assert before == []
    assert len(after) == 1
    assert 0 in after[0]
    assert len(after[0]) < len(SHAPES)
