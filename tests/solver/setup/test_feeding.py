"""The flags about data, as one value."""

from __future__ import annotations

from typing import Any

import pytest

from caffepy.errors import ParallelError
from caffepy.parallel.job.sharing import Sharing
from caffepy.parallel.transport.communicator import Communicator
from caffepy.solver.setup.feeding import Feeding
from caffepy.solver.setup.job_summary import data_line
from tests.parallel.ranks import run_ranks


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        ({"shard": "file"}, "-shard file: unknown; needed: one of batch, contiguous, files, record; nearest: 'files'"),
        ({"readers": -1}, "-readers -1; needed: 0 or more"),
        ({"readers": 2, "in_memory": True}, "-in_memory with -readers 2: .*needed: one of the two"),
        ({"shard": "files", "in_memory": True}, "-in_memory with -shard files: .*needed: one of the two"),
    ],
)
def test_what_does_not_go_together(flags: dict[str, Any], says: str) -> None:
    with pytest.raises(ParallelError, match=says):
        Feeding(**flags)


def test_what_a_rank_gets() -> None:
    def share(c: Communicator) -> tuple[object, ...]:
        found = Feeding(shard="contiguous", shuffle=True).start(c, Sharing(batch_mode="global")).share
        agreed = found.shard.agree(10 + c.rank)
        return found.shard.rank, found.shard.size, found.shard.mode, found.tests.mode, found.divisor, found.shuffle, agreed

    assert run_ranks(2, share) == [(rank, 2, "contiguous", "batch", 2, True, 10) for rank in range(2)]


def test_the_line_about_it() -> None:
    words = data_line(Feeding(shard="batch", shuffle=True, readers=2))
    assert words.startswith("shard batch: every rank takes one batch in turn")
    assert words.endswith("shuffled for each epoch, by 2 reader process(es) on each host")
    assert data_line(Feeding(in_memory=True)).endswith("from the memory of the hosts")
