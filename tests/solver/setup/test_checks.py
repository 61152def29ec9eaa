"""What is wrong with a solver is said before a net is built, with its place."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from caffepy.errors import ParallelError, SolverError
from caffepy.parallel.transport.communicator import Communicator
from caffepy.solver.setup.checks import check, check_alike
from caffepy.solver.setup.definition import load_solver
from tests.parallel.ranks import run_ranks

GOOD = 'net: "net.prototxt" base_lr: 1 lr_policy: "fixed"\n'


def checked(folder: Path, text: str) -> None:
    (folder / "s.prototxt").write_text(GOOD + text)
    check(*load_solver(str(folder / "s.prototxt")))


def test_plain_solver(tmp_path: Path) -> None:
    checked(tmp_path, "momentum: 0.9 max_iter: 3")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("iter_size: 0", "iter_size is 0; needed: at least 1"),
        ("gamma: nan", r"s\.prototxt:2:1: gamma is nan; needed: a number"),
        ("max_iter: -5", r"max_iter is -5; needed: 0 or more"),
        ("average_loss: 0", "average_loss is 0; needed: at least 1"),
        ('snapshot: 5 snapshot_prefix: "nowhere/x"', "Cannot write to snapshot prefix 'nowhere/x'.*'nowhere' does not exist"),
        ('momentum_policy: "poly"', "momentum_policy 'poly' needs max_iter"),
        ('eval_type: "segmentation"', "Unknown evaluation type: segmentation; needed: classification or detection"),
        ('ap_version: "12point"', "Unknown ap_version: 12point; needed: one of 11point, MaxIntegral, Integral"),
        ("gan_solver: true", r"s\.prototxt:2:1: 'SolverParameter.gan_solver' is not BVLC Caffe's \(fork: synopsys"),
    ],
)
def test_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(SolverError, match=message):
        checked(tmp_path, text)


def test_fields_of_forks_that_are_known_or_say_nothing(tmp_path: Path) -> None:
    checked(tmp_path, 'larc: true rampup_interval: 3 warmup_iter: 2 min_lr: 0.1 momentum_policy: "fixed" eval_type: "detection"')


def test_harmless_fields_are_warned_of(tmp_path: Path, lines: Callable[[], list[str]]) -> None:
    checked(tmp_path, 'engine: "MKL2017"')
    assert "s.prototxt:2:1: 'engine' is another Caffe's (intel/caffe) and has no effect here" in lines()[-1]


def alike(folder: Path, second: str) -> list[str]:
    """What rank 1 of 2 says when its solver has these words in place of rank 0's."""
    (folder / "0.prototxt").write_text(f"{GOOD} max_iter: 30 stepvalue: 3 device_id: 0")
    (folder / "1.prototxt").write_text(GOOD + second)

    def work(c: Communicator) -> str:
        param, places = load_solver(str(folder / f"{c.rank}.prototxt"))
        try:
            check_alike(c, param, file=Path(places.file).name)
        except ParallelError as error:
            return str(error)
        return ""

    return run_ranks(2, work)


@pytest.mark.parametrize(
    ("second", "message"),
    [
        ("max_iter: 30 stepvalue: 3 device_id: 1", ""),
        ("max_iter: 20 stepvalue: 3", "max_iter is 20, but 30 on rank 0"),
        ("max_iter: 30 stepvalue: 3 stepvalue: 5", "stepvalue is [3, 5], but [3] on rank 0"),
        ("max_iter: 30 stepvalue: 3 momentum: 0.9", "momentum is 0.9, but left out on rank 0"),
        ("max_iter: 30", "stepvalue is left out, but [3] on rank 0"),
        ("max_iter: 30 stepvalue: 3 snapshot: 2", "snapshot is 2, but left out on rank 0"),
    ],
)
def test_ranks_with_other_solvers(tmp_path: Path, second: str, message: str) -> None:
    wanted = f"1.prototxt: {message}; needed: the same solver on all ranks" if message else ""
    assert alike(tmp_path, second) == ["", wanted]


@pytest.mark.parametrize(
    ("rate", "message"), [("nan", "base_lr is nan; needed: a number"), ("-inf", "base_lr is -inf; needed: a finite number")]
)
def test_rates_with_which_nothing_is_learnt(tmp_path: Path, rate: str, message: str) -> None:
    (tmp_path / "s.prototxt").write_text(GOOD)
    with pytest.raises(SolverError, match=message):
        check(*load_solver(str(tmp_path / "s.prototxt"), [f"base_lr={rate}"]))
