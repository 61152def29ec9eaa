from __future__ import annotations

import pytest
import torch

from caffepy.errors import ParallelError
from caffepy.parallel.job.consistency import broadcast_state, check_equal, checksum, difference, digest
from caffepy.parallel.transport.communicator import Communicator
from tests.parallel.ranks import run_ranks

HOSTS = ["a", "b", "c", "d"]
NAMES = [["conv1[0]", "conv1[1]"]] * 4


def test_a_digest_sees_one_bit_and_no_strides() -> None:
    values = torch.randn(4, 3, 2, 2)
    other = values.clone()
    assert digest(values) == digest(other.to(memory_format=torch.channels_last))
    other.view(torch.int32).view(-1)[7] ^= 1
    assert digest(values) != digest(other)
    assert digest(torch.tensor([0.0])) != digest(torch.tensor([-0.0]))
    assert digest(torch.tensor([float("nan")])) == digest(torch.tensor([float("nan")]))


def test_a_checksum_sees_one_bit_and_no_strides() -> None:
    values = torch.randn(4, 3, 2, 2)
    before = checksum(values)
    assert before == checksum(values.to(memory_format=torch.channels_last))
    for bit in range(31):
        values.view(torch.int32).view(-1)[7] ^= 1 << bit
        assert checksum(values) != before
        values.view(torch.int32).view(-1)[7] ^= 1 << bit
    assert checksum(torch.tensor([0.0])) != checksum(torch.tensor([-0.0]))
    assert checksum(values) == before


def test_alike() -> None:
    assert difference(HOSTS, NAMES, [[b"1", b"2"]] * 4) is None


def test_the_odd_one_is_named() -> None:
    digests = [[b"1", b"2"], [b"1", b"2"], [b"1", b"9"], [b"1", b"2"]]
    assert difference(HOSTS, NAMES, digests) == "rank 2 on c: conv1[1] hashes to 39, elsewhere to 32"


def test_the_commonest_is_right_even_against_rank_0() -> None:
    digests = [[b"9", b"2"], [b"1", b"2"], [b"1", b"2"], [b"8", b"2"]]
    assert difference(HOSTS, NAMES, digests) == "rank 0 on a and 1 more: conv1[0] hashes to 39, elsewhere to 31"


def test_where_none_is_commonest_rank_0_counts_as_right() -> None:
    found = difference(HOSTS[:2], NAMES[:2], [[b"1", b"2"], [b"3", b"2"]])
    assert found == "rank 1 on b: conv1[0] hashes to 33, elsewhere to 31, and there is no telling which is right"


def test_other_names() -> None:
    names = [["a"], ["a"], ["a", "b"], ["a"]]
    found = difference(HOSTS, names, [[b"1"], [b"1"], [b"1", b"2"], [b"1"]])
    assert found == "rank 2 on c has 2 parameters of other names than the 1 of rank 0"


def test_every_rank_raises_the_same_text() -> None:
    def body(c: Communicator) -> str:
        with pytest.raises(ParallelError) as caught:
            check_equal(c, {"ip[0]": torch.tensor([float(c.rank == 1)])}, "at iteration 500")
        return str(caught.value)

    first, *others = run_ranks(3, body)
    assert first.startswith("the ranks differ at iteration 500: rank 1 on h: ip[0] hashes to ")
    assert others == [first, first]


def test_broadcast_makes_them_equal() -> None:
    def body(c: Communicator) -> list[float]:
        values = [torch.full((2,), float(c.rank + 5)), torch.full((1,), float(c.rank))]
        broadcast_state(c, values)
        check_equal(c, {"a": values[0], "b": values[1]}, "at the start")
        return torch.cat(values).tolist()

    assert run_ranks(2, body) == [[5.0, 5.0, 0.0]] * 2
