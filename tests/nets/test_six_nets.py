"""The nets that the product is measured by: each trains by either engine, to the same losses, scores and parameters."""

# N batch, C channels, H W picture

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
import torch
from torch import Tensor

from caffepy.engine.engines import LAYERWISE, WHOLE
from tests.conftest import THREADS
from tools.bench.batches import batches
from tools.bench.candidate import solver_on
from tools.bench.nets import NETS, example_text, memory_data, net_text

ITERATIONS = 3
SOLVER = """
momentum: 0.9 weight_decay: 0.004 lr_policy: "fixed" max_iter: 1000 display: 0 snapshot_after_train: false random_seed: 1
solver_mode: CPU test_iter: 2 test_interval: 1000 test_initialization: false
"""


@dataclass(frozen=True)
class Case:
    """A net, thin enough for a test.

    ``like``: the net of `NETS` whose pictures it has; ``file``: its own definition, if it is not that one. ``params``: how many
    numbers it learns or counts. ``rtol``: how far the engines may be apart.
    """

    like: str
    params: int
    base_lr: float = 0.001
    batch: int = 4
    divide: int = 1
    file: str = ""
    rtol: float = 1e-4

    def text(self) -> str:
        """The net on arrays in memory."""
        data = memory_data(self.batch, NETS[self.like].shape)
        return example_text(self.file, data) if self.file else net_text(self.like, self.batch, divide=self.divide)

    def arrays(self) -> list[tuple[Tensor, Tensor]]:
        """Two batches."""
        return batches(self.like, self.batch)


CASES = {
    "quick": Case("quick", 145578),
    "full": Case("full", 89578),
    "full_sigmoid": Case("full", 89578, file="examples/cifar10/cifar10_full_sigmoid_train_test.prototxt"),
    "full_sigmoid_bn": Case("full", 89709, file="examples/cifar10/cifar10_full_sigmoid_train_test_bn.prototxt"),
    "lenet": Case("lenet", 431080, base_lr=0.01),
    "caffenet": Case("caffenet", 481744, batch=2, divide=16),
    "googlenet": Case("googlenet", 550066, batch=2, divide=8),
    # fifty normalisations blow rounding up: float32 gradients of torch's own modules are 1 to 5 % off those in float64
    "resnet50": Case("resnet50", 637845, base_lr=0.0002, divide=8, rtol=0.05),
}


class Trained:
    """A solver after `ITERATIONS` iterations, and the loss of each."""

    def __init__(self, case: Case, engine: str) -> None:
        self.solver = solver_on(case.text(), f"base_lr: {case.base_lr} {SOLVER}", case.arrays(), engine=engine)
        self.losses: list[float] = []
        self.solver.watchers.append(lambda solver: self.losses.append(solver.losses.value()))
        self.params = [tensor.detach() for tensor in self.solver.train_engine.arena.learnable]
        before = self._numbers()
        for _ in range(ITERATIONS):
            self.solver.step(1)
        self.moved = self._numbers() - before
        self.test = self.solver.test_engines[0]

    def _numbers(self) -> Tensor:
        return torch.cat([tensor.flatten() for tensor in self.params])


@pytest.fixture(scope="module", params=CASES)
def pair(request: pytest.FixtureRequest) -> Iterator[tuple[Case, Trained, Trained]]:
    """One net and its trainings by the reference and by the fast engine."""
    torch.set_num_threads(THREADS)
    case = CASES[request.param]
    reference, fast = Trained(case, LAYERWISE), Trained(case, WHOLE)
    yield case, reference, fast
    reference.solver.close()
    fast.solver.close()


def test_losses_and_parameters_agree(pair: tuple[Case, Trained, Trained]) -> None:
    case, reference, fast = pair
    assert len(fast.losses) == fast.solver.iteration == ITERATIONS
    assert fast.losses[0] == pytest.approx(reference.losses[0], rel=1e-5)
    assert fast.losses == pytest.approx(reference.losses, rel=case.rtol)
    assert fast.moved.numel() == case.params
    assert float((fast.moved - reference.moved).norm()) <= 10 * case.rtol * float(reference.moved.norm())


def test_training_lowers_the_loss_of_a_batch_that_comes_again(pair: tuple[Case, Trained, Trained]) -> None:
    _, _, fast = pair
    assert len(set(fast.losses)) == ITERATIONS
    assert fast.losses[2] < fast.losses[0]


def test_scores_of_the_same_parameters_agree(pair: tuple[Case, Trained, Trained]) -> None:
    _, reference, fast = pair
    for ours, theirs in zip(fast.params, reference.params, strict=True):
        ours.copy_(theirs)
    assert float(fast.test.forward()) == pytest.approx(float(reference.test.forward()), rel=1e-4)
    for ours, theirs in zip(fast.test.outputs(), reference.test.outputs(), strict=True):
        assert ours.name == theirs.name
        torch.testing.assert_close(ours.data, theirs.data, rtol=1e-3, atol=1e-4)
