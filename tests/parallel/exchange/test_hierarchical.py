from __future__ import annotations

from caffepy.parallel.transport.communicator import Communicator
from tests.parallel.exchange.nets import make_net
from tests.parallel.ranks import run_ranks


def _sent(c: Communicator) -> tuple[int, int, int]:
    net = make_net(c, "hierarchical")
    for iteration in range(3):
        net.iterate(iteration, c.rank)
    return c.traffic.sent_bytes["send"], c.traffic.sent_bytes["shared"], 3 * 4 * net.exchange.buffer.flat.numel()


def test_inside_a_host_nothing_is_sent() -> None:
    results = run_ranks(3, _sent)
    assert all(sent == 0 for sent, _, _ in results)
    assert sum(shared for _, shared, _ in results) == 2 * results[0][2], "two of three buffers are added to the third"


def test_hosts_send_like_single_ranks() -> None:
    for hosts in (["a", "a", "b", "b"], ["a", "b", "a"], ["a", "a", "b", "b", "c", "c"]):
        results = run_ranks(len(hosts), _sent, hosts=hosts)
        count = len(set(hosts))
        assert sum(sent for sent, _, _ in results) == 2 * (count - 1) * results[0][2]
