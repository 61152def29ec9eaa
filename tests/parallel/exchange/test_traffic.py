"""What ranks send, where it does not depend on who they are."""

from __future__ import annotations

import pytest

from caffepy.parallel.transport.communicator import Communicator
from tests.parallel.exchange.nets import make_net
from tests.parallel.ranks import run_ranks


@pytest.mark.parametrize("name", ["tree", "rma_tree", "ps"])
@pytest.mark.parametrize("size", [2, 3, 5])
def test_all_ranks_together_send_2_n_minus_1_buffers(name: str, size: int) -> None:
    def body(c: Communicator) -> tuple[int, int]:
        net = make_net(c, name)
        net.iterate(0, c.rank)
        net.exchange.settle()
        return c.traffic.sent_bytes["send"], 4 * net.exchange.buffer.flat.numel()

    results = run_ranks(size, body)
    assert sum(sent for sent, _ in results) == 2 * (size - 1) * results[0][1]
