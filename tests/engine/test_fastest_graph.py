"""Of graphs on different numbers of threads the fastest is taken, and another once that is faster."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import pytest
import torch
from torch import Tensor

from caffepy.engine import fastest_graph
from caffepy.engine.bounded_graph import BoundedGraph
from caffepy.engine.fastest_graph import BLOCKS, FastestGraph


class Clock:
    """Seconds that pass only in graphs: in each as many as ``costs`` says for torch's number of threads."""

    def __init__(self, costs: dict[int, float]) -> None:
        self.costs = costs
        self.now = 0.0
        self.ran: Counter[int] = Counter()

    def perf_counter(self) -> float:
        return self.now

    def call(self, *inputs: Tensor) -> Sequence[Tensor]:
        threads = torch.get_num_threads()
        self.now += self.costs[threads]
        self.ran[threads] += 1
        return inputs

    def passes(self, graph: FastestGraph, blocks: int) -> Counter[int]:
        """Passes by number of threads, in so many blocks."""
        self.ran.clear()
        end = self.now + blocks * fastest_graph.BLOCK_S
        while self.now < end:
            assert graph.tops([torch.ones(1)]) is not None
        return Counter(self.ran)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[Clock]:
    found = Clock({1: 2.0, 2: 1.0})
    monkeypatch.setattr(fastest_graph, "BLOCK_S", 20.0)
    monkeypatch.setattr(fastest_graph, "time", found)
    usual = torch.get_num_threads()
    torch.set_num_threads(1)
    yield found
    torch.set_num_threads(usual)


def graphs(clock: Clock) -> FastestGraph:
    return FastestGraph({threads: BoundedGraph(clock.call, 1, []) for threads in clock.costs})


def test_the_fastest_has_all_blocks_but_the_trials(clock: Clock) -> None:
    ran = graphs(clock)
    assert clock.passes(ran, 4 * BLOCKS) == {1: 40, 2: 20 * (4 * BLOCKS - 4)}
    assert torch.get_num_threads() == 1


def test_where_the_second_thread_has_to_wait_one_thread_takes_over_after_a_block(clock: Clock) -> None:
    ran = graphs(clock)
    clock.passes(ran, 10)
    clock.costs[2] = 4.0
    assert clock.passes(ran, 10) == {1: 10 * 9, 2: 5}
    clock.costs[2] = 1.0
    clock.passes(ran, BLOCKS)
    assert clock.passes(ran, 10) == {2: 20 * 10}


@pytest.mark.parametrize(("sums", "kept"), [([1.0, 1.0], [1, 2]), ([1.0, 1.0 + 2**-23], [1])])
def test_a_graph_of_other_bits_is_not_taken(sums: list[float], kept: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    made = [BoundedGraph(lambda *_, value=value: [torch.tensor(value)], 1, []) for value in sums]
    monkeypatch.setattr(BoundedGraph, "made", lambda *_, **__: made.pop(0))
    found = FastestGraph.made([1, 2], [], [], [], [], within_s=1.0)
    assert found is not None
    assert found._threads == kept


def test_one_graph_alone_runs_on_the_threads_of_the_caller(clock: Clock) -> None:
    torch.set_num_threads(2)
    assert clock.passes(FastestGraph({1: BoundedGraph(clock.call, 1, [])}), 2) == {2: 40}


def test_the_number_of_threads_is_what_it_was_after_an_error(clock: Clock) -> None:
    def stop(*inputs: Tensor) -> Sequence[Tensor]:
        raise KeyboardInterrupt

    ran = FastestGraph({2: BoundedGraph(stop, 1, []), 1: BoundedGraph(clock.call, 1, [])})
    with pytest.raises(KeyboardInterrupt):
        ran.tops([torch.ones(1)])
    assert torch.get_num_threads() == 1
