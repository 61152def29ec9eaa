"""Batch memory."""

from __future__ import annotations

import numpy as np
import torch

from caffepy.data.buffers import BufferPool


def address(array: np.ndarray) -> int:
    return int(array.__array_interface__["data"][0])


def test_memory_is_used_again_when_nobody_holds_it() -> None:
    pool = BufferPool()
    first = address(pool.take((4, 3)))
    assert address(pool.take((4, 3))) == first


def test_what_somebody_holds_is_left_alone() -> None:
    pool = BufferPool()
    held = torch.from_numpy(pool.take((4, 3)))[1:]
    held.fill_(7)
    other = pool.take((4, 3))
    other[...] = 1
    assert held.unique().tolist() == [7]
    del other, held
    assert len({address(pool.take((4, 3))) for _ in range(5)}) == 1


def test_another_shape_replaces_free_memory() -> None:
    pool = BufferPool()
    pool.take((4, 3))
    assert pool.take((2, 2)).shape == (2, 2)
    assert len(pool._arrays) == 1
