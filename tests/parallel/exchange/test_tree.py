from __future__ import annotations

from caffepy.parallel.transport.communicator import Communicator
from tests.parallel.exchange.nets import SHAPES, make_net
from tests.parallel.ranks import run_ranks


def test_only_the_root_updates_bucket_by_bucket() -> None:
    def body(c: Communicator) -> list[list[int]]:
        net = make_net(c, "tree")
        net.iterate(0, c.rank)
        net.exchange.settle()
        return net.update.calls

    root, *others = run_ranks(3, body)
    assert others == [[], []]
    assert len(root) > 1
    assert sorted(param for call in root for param in call) == list(range(len(SHAPES)))


def test_a_joint_update_is_one_call() -> None:
    def body(c: Communicator) -> int:
        net = make_net(c, "tree", joint=True)
        net.iterate(0, c.rank)
        net.exchange.settle()
        return len(net.update.calls)

    assert run_ranks(2, body) == [1, 0]
