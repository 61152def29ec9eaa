"""What is wrong with a solver is said before a net is built, with its place."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from caffepy.errors import SolverError
from caffepy.solver.checks import check
from caffepy.solver.solver import load_solver

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
