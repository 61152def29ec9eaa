from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F

from caffepy.errors import ParallelError
from caffepy.parallel.collective.courier import Courier
from caffepy.parallel.factors.choice import Speeds, factor_seconds, measure, whole_seconds
from caffepy.parallel.factors.factors import Factors, Product, factored_forward, sent_bytes
from caffepy.parallel.transport.communicator import Communicator
from tests.parallel.ranks import run_ranks

HOSTS = ["a", "b", "a"]


@pytest.mark.parametrize("transpose", [False, True])
def test_the_sum_of_products_is_the_gradient_of_all_ranks_and_passes(transpose: bool) -> None:
    product = Product(4, 6, 5, transpose)

    def batch(rank: int, number: int) -> tuple[torch.Tensor, torch.Tensor]:
        generator = torch.Generator().manual_seed(10 * rank + number)
        return torch.randn(4, 6, generator=generator), torch.randn(4, 5, generator=generator)

    def body(c: Communicator) -> tuple[torch.Tensor | None, torch.Tensor | None, int]:
        factors = Factors(product, c, Courier(threaded=False), number=0, passes=2, scale=1 / 3)
        for number in range(2):
            factors.keep(*batch(c.rank, number))
        return factors.gradient(), factors.gradient(), c.traffic.sent_bytes["send"]

    expected = sum(x.T @ g if transpose else g.T @ x for x, g in (batch(r, n) for r in range(3) for n in range(2))) / 3
    results = run_ranks(3, body, hosts=HOSTS)
    for found, again, sent in results:
        torch.testing.assert_close(found, expected)
        assert torch.equal(found, results[0][0]), "the same bits"
        assert again is None
        assert sent == sent_bytes(product, 3, 2) == 2 * 2 * 4 * 4 * (6 + 5)


def test_another_number_of_rows_is_refused() -> None:
    def body(c: Communicator) -> None:
        with pytest.raises(ParallelError, match="a batch has 3 rows, the first had 4"):
            Factors(Product(4, 6, 5), c, Courier(), number=0, passes=1, scale=1.0).keep(torch.zeros(3, 6), torch.zeros(3, 5))

    run_ranks(1, body)


@pytest.mark.parametrize("transpose", [False, True])
@pytest.mark.parametrize("axis", [1, 2])
def test_the_layer_computes_the_same_and_gives_the_factors_away(transpose: bool, axis: int) -> None:
    bottom = torch.randn(*((2, 3, 4) if axis == 2 else (6, 4)), requires_grad=True)
    weight = torch.randn(*((4, 5) if transpose else (5, 4)), requires_grad=True)
    bias = torch.randn(5, requires_grad=True)
    kept: list[tuple[torch.Tensor, torch.Tensor]] = []
    forward = factored_forward(Product(6, 4, 5, transpose, axis), lambda x, g: kept.append((x, g)))
    (top,) = forward([bottom], [weight, bias], None)
    expected = F.linear(bottom, weight.T if transpose else weight, bias)
    torch.testing.assert_close(top, expected)
    diff = torch.randn_like(top)
    wanted = torch.autograd.grad(expected, [bottom, weight, bias], diff)
    top.backward(diff)
    assert weight.grad is None
    torch.testing.assert_close(bottom.grad, wanted[0])
    torch.testing.assert_close(bias.grad, wanted[2])
    ((x, g),) = kept
    torch.testing.assert_close(x.T @ g if transpose else g.T @ x, wanted[1])


def test_the_cheaper_way_depends_on_shape_link_and_processor() -> None:
    large, groups = Product(64, 9216, 4096), [[0, 1], [2, 3]]
    ethernet, memory = Speeds(12.5e6, 50e9), Speeds(5e9, 50e9)
    assert factor_seconds(large, ethernet, ranks=4, passes=1) < 0.1 * whole_seconds(large, ethernet, exchange="allreduce", groups=groups)
    assert factor_seconds(large, memory, ranks=4, passes=1) > whole_seconds(large, memory, exchange="allreduce", groups=groups)
    small = Product(64, 64, 10)
    assert factor_seconds(small, ethernet, ranks=4, passes=1) > whole_seconds(small, ethernet, exchange="allreduce", groups=groups)
    whole = [whole_seconds(large, ethernet, exchange=name, groups=groups) for name in ("allreduce", "hierarchical")]
    assert whole[1] == pytest.approx(whole[0] * 1.0 / 1.5)


def test_all_ranks_go_by_one_measurement() -> None:
    speeds = run_ranks(3, lambda c: measure(c, Courier(threaded=False), 8), hosts=HOSTS)
    assert speeds[0] == speeds[1] == speeds[2]
    assert speeds[0].link > 0
    assert speeds[0].processor > 0
