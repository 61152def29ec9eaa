"""A pass that computes little runs on one thread, and leaves torch's number of threads as it was."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest
import torch

from caffepy.engine.threads import is_small, one_thread
from tests.engine.build import TEST, built, graph_of

CPU = torch.device("cpu")
NET = """
layer {{ name: "data" type: "Input" top: "data" input_param {{ shape {{ dim: {batch} dim: 3 dim: 32 dim: 32 }} }} }}
layer {{ name: "conv" type: "Convolution" bottom: "data" top: "conv" convolution_param {{ num_output: 32 kernel_size: 5 }} }}
layer {{ name: "relu" type: "ReLU" bottom: "conv" top: "conv" }}
"""


@pytest.fixture(autouse=True)
def two_threads(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Of which one sleeps while there is nothing to do."""
    monkeypatch.setenv("OMP_WAIT_POLICY", "passive")
    monkeypatch.delenv("GOMP_SPINCOUNT", raising=False)
    usual = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(usual)


def graph(batch: int):
    return graph_of(NET.format(batch=batch), TEST)


def test_what_one_picture_takes_is_small_and_a_batch_is_not() -> None:
    assert is_small(graph(1), CPU)
    assert not is_small(graph(64), CPU)
    assert not is_small(graph(1), torch.device("cuda"))


def test_less_is_small_where_threads_look_for_work_for_a_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    assert is_small(graph(8), CPU)
    monkeypatch.setenv("GOMP_SPINCOUNT", "1000")
    assert is_small(graph(1), CPU)
    assert not is_small(graph(8), CPU)


@pytest.mark.parametrize("policy", ["ACTIVE", ""])
def test_threads_that_spin_need_no_waking(policy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_WAIT_POLICY", policy)
    assert not is_small(graph(1), CPU)


def test_a_net_without_products_is_left_alone() -> None:
    layer = 'layer { name: "relu" type: "ReLU" bottom: "data" top: "relu" }'
    assert not is_small(graph_of(NET.format(batch=1).splitlines()[1] + layer, TEST), CPU)


def threads_of_passes(batches: Sequence[int], monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many threads torch had in passes over batches of these sizes by one engine."""
    engine = built(NET.format(batch=batches[0]), TEST).whole
    found: list[int] = []
    run = engine._run
    monkeypatch.setattr(engine, "_run", lambda *a, **k: (found.append(torch.get_num_threads()), run(*a, **k))[1])
    for batch in batches:
        engine.forward({"data": torch.zeros(batch, 3, 32, 32)})
        assert torch.get_num_threads() == 2
    return found


def test_passes_follow_the_size_of_their_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """The shapes of a batch are known when it has come: the pass after it goes by them."""
    assert threads_of_passes([1, 1, 64, 64, 1, 1], monkeypatch) == [1, 1, 1, 2, 2, 1]


def test_an_error_leaves_the_number_as_it_was() -> None:
    with pytest.raises(ValueError, match="inside"), one_thread():
        raise ValueError(f"inside, {torch.get_num_threads()}")
    assert torch.get_num_threads() == 2
