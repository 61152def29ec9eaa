"""The stand-in has the rules of a GPU: what is wrong there fails here, and what is right does not."""

from __future__ import annotations

import pytest
import torch

pytestmark = pytest.mark.skipif(not hasattr(torch.cuda, "counts"), reason="a real GPU does not tell what is wrong")
A, B = "cuda:0", "cuda:1"


@pytest.fixture
def aside() -> torch.cuda.Stream:
    """A stream that has waited for nothing."""
    torch.cuda.synchronize()
    return torch.cuda.Stream()


def test_tensors_of_the_device_are_computed_and_differentiated() -> None:
    x = torch.arange(6.0, device=A).view(2, 3).requires_grad_()
    (x @ x.T).relu().sum().backward()
    assert x.grad is not None
    assert (x.device.type, x.grad.device) == ("cuda", x.device)
    assert x.grad.tolist() == [[6, 10, 14], [6, 10, 14]]


def test_devices_are_not_mixed() -> None:
    for other in (torch.ones(3), torch.ones(3, device=B)):
        with pytest.raises(RuntimeError, match="Expected all tensors to be on the same device"):
            torch.ones(3, device=A) + other
    assert (torch.ones(3, device=A) + torch.tensor(1.0)).tolist() == [2, 2, 2]  # a number


def test_what_another_stream_writes_must_be_waited_for(aside: torch.cuda.Stream) -> None:
    x = torch.ones(3, device=A)
    with torch.cuda.stream(aside), pytest.raises(RuntimeError, match="mul.* reads what a kernel on stream 0 has written, without"):
        x * 2
    aside.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(aside):
        x.mul_(2)
    with pytest.raises(RuntimeError, match="add.* without a wait for that stream"):
        x.add_(1)
    torch.cuda.current_stream().wait_event(aside.record_event())
    assert x.tolist() == [2, 2, 2]


def test_what_another_stream_still_reads_must_not_be_overwritten(aside: torch.cuda.Stream) -> None:
    x = torch.ones(3, device=A)
    aside.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(aside):
        kept = x * 2
    with pytest.raises(RuntimeError, match="writes over what is still read"):
        x.zero_()
    torch.cuda.synchronize()
    x.zero_()
    assert kept.tolist() == [2, 2, 2]


@pytest.mark.parametrize("said", [True, False])
def test_memory_that_another_stream_uses_goes_back_too_early_unless_that_is_said(aside: torch.cuda.Stream, said: bool) -> None:
    x = torch.ones(3, device=A)
    aside.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(aside):
        kept = x * 2
    if said:
        x.record_stream(aside)
    del x
    if said:
        torch.ones(1, device=A)
    else:
        with pytest.raises(RuntimeError, match="memory may be given again on stream 0 that is still used on stream"):
            torch.ones(1, device=A)
    torch.cuda.synchronize()
    assert kept.tolist() == [2, 2, 2]


def test_what_travels_to_the_host_is_there_after_a_wait() -> None:
    x = torch.ones(3, device=A)
    there = x.to("cpu", non_blocking=True)
    arrived = torch.cuda.Event()
    arrived.record()
    assert there.is_pinned()
    assert there.tolist() != [1, 1, 1]
    arrived.synchronize()
    assert there.tolist() == [1, 1, 1]


def test_what_travels_to_the_device_must_stay_as_it_is() -> None:
    host = torch.ones(3).pin_memory()
    x = host.to(A, non_blocking=True)
    host.zero_()
    with pytest.raises(RuntimeError, match="memory of the host has changed while it was copied"):
        torch.cuda.synchronize()
    assert x.tolist() == [1, 1, 1]


def test_launches_waits_and_copies_are_counted() -> None:
    x = torch.ones(3)
    launches, waits, copies, _ = torch.cuda.counts()
    y = x.to(A)
    z = (y.view(1, 3) * 2)[0].detach()
    assert z.sum().item() == 6
    assert z[z > 1].numel() == 3
    found = torch.cuda.counts()
    assert (found[1] - waits, found[2] - copies) == (3, 1)
    assert 5 <= found[0] - launches <= 8  # the copy, the product, sum, item, comparison, choice


def record(run: object, stream: torch.cuda.Stream | None = None) -> torch.cuda.CUDAGraph:
    graph, stream = torch.cuda.CUDAGraph(), stream or torch.cuda.Stream()
    with torch.cuda.graph(graph, stream=stream):
        run()
    torch.cuda.current_stream().wait_stream(stream)
    return graph


def test_a_graph_repeats_kernels_and_not_python() -> None:
    x, seen = torch.ones(3, device=A), []
    results: list[torch.Tensor] = []
    graph = record(lambda: (seen.append(1), results.append(x * 2)))
    assert results[0].tolist() != [2, 2, 2]  # a capture computes nothing
    before = torch.cuda.counts()[0]
    for value in (3.0, 4.0):
        x.fill_(value)
        graph.replay()
        assert results[0].tolist() == [2 * value] * 3
    assert len(seen) == 1
    assert torch.cuda.counts()[0] - before <= 6  # one each, beside filling and looking


def test_nobody_waits_for_a_capture() -> None:
    x, graph = torch.ones(3, device=A), torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = x * 2
    x.fill_(4)
    graph.replay()
    assert y.tolist() == [8, 8, 8]


@pytest.mark.parametrize(
    "run",
    [
        lambda x: x.sum().item(),
        lambda x: x[x > 0],
        lambda x: x.cpu(),
        lambda x: torch.tensor([1.0, 2.0], device=A),
        lambda x: torch.cuda.synchronize(),
        lambda x: x[torch.tensor([0, 1])],
    ],
    ids=["item", "mask", "to host", "from host", "synchronize", "places on the host"],
)
def test_a_capture_allows_no_wait(run: object) -> None:
    x = torch.ones(3, device=A)
    with pytest.raises(RuntimeError, match="previous error during capture") as caught:
        record(lambda: run(x))
    assert "operation not permitted when stream is capturing" in str(caught.value.__cause__)
    assert record(lambda: x * 2) is not None


def test_a_capture_allows_no_other_stream() -> None:
    x, other = torch.ones(3, device=A), torch.cuda.Stream()

    def run() -> None:
        other.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(other):
            x * 2

    with pytest.raises(RuntimeError) as caught:
        record(run)
    assert "on another stream while one is captured" in str(caught.value.__cause__)


def test_the_end_of_a_graph_breaks_products_of_others_on_its_stream() -> None:
    x, stream = torch.ones(2, 2, device=A), torch.cuda.Stream()
    products, sums, other = record(lambda: x @ x, stream), record(lambda: x + x, stream), record(lambda: x @ x)
    record(lambda: x * 2, stream).reset()
    with pytest.raises(RuntimeError, match="cuBLAS's memory for it was freed"):
        products.replay()
    sums.replay()
    other.replay()


def test_lists_of_tensors_are_worked_on_by_one_kernel() -> None:
    xs = [torch.ones(n, device=A) for n in range(1, 9)]
    before = torch.cuda.counts()[0]
    torch._foreach_mul_(xs, 2)
    sums = torch._foreach_add(xs, xs)
    assert torch.cuda.counts()[0] - before == 2
    assert [x.sum().item() for x in sums] == [4 * n for n in range(1, 9)]
    with pytest.raises(RuntimeError, match="Expected all tensors to be on the same device"):
        torch._foreach_add_(xs, [x.cpu() for x in xs])
