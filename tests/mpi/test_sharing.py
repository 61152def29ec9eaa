"""Whose batch it is and what becomes of the gradients, against one process."""

from __future__ import annotations

from pathlib import Path

import pytest

from caffepy.report.training_log import parse
from tests.mpi.jobs import ROUNDING, database, same_but_rounding, smooth_net, solver, train, worst_difference

pytestmark = pytest.mark.mpi


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database, a net with batches of 12, and what one process makes of it."""
    folder = database(tmp_path_factory, "sharing", net=smooth_net(12), small=smooth_net(6), alone=solver("alone"))
    job = train(folder, "-solver", "alone.prototxt")
    assert job.code == 0, job.err
    (folder / "alone.log").write_text(job.err)
    return folder


@pytest.mark.parametrize("mode", ["global", "per_node"])
def test_ranks_that_divide_the_batch_are_one_process(folder: Path, mode: str) -> None:
    (folder / f"{mode}.prototxt").write_text(solver(mode))
    job = train(folder, "-solver", f"{mode}.prototxt", "-batch_mode", mode, ranks=2)
    assert job.code == 0, job.err
    assert "6 images a rank x 2 ranks = 12 images an iteration" in job.err
    same_but_rounding(folder, "alone", mode)


def test_a_sum_at_half_the_rate_is_one_process(folder: Path) -> None:
    (folder / "sum.prototxt").write_text(solver("sum", net="small.prototxt", more="base_lr: 0.025 weight_decay: 0.008"))
    job = train(folder, "-solver", "sum.prototxt", "-grad_scale=sum", ranks=2)
    assert job.code == 0, job.err
    assert "base_lr 0.025, which acts as 0.05 on their mean" in job.err
    same_but_rounding(folder, "alone", "sum")


def test_a_batch_that_cannot_be_divided(folder: Path) -> None:
    (folder / "uneven.prototxt").write_text(solver("uneven"))
    job = train(folder, "-solver", "uneven.prototxt", "-batch_mode=global", ranks=5, warm=False)
    assert job.code != 0
    (message,) = job.fatal()
    assert "net.prototxt:" in message
    assert "batch_size 12 cannot be divided among 5 ranks; needed: a multiple of 5, such as 10" in message


@pytest.mark.parametrize("word", ["fp16", "bf16"])
def test_gradients_of_16_bits_learn_nearly_the_same(folder: Path, word: str) -> None:
    (folder / f"{word}.prototxt").write_text(solver(word, net="small.prototxt"))
    job = train(folder, "-solver", f"{word}.prototxt", "-compress", word, ranks=2)
    assert job.code == 0, job.err
    assert f"exchange allreduce, gradients travel as {word}" in job.err
    assert worst_difference(folder / "alone_iter_20.caffemodel", folder / f"{word}_iter_20.caffemodel") > ROUNDING
    expected = parse((folder / "alone.log").read_text().splitlines()).loss
    assert parse(job.err.splitlines()).loss == pytest.approx(expected, rel=0.05)
