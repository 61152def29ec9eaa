from __future__ import annotations

import torch

from caffepy.parallel.communicator import Communicator
from caffepy.parallel.exchange import GradientBuffer, Setting, make_exchange
from tests.parallel.ranks import run_ranks


def _buffer() -> GradientBuffer:
    flat = torch.zeros(32)
    return GradientBuffer(flat, (flat[16:22].view(2, 3), flat[:4]))


def _finish(c: Communicator, *, average: bool) -> list[list[float]]:
    exchange = make_exchange("allreduce", Setting(c, _buffer(), average=average))
    mine = [torch.full((2, 3), float(c.rank)), torch.full((4,), 10.0 * c.rank)]
    return [found.flatten().tolist() for found in exchange.finish(0, mine)]


def test_mean_and_sum_over_three_ranks() -> None:
    assert run_ranks(3, lambda c: _finish(c, average=True)) == [[[1.0] * 6, [10.0] * 4]] * 3
    assert run_ranks(3, lambda c: _finish(c, average=False)) == [[[3.0] * 6, [30.0] * 4]] * 3


def test_gradients_computed_into_the_buffer_are_not_copied() -> None:
    def body(c: Communicator) -> bool:
        buffer = _buffer()
        exchange = make_exchange("allreduce", Setting(c, buffer))
        buffer.views[0].fill_(c.rank)
        found = exchange.finish(0, [buffer.views[0], torch.ones(4)])
        return found[0].data_ptr() == buffer.views[0].data_ptr() and found[0].tolist() == [[0.5] * 3] * 2

    assert run_ranks(2, body) == [True, True]


def test_payload_is_the_buffer() -> None:
    def body(c: Communicator) -> int:
        _finish(c, average=True)
        return c.traffic.sent_bytes["allreduce"]

    assert run_ranks(2, body) == [4 * 32] * 2
