"""The campaign ``differ``, short; and that it sees what it looks for."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest

from tests.warm.start import python
from tools.campaign.children import in_child
from tools.campaign.comparison import unlike
from tools.campaign.random_nets import make_case
from tools.campaign.random_nets.builder import OPS

ROOT = Path(__file__).resolve().parents[3]


def test_a_short_one() -> None:
    command = [*python(), "-m", "tools.campaign.differ", "-n", "8"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=110)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("differ: nets 8, ")
    assert done.stdout.endswith("differences 0, crashes 0, hangs 0, tracebacks 0, refused 0, seed 1\n")


def test_a_seed_makes_the_same_net() -> None:
    assert make_case(5, bvlc=False).net == make_case(5, bvlc=False).net


def test_all_kinds_of_layers_come() -> None:
    types = {kind for seed in range(100) for kind in make_case(seed, bvlc=False).types}
    assert len(types) > 0.75 * len(OPS)


def test_a_difference_counts_where_it_is_more_than_the_data_bear() -> None:
    reference = {"a": np.array([1.0, 2.0], np.float32), "b": np.array([5.0], np.float32)}
    nudged = [{"a": reference["a"] + np.float32(1e-5), "b": reference["b"]}]
    assert unlike(reference, {**reference, "a": reference["a"] + np.float32(1e-4)}, nudged) is None
    assert unlike(reference, {**reference, "b": reference["b"] + np.float32(1e-4)}, nudged) == (
        "b",
        pytest.approx(1e-4, rel=0.01),
        pytest.approx(2e-5, rel=0.01),
    )
    assert unlike(reference, {"a": reference["a"] * np.float32(np.nan)}, nudged) is not None


def test_a_crash_and_a_hang_are_named() -> None:
    def crashing(at: object) -> None:
        at("here")
        os.kill(os.getpid(), signal.SIGKILL)

    ended = in_child(crashing)
    assert (ended.crash, ended.step) == ("SIGKILL", "here")
    assert in_child(lambda at: time.sleep(60), limit_s=0.2).hang
    assert "ZeroDivisionError" in in_child(lambda at: 1 / 0).error
