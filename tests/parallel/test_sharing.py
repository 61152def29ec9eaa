from __future__ import annotations

import pytest

from caffepy.errors import ParallelError
from caffepy.parallel.sharing import Sharing
from tests.parallel.ranks import run_ranks


@pytest.mark.parametrize(
    ("field", "word", "nearest"),
    [("exchange", "alreduce", "allreduce"), ("batch_mode", "pernode", "per_node"), ("grad_scale", "man", "mean")],
)
def test_an_unknown_word_names_the_known(field: str, word: str, nearest: str) -> None:
    with pytest.raises(ParallelError, match=rf"-{field} {word}: unknown; needed: one of .*nearest: '{nearest}'"):
        Sharing(**{field: word})


def test_by_how_much_a_batch_is_divided() -> None:
    hosts = ["a", "a", "b", "b", "c", "c"]
    for mode, divisor in (("per_rank", 1), ("per_node", 2), ("global", 6)):
        assert run_ranks(6, lambda c, mode=mode: Sharing(batch_mode=mode).divisor(c), hosts=hosts) == [divisor] * 6


def test_unequal_hosts_cannot_share_a_batch_by_node() -> None:
    def body(c: object) -> str:
        with pytest.raises(ParallelError) as caught:
            Sharing(batch_mode="per_node").divisor(c)  # type: ignore[arg-type]
        return str(caught.value)

    assert "the hosts have 2, 1 ranks" in run_ranks(3, body, hosts=["a", "b", "a"])[0]
