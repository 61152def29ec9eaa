"""Batches made ahead by a thread: the same ones, in order, with the states that belong to them."""

from __future__ import annotations

import gc
import threading
import time
from typing import Any

import pytest
import torch

from caffepy.data.prefetch import Prefetcher
from caffepy.data.shard import Shard
from caffepy.data.source import Batch, Source, State
from caffepy.errors import DataError
from caffepy.layers.core.random import CaffeRandom


class Counting(Source):
    """Gives 0, 1, 2, ...; fails at ``bad``."""

    shapes = ((1,),)

    def __init__(self, bad: int | None = None, slow_s: float = 0) -> None:
        super().__init__(Shard())
        self.at, self.bad, self.slow_s, self.closed = 0, bad, slow_s, False

    def seed(self, stream: Any) -> None:
        self.at = int(stream.raw(1)[0]) % 100

    def _make(self) -> Batch:
        time.sleep(self.slow_s)
        if self.at == self.bad:
            raise DataError(f"record {self.at} is bad")
        self.at += 1
        return (torch.tensor([float(self.at - 1)]),)

    def state(self) -> State:
        return {"at": self.at}

    def restore(self, state: State) -> None:
        self.at = state["at"]

    def close(self) -> None:
        self.closed = True


def threads() -> int:
    return sum(thread.name == "caffepy-prefetch" for thread in threading.enumerate())


@pytest.mark.parametrize("depth", [0, 1, 4])
def test_order_and_state(depth: int) -> None:
    source = Prefetcher(Counting(), depth)
    for i in range(10):
        assert source.next()[0].item() == i
        assert source.state() == {"at": i + 1}, (
            "of the last batch handed out, however far the thread is"
        )
    source.restore({"at": 40})
    assert source.state() == {"at": 40}
    assert source.next()[0].item() == 40
    source.close()
    assert threads() == 0


def test_nothing_is_handed_out_yet() -> None:
    source = Prefetcher(Counting(), 3)
    source.seed(CaffeRandom(5))
    first = int(CaffeRandom(5).raw(1)[0]) % 100
    assert source.next()[0].item() == first
    source.close()


def test_an_error_comes_at_its_batch_and_again() -> None:
    source = Prefetcher(Counting(bad=3), 2)
    assert [source.next()[0].item() for _ in range(3)] == [0, 1, 2]
    for _ in range(2):
        with pytest.raises(DataError, match="record 3 is bad"):
            source.next()
    source.close()
    assert threads() == 0


def test_no_more_than_depth_batches_are_ready() -> None:
    inner = Counting()
    source = Prefetcher(inner, 2)
    source.next()
    deadline = time.monotonic() + 5
    while inner.at < 4 and time.monotonic() < deadline:
        time.sleep(0.005)
    time.sleep(0.02)
    assert source.ready == 2
    assert inner.at == 4, "one handed out, two in line, one in the thread's hand"
    source.close()
    assert inner.closed


def test_a_forgotten_source_ends_its_thread() -> None:
    source = Prefetcher(Counting(), 2)
    source.next()
    assert threads() == 1
    del source
    gc.collect()
    assert threads() == 0


def test_the_clock_tells_waiting_from_making() -> None:
    source = Prefetcher(Counting(slow_s=0.02), 1)
    before = source.clock()
    for _ in range(5):
        source.next()
    pace = source.clock().since(before)
    source.close()
    assert pace.made_ms >= 20
    assert pace.waited_ms > 10, "nothing else is done between the batches"
    assert source.clock().since(source.clock()).made_ms == 0


@pytest.mark.parametrize(
    ("items", "depth", "kept"),
    [(1, 1000, 1000), (1 << 26, 1000, 8), (1 << 30, 1000, 4), (1 << 30, 2, 2), (1, 0, 1)],
)
def test_large_batches_do_not_take_all_memory(items: int, depth: int, kept: int) -> None:
    source = Counting()
    source.shapes = ((items,),)
    assert Prefetcher(source, depth).depth == kept


def test_a_thread_for_which_there_is_no_room_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fails(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    prefetcher = Prefetcher(Counting(), 1)
    monkeypatch.setattr(threading.Thread, "start", fails)
    with pytest.raises(RuntimeError, match="can't start new thread"):
        prefetcher.next()
    prefetcher.close()
