from __future__ import annotations

import pytest
import torch

from caffepy.errors import ParallelError
from caffepy.parallel.job.sharing import Sharing
from caffepy.parallel.launch.environment import Launch
from caffepy.parallel.transport.communicator import Communicator
from caffepy.parallel.transport.single import Single
from tests.parallel.exchange.nets import make_net, reference
from tests.parallel.ranks import run_ranks

ALONE = Single(Launch("single", 0, 1, 0, 1, "h"))


def _train(c: Communicator, name: str, wire: torch.dtype | None) -> tuple[list[torch.Tensor], int]:
    net = make_net(c, name, wire=wire)
    for iteration in range(5):
        net.iterate(iteration, c.rank)
    return net.weights, c.traffic.sent_bytes["send"]


@pytest.mark.parametrize("wire", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("name", ["allreduce", "hierarchical"])
def test_half_the_bytes_nearly_the_same_weights_the_same_bits(name: str, wire: torch.dtype) -> None:
    hosts = ["a", "b", "b", "c"]
    expected = reference(ALONE, 4)
    whole = run_ranks(4, lambda c: _train(c, name, None), hosts=hosts)
    short = run_ranks(4, lambda c: _train(c, name, wire), hosts=hosts)
    assert [sent for _, sent in short] == [sent // 2 for _, sent in whole]
    for found, wanted in zip(short[0][0], expected):
        torch.testing.assert_close(found, wanted, rtol=0.02, atol=0.02)
        assert not torch.equal(found, wanted)
    for weights, _ in short[1:]:
        assert all(torch.equal(a, b) for a, b in zip(weights, short[0][0]))


@pytest.mark.parametrize("name", ["tree", "ps"])
def test_weights_are_not_compressed(name: str) -> None:
    with pytest.raises(ParallelError, match=f"-compress fp16 with -exchange {name}; needed: one of allreduce, .*hierarchical"):
        Sharing(name, compress="fp16")
