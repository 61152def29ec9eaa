from __future__ import annotations

from typing import Any

import pytest

from caffepy.errors import ParallelError
from caffepy.parallel.exchange.core.base import Serving
from caffepy.parallel.job.sharing import Sharing
from caffepy.parallel.transport.communicator import Communicator
from tests.parallel.ranks import run_ranks


@pytest.mark.parametrize(
    ("field", "word", "nearest"),
    [("batch_mode", "pernode", "per_node"), ("grad_scale", "man", "mean")],
)
def test_an_unknown_word_names_the_known(field: str, word: str, nearest: str) -> None:
    with pytest.raises(ParallelError, match=rf"-{field} {word}: unknown; needed: one of .*nearest: '{nearest}'"):
        Sharing(**{field: word})


def test_an_unknown_exchange_is_told_as_the_exchanges_tell_it() -> None:
    """By docs/troubleshooting's words; what stands for a process alone is nothing to ask for."""
    with pytest.raises(ParallelError, match=r"^Unknown exchange: alreduce \(known exchanges: .*, auto\); nearest: 'allreduce'") as caught:
        Sharing("alreduce")
    assert "null" not in str(caught.value)


def test_by_how_much_a_batch_is_divided() -> None:
    hosts = ["a", "a", "b", "b", "c", "c"]
    for mode, divisor in (("per_rank", 1), ("per_node", 2), ("global", 6)):
        assert run_ranks(6, lambda c, mode=mode: Sharing(batch_mode=mode).divisor(c), hosts=hosts) == [divisor] * 6


def test_unequal_hosts_cannot_share_a_batch_by_node() -> None:
    def body(c: object) -> str:
        with pytest.raises(ParallelError) as caught:
            Sharing(batch_mode="per_node").divisor(c)
        return str(caught.value)

    assert "the hosts have 2, 1 ranks" in run_ranks(3, body, hosts=["a", "b", "a"])[0]


@pytest.mark.parametrize(
    ("hosts", "on_gpu", "exchange"),
    [
        (["a", "a", "b", "b"], False, "hierarchical"),
        (["a", "a"], False, "hierarchical"),
        (["a", "b", "c"], False, "allreduce"),
        (["a", "a", "b", "b"], True, "allreduce"),
    ],
)
def test_the_automatic_choice(hosts: list[str], on_gpu: bool, exchange: str) -> None:
    chosen = run_ranks(len(hosts), lambda c: Sharing("auto").chosen(c, on_gpu=on_gpu), hosts=hosts)
    assert {(found.exchange, found.svb) for found in chosen} == {(exchange, "auto")}


def test_what_is_given_is_kept() -> None:
    def body(c: Communicator) -> list[tuple[str, str]]:
        given = (Sharing("auto", svb="off"), Sharing("tree"), Sharing("ps", svb="on"), Sharing())
        return [(found.exchange, found.svb) for found in (sharing.chosen(c, on_gpu=False) for sharing in given)]

    assert run_ranks(2, body) == [[("hierarchical", "off"), ("tree", "off"), ("ps", "on"), ("allreduce", "off")]] * 2


def test_the_automatic_choice_serves_nobody() -> None:
    with pytest.raises(ParallelError, match="-table_staleness 1 with -exchange auto; needed: 0, or a positive number with -exchange ps"):
        Sharing("auto", table_staleness=1)


def test_one_group_is_the_exchange_itself() -> None:
    assert Sharing(n_group=1).way == "allreduce"
    assert Sharing("hierarchical").way == "hierarchical"


def test_groups_exchange_by_a_server_and_are_one_update_late() -> None:
    assert Sharing(n_group=2).way == "ps"
    assert Sharing(n_group=2).serving == Serving(staleness=1, groups=2)
    assert Sharing(n_group=2, table_staleness=0, n_server=3).serving == Serving(groups=2, servers=3)
    assert Sharing("ps", bandwidth_mbps=8, round_timeout=2).serving == Serving(bytes_per_s=1e6, timeout_s=2)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"n_group": 0}, "-n_group 0; needed: 1 or more"),
        ({"n_group": 2, "exchange": "tree"}, "-n_group 2 with -exchange tree; needed: -exchange allreduce or ps"),
        ({"n_server": 2}, "-n_server 2 with -exchange allreduce; needed: 0, or a positive number with -exchange ps or -n_group"),
        ({"round_timeout": 0.5}, "-round_timeout 0.5 with -exchange allreduce"),
        ({"bandwidth_mbps": -1.0, "exchange": "ps"}, "-bandwidth_mbps -1 with -exchange ps"),
        ({"n_group": 2, "svb": "on"}, "-svb on with -n_group 2 -table_staleness 1: each iteration's factors go to all ranks in"),
        ({"exchange": "ps", "svb": "auto", "table_staleness": 2}, "-svb auto with -exchange ps -table_staleness 2: each"),
        ({"exchange": "ps", "svb": "on", "round_timeout": 1.0}, "-svb on with -exchange ps -round_timeout 1: each iteration's"),
        ({"n_group": 2, "compress": "fp16"}, "-compress fp16 with -n_group 2 -table_staleness 1; needed: one of allreduce, .*hierarchical"),
    ],
)
def test_what_does_not_fit_is_refused(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(ParallelError, match=message):
        Sharing(**fields)
