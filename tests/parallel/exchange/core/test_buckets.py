from __future__ import annotations

import torch

from caffepy.parallel.exchange.core.base import GradientBuffer
from caffepy.parallel.exchange.core.buckets import bucket_limit, fill_buckets, piece_bytes


def _buffer() -> GradientBuffer:
    """Three parameters of 8, 4 and 20 values, the last one first in memory, with gaps."""
    flat = torch.arange(48.0)
    return GradientBuffer(flat, (flat[36:44], flat[24:28], flat[:20]))


def test_every_value_is_in_one_bucket_and_memory_order_is_kept() -> None:
    for limit in (1, 50, 100, 1000):
        buckets = fill_buckets(_buffer(), limit)
        assert torch.cat([bucket.flat for bucket in buckets]).tolist() == list(range(48))
        assert [param for bucket in buckets for param in bucket.params] == [2, 1, 0]
        assert [bucket.number for bucket in buckets] == list(range(len(buckets)))


def test_a_bucket_is_closed_by_the_parameter_that_fills_it() -> None:
    assert [bucket.params for bucket in fill_buckets(_buffer(), 1)] == [(2,), (1,), (0,)]
    assert [bucket.params for bucket in fill_buckets(_buffer(), 97)] == [(2, 1), (0,)]
    assert [bucket.params for bucket in fill_buckets(_buffer(), 10**6)] == [(2, 1, 0)]


def test_small_nets_are_divided_too() -> None:
    assert [bucket_limit(size) for size in (1000, 1 << 20, 240 << 20)] == [16 << 10, 128 << 10, 4 << 20]


def test_what_is_sent_on_is_cut_into_eight_that_are_neither_tiny_nor_huge() -> None:
    assert [piece_bytes(size, relayed=True) for size in (1 << 16, 1 << 20, 1 << 30)] == [64 << 10, 128 << 10, 4 << 20]
    assert {piece_bytes(size, relayed=False) for size in (1 << 16, 1 << 20, 1 << 30)} == {4 << 20}
    buffer = GradientBuffer(torch.zeros(1 << 18), (torch.zeros(1 << 18),))
    (bucket,) = fill_buckets(buffer, 1, relayed=True)
    assert [(tag, piece.numel()) for tag, piece in bucket.pieces] == [(tag, 1 << 15) for tag in range(8)]
